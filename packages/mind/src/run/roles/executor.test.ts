import { expect, it } from 'vitest';
import type { SubTask } from '@retainer/contract/wire/bus/payloads';
import { verifies } from '../../../../../test/verifies.ts';
import type { RunState } from '../state.ts';
import { workKind } from './executor.ts';

const criterion = { text: 'c', mode: 'Verifiable', required: true } as const;

function kind(given: {
  shape?: string;
  steps?: number;
  criteria?: number;
  words?: number;
  round?: number;
  attempt?: number;
  circles?: number;
}) {
  const { shape = 'SingleStep', steps = 1, criteria = 2, words = 100, round = 1, attempt = 1, circles = 0 } = given;
  const subtask = {
    intent: 'x'.repeat(words),
    context: '',
    criteria: Array.from({ length: criteria }, () => criterion),
  };
  const messages = [
    { message: { type: 'TaskSpec', round: 0, payload: { shape } }, isRead: true },
    ...Array.from({ length: steps }, () => ({ message: { type: 'SubTask', round, payload: subtask }, isRead: true })),
  ];
  return workKind({ messages } as unknown as RunState, subtask as unknown as SubTask, { round, attempt, circles });
}

verifies('models:work-by-kind', 'work is simple only where perceiver and plan agree', () => {
  expect(kind({})).toBe('Simple');
  expect(kind({ shape: 'Plan' })).toBe('Complex');
  expect(kind({ steps: 2 })).toBe('Complex');
  expect(kind({ criteria: 3 })).toBe('Complex');
  expect(kind({ words: 2001 })).toBe('Complex');
});

it('is repeated after a failed attempt or round, whatever was said of it', () => {
  expect(kind({ attempt: 2 })).toBe('Repeated');
  expect(kind({ round: 2 })).toBe('Repeated');
});
