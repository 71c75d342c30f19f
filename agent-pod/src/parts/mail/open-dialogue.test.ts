import type { CycleSpec } from '@retainer/mind/cycle/event';
import type { Label } from '@retainer/mind/gate/provenance/label';
import { describe, expect, it } from 'vitest';
import { sha256Hex } from '@retainer/contract/std/hash';
import { CycleUnderTest, facts } from '../../../../test/support/cycles.ts';
import { testTools } from '../../../../test/support/known-tools.ts';
import { runSpec } from '../../../../test/support/runs.ts';
import { verifies } from '../../../../test/verifies.ts';
import { openApprovals, openMailQuestions, type OpenWork } from './open-dialogue.ts';

const ANN = 'mail:ann@example.org';
const OF_BOB = 'The safe of Bob opens with the word quartz-lantern-4711.';

/** A cycle of Ann's run that has read something and asks her. @param readers  of what it read */
function asking(readers: Label['readers'], question: string, spec: Partial<CycleSpec> = {}): CycleUnderTest {
  const cycle = new CycleUnderTest({ tools: ['look', 'ask_person'], principal: ANN, ...spec });
  cycle.answer({ calls: [['look', {}]] });
  cycle.when({
    kind: 'ToolFinished',
    atMs: cycle.tick(),
    callId: cycle.now.pendingTools[0] ?? '',
    outcome: {
      ...{ status: 'Ok', text: OF_BOB, outputBytes: OF_BOB.length, outputSha256: sha256Hex(OF_BOB), files: [] },
      ...{ durationMs: 1, label: { source: { kind: 'Memory' }, trust: 'Trusted', readers } },
    },
  });
  cycle.answer({ calls: [['ask_person', { question }]] });
  return cycle;
}

function workOf(cycle: CycleUnderTest): OpenWork {
  const spec = runSpec({
    ...{ runId: 'r', principal: ANN, replyTo: { channel: 'Mail', target: 'm-1' } },
    cause: { kind: 'Mail', letterId: 'm-1', from: 'ann@example.org', threadId: 't-1' },
  });
  return { openRuns: () => [{ spec, concluded: undefined, question: undefined }], openCycles: () => [cycle.now] };
}

describe('questions for the sender of a letter', () => {
  verifies('mail-questions:readers', 'are kept where they tell what another one wrote', () => {
    const of = (readers: Label['readers'], question: string, spec: Partial<CycleSpec> = {}) =>
      openMailQuestions(workOf(asking(readers, question, spec)), testTools);
    const telling = 'Is it quartz-lantern-4711?';
    const bobs = ['mail:bob@example.org', 'owner'];
    expect(of(bobs, telling)).toMatchObject([{ letterId: 'm-1', question: telling, isForOthers: true }]);
    expect(of(['owner'], telling)).toMatchObject([{ isForOthers: true }]);
    expect(of([ANN, 'owner'], telling)[0]).not.toHaveProperty('isForOthers');
    expect(of(bobs, 'In which city?')[0]).not.toHaveProperty('isForOthers');
    // An earlier cycle of the run has read it: any question could tell it.
    expect(of('Everyone', 'In which city?', { readers: ['owner'] })).toMatchObject([{ isForOthers: true }]);
  });

  it('are none of a run that a Task asked for', () => {
    const cycle = asking('Everyone', 'In which city?');
    const work: OpenWork = {
      openRuns: () => [{ spec: runSpec({ runId: 'r' }), concluded: undefined, question: undefined }],
      openCycles: () => [cycle.now],
    };
    expect(openMailQuestions(work, testTools)).toEqual([]);
  });
});

it('says for whom a call works that waits for a person', () => {
  const cycle = new CycleUnderTest({ tools: ['send'] });
  const input = { to: 'x', text: 'y' };
  cycle.answer({ calls: [['send', input]] });
  const { argumentsDigest } = facts('send', input);
  expect(openApprovals(workOf(cycle))).toMatchObject([
    { tool: 'send', input, argumentsDigest, calls: 1, work: 'a letter of ann@example.org', runId: 'r' },
  ]);
});
