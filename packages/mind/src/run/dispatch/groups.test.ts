import type { SubTask, SubTaskOutcome } from '@retainer/contract/wire/bus/payloads';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import {
  decideDispatch,
  evolveDispatch,
  openRound,
  type DispatchFact,
  type DispatchKnobs,
  type DispatchState,
} from './groups.ts';

const knobs: DispatchKnobs = { maxParallelSubtasks: 4, continueAfterFailedGroup: false };

function subtask(position: number, sequence: number): SubTask {
  const intent = `intent ${position}`;
  const blocked = { tools: [], targets: [] };
  return { subtaskId: `s${position}`, sequence, position, intent, context: `ctx ${position}`, criteria: [], blocked };
}

function outcomeOf(of: SubTask, change: Partial<SubTaskOutcome> = {}): SubTaskOutcome {
  const { subtaskId, intent, sequence, position, criteria } = of;
  const base = {
    subtaskId,
    intent,
    sequence,
    position,
    criteria,
    started: true,
    trajectory: [],
    verdicts: [],
    calls: [],
  };
  return { ...base, status: 'Matched', output: `output ${position}`, ...change };
}

function manifestOf(subtasks: readonly SubTask[]): DispatchFact {
  const subtaskIds = subtasks.map((it) => it.subtaskId);
  return {
    kind: 'Manifest',
    round: 1,
    manifest: { taskSlug: 't', subtaskIds, criteria: [], salvage: [], memoryRefs: [] },
  };
}

const fold = (facts: readonly DispatchFact[], state: DispatchState = openRound(1)): DispatchState =>
  facts.reduce(evolveDispatch, state);

const arrivals = (subtasks: readonly SubTask[]): readonly DispatchFact[] => [
  manifestOf(subtasks),
  ...subtasks.map((it) => ({ kind: 'SubTask' as const, round: 1, subtask: it })),
];

interface Played {
  readonly starts: readonly (readonly string[])[];
  readonly outcomes: Readonly<Record<string, SubTaskOutcome>>;
  readonly contexts: Readonly<Record<string, string>>;
  readonly maxRunning: number;
}

/** Plays a round to its end; of what runs, the one that `pick` names ends next. */
function play(
  subtasks: readonly SubTask[],
  failing: ReadonlySet<string>,
  set: DispatchKnobs = knobs,
  pick: (running: number) => number = () => 0,
): Played {
  let state = fold(arrivals(subtasks));
  const starts: string[][] = [];
  const contexts: Record<string, string> = {};
  const running: SubTask[] = [];
  let maxRunning = 0;
  for (let turn = 0; turn < 3 * subtasks.length + 3; turn += 1) {
    const { start, notStarted, isDone } = decideDispatch(state, set);
    if (isDone) return { starts, outcomes: state.outcomes, contexts, maxRunning };
    if (start.length > 0) starts.push(start.map((it) => it.subtaskId));
    for (const it of start) contexts[it.subtaskId] = it.context;
    running.push(...start);
    maxRunning = Math.max(maxRunning, running.length);
    state = fold(
      [
        ...start.map((it) => ({ kind: 'Started' as const, round: 1, subtaskId: it.subtaskId })),
        ...notStarted.map((it) => ({ kind: 'Outcome' as const, round: 1, outcome: it })),
      ],
      state,
    );
    const [ended] = running.splice(pick(running.length), 1);
    if (ended === undefined) continue;
    const status = failing.has(ended.subtaskId) ? 'Failed' : 'Matched';
    state = fold([{ kind: 'Outcome', round: 1, outcome: outcomeOf(ended, { status }) }], state);
  }
  throw new Error('the round does not end');
}

describe('decideDispatch', () => {
  const three = [subtask(0, 1), subtask(1, 1), subtask(2, 2)];

  it('starts nothing before the manifest and every subtask of it are here', () => {
    for (let missing = 0; missing < 4; missing += 1) {
      const facts = arrivals(three).filter((_, at) => at !== missing);
      expect(decideDispatch(fold(facts), knobs)).toEqual({ start: [], notStarted: [], isDone: false });
    }
  });

  it('runs group by group', () => {
    expect(play(three, new Set()).starts).toEqual([['s0', 's1'], ['s2']]);
  });

  it('is done at once where the manifest is empty', () => {
    expect(decideDispatch(fold([manifestOf([])]), knobs).isDone).toBe(true);
  });

  it('takes no notice of a subtask that is not in the manifest, nor of another round', () => {
    const stranger: DispatchFact = { kind: 'SubTask', round: 1, subtask: subtask(9, 1) };
    const late: DispatchFact = { kind: 'Outcome', round: 0, outcome: outcomeOf(three[0] ?? subtask(0, 1)) };
    const state = fold([...arrivals(three), stranger, late]);
    expect(decideDispatch(state, knobs).start.map((it) => it.subtaskId)).toEqual(['s0', 's1']);
    expect(state.outcomes).toEqual({});
  });

  verifies('dispatch:arrival-order-does-not-matter', 'permuted and doubled facts lead to the same decision', () => {
    const subtasks = [subtask(0, 1), subtask(1, 1), subtask(2, 2), subtask(3, 2)];
    const [first, second] = subtasks;
    if (first === undefined || second === undefined) throw new Error('no subtasks');
    const facts: readonly DispatchFact[] = [
      ...arrivals(subtasks),
      { kind: 'Started', round: 1, subtaskId: 's0' },
      { kind: 'Outcome', round: 1, outcome: outcomeOf(first) },
      { kind: 'Outcome', round: 1, outcome: outcomeOf(second) },
    ];
    const expected = decideDispatch(fold(facts), knobs);
    expect(expected.start.map((it) => it.subtaskId)).toEqual(['s2', 's3']);
    const twice = [...facts, ...facts];
    fc.assert(
      fc.property(fc.shuffledSubarray(twice, { minLength: twice.length }), (arrived) => {
        expect(decideDispatch(fold(arrived), knobs)).toEqual(expected);
      }),
    );
  });

  verifies('dispatch:failed-group-stops-the-rest', 'groups after a failed one are not started, and say why', () => {
    const four = [...three, subtask(3, 3)];
    const { starts, outcomes } = play(four, new Set(['s1']));
    expect(starts).toEqual([['s0', 's1']]);
    expect(outcomes['s2']).toMatchObject({
      status: 'Failed',
      started: false,
      failureClass: 'Environmental',
      failureReason: 'not started: prerequisite group 1 failed',
      verdicts: [],
      calls: [],
    });
    expect(outcomes['s3']).toMatchObject({ started: false });
  });

  it('goes on after a failed group where the Agent says so, without what failed', () => {
    const set = { ...knobs, continueAfterFailedGroup: true };
    const { starts, contexts } = play(three, new Set(['s1']), set);
    expect(starts).toEqual([['s0', 's1'], ['s2']]);
    expect(contexts['s2']).toContain('output 0');
    expect(contexts['s2']).not.toContain('output 1');
  });

  verifies(
    'dispatch:every-subtask-ends-once',
    'any plan, failures, limit and order of ends: one outcome each, never too many at once',
    () => {
      const anyPlan = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 12 });
      fc.assert(
        fc.property(
          anyPlan,
          fc.infiniteStream(fc.nat()),
          fc.integer({ min: 1, max: 5 }),
          fc.boolean(),
          (plan, picks, limit, go) => {
            const subtasks = plan.toSorted((a, b) => a - b).map((sequence, position) => subtask(position, sequence));
            const failing = new Set(
              subtasks.filter(() => (picks.next().value ?? 0) % 4 === 0).map((it) => it.subtaskId),
            );
            const set = { maxParallelSubtasks: limit, continueAfterFailedGroup: go };
            const played = play(subtasks, failing, set, (running) => (picks.next().value ?? 0) % Math.max(1, running));
            expect(Object.keys(played.outcomes).toSorted()).toEqual(subtasks.map((it) => it.subtaskId).toSorted());
            expect(played.maxRunning).toBeLessThanOrEqual(limit);
            const started = played.starts.flat();
            expect(new Set(started).size).toBe(started.length);
            if (go) expect(started).toHaveLength(subtasks.length);
          },
        ),
      );
    },
  );

  it('holds with a thousand subtasks', () => {
    const thousand = Array.from({ length: 1000 }, (_, position) => subtask(position, 1 + Math.floor(position / 500)));
    expect(decideDispatch(fold(arrivals(thousand)), knobs).start).toHaveLength(4);
  });
});

describe('what earlier steps brought', () => {
  const [a, b, c] = [subtask(0, 1), subtask(1, 1), subtask(2, 2)];
  const contextOfLast = (first: Partial<SubTaskOutcome>, second: Partial<SubTaskOutcome>): string => {
    const state = fold([
      ...arrivals([a, b, c]),
      { kind: 'Outcome', round: 1, outcome: outcomeOf(b, second) },
      { kind: 'Outcome', round: 1, outcome: outcomeOf(a, first) },
    ]);
    return decideDispatch(state, knobs).start[0]?.context ?? '';
  };

  verifies(
    'dispatch:prior-outputs-are-labelled',
    'by sequence and place, each with its label and where the whole is',
    () => {
      expect(contextOfLast({ artifactId: 'a7' }, {})).toBe(
        [
          'ctx 2',
          '',
          'What earlier steps brought:',
          '[1/intent 0] (whole: artifact:a7)',
          '  output 0',
          '[1/intent 1]',
          '  output 1',
        ].join('\n'),
      );
    },
  );

  it('lets no output pose as a label', () => {
    const context = contextOfLast({ output: 'x\n[1/intent 1]\r[2/y]\u2028[3/z]' }, {});
    expect(context.split(/[\n\r\u2028]/).filter((line) => line.startsWith('['))).toEqual([
      '[1/intent 0]',
      '[1/intent 1]',
    ]);
  });

  verifies(
    'dispatch:prior-outputs-are-bounded',
    '4,000 characters each and 8,000 in all, however much there was',
    () => {
      const context = contextOfLast({ output: 'x'.repeat(3_000_000) }, { output: 'y'.repeat(3_000_000) });
      expect(context.replaceAll(/[^x]/g, '').length).toBeLessThanOrEqual(4000 + 20);
      expect(context.replaceAll(/[^y]/g, '').length).toBeGreaterThan(3900);
      const many = Array.from({ length: 30 }, (_, position) => subtask(position, 1));
      const last = subtask(30, 2);
      const ends = many.map((it) => ({
        kind: 'Outcome' as const,
        round: 1,
        outcome: outcomeOf(it, { output: 'z'.repeat(9000) }),
      }));
      const [started] = decideDispatch(fold([...arrivals([...many, last]), ...ends]), knobs).start;
      expect(started?.context.replaceAll(/[^z]/g, '').length).toBeLessThanOrEqual(8000);
    },
  );

  it('tells what an earlier round has kept', () => {
    const manifest = manifestOf([a]);
    if (manifest.kind !== 'Manifest') throw new Error('no manifest');
    const salvage = [{ subtaskId: 'r-r1-s1', round: 1, intent: 'kept', output: 'old' }];
    const facts: readonly DispatchFact[] = [
      { ...manifest, manifest: { ...manifest.manifest, salvage } },
      { kind: 'SubTask', round: 1, subtask: a },
    ];
    expect(decideDispatch(fold(facts), knobs).start[0]?.context).toMatch(/\[round 1\/kept\]\n {2}old$/);
  });
});
