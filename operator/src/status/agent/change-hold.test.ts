import { describe, expect, it } from 'vitest';
import type { AgentCondition } from './agent-condition.ts';
import { asStored, changeHoldMs, COUNTS_HOLD_MS, TEXT_HOLD_MS, WORD_HOLD_MS } from './change-hold.ts';

const condition = (
  type: AgentCondition['type'],
  status: AgentCondition['status'],
  reason: AgentCondition['reason'],
  message = 'so it is',
): AgentCondition => ({ type, status, reason, message });

const fields = { characterDigest: 'sha256:1', podName: undefined, tasks: { waiting: 0, running: 0 } };
const starting = condition('Ready', 'False', 'Starting');
const podStarting = condition('PodReady', 'False', 'Starting');
const before = { conditions: [starting, podStarting], fields };
const change = (now: typeof before, generation = 3): number | undefined =>
  changeHoldMs({ now, stored: asStored(before, 3), generation });

const changes: readonly (readonly [name: string, now: typeof before, holdMs: number | undefined])[] = [
  ['nothing', before, undefined],
  ['Ready’s status', { ...before, conditions: [condition('Ready', 'True', 'AgentReady'), podStarting] }, 0],
  ['the pod’s status', { ...before, conditions: [starting, condition('PodReady', 'True', 'AgentReady')] }, 0],
  ['a mistake of people', { ...before, conditions: [condition('Ready', 'False', 'NameTaken'), podStarting] }, 0],
  ['a reason', { ...before, conditions: [condition('Ready', 'False', 'PodNotScheduled'), podStarting] }, WORD_HOLD_MS],
  [
    'a condition that is new',
    {
      ...before,
      conditions: [...before.conditions, condition('NetworkPolicyEnforced', 'Unknown', 'NetworkPolicyUnknown')],
    },
    WORD_HOLD_MS,
  ],
  [
    'a message',
    { ...before, conditions: [condition('Ready', 'False', 'Starting', 'not yet'), podStarting] },
    TEXT_HOLD_MS,
  ],
  ['a digest', { ...before, fields: { ...fields, characterDigest: 'sha256:2' } }, TEXT_HOLD_MS],
  ['a count', { ...before, fields: { ...fields, tasks: { waiting: 1, running: 0 } } }, COUNTS_HOLD_MS],
];

describe('a change of an Agent’s status', () => {
  it.each(changes)('that is %s waits its time', (_, now, holdMs) => {
    expect(change(now)).toBe(holdMs);
  });

  it('that judges another generation waits for nothing', () => {
    expect(change(before, 4)).toBe(0);
  });

  it('of an Agent that has no status waits for nothing', () => {
    expect(changeHoldMs({ now: before, stored: {}, generation: 1 })).toBe(0);
  });

  it('waits the less the more it says', () => {
    expect(WORD_HOLD_MS).toBeLessThan(TEXT_HOLD_MS);
    expect(TEXT_HOLD_MS).toBeLessThan(COUNTS_HOLD_MS);
  });
});
