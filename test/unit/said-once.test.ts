/** However a run ends, each place where people read its last words says every sentence of them once. */
import type { JournalRecord } from '@retainer/contract/wire/record';
import { AgentControl } from '@retainer/contract/api/agent-control';
import { finalStatus } from '@retainer/agent-pod/deliver/task-status-body';
import { tellRun } from '@retainer/agent-pod/review/tell-records';
import { renderStory } from '@retainer/mind/explain/render-story';
import { describe, expect, it } from 'vitest';
import { renderResults } from '../../cli/src/render-results.ts';
import { criterion, judged, merged, perceived, planned, rareScenarios, scenarios } from '../support/run-scenarios.ts';
import { RunWorld, type Mind, type Thinking, type WorldOptions } from '../support/run-world.ts';
import { DECIDERS } from '@retainer/mind/cycle/deciders';

const [plain] = scenarios;
if (plain === undefined) throw new Error('there is a plain scenario');

const spec = {
  ...plain.spec,
  criteria: [criterion('The sum of both is named'), criterion('The source of both is named')],
  control: AgentControl.parse({ maxReplans: 2, worseningRoundsMax: 9 }),
};

/** Says one thing in all of its places. */
const parrot: Thinking = {
  value: {
    done: ['The file is not there, says the tool.'],
    missing: ['The file is not there, says the tool.', 'the file is not there'],
    nextMoves: ['Put the file where it belongs.', 'Put the file where it belongs'],
  },
};

const but =
  (other: (...given: Parameters<Mind>) => Thinking | undefined): Mind =>
  (purpose, cycle) =>
    other(purpose, cycle) ?? (purpose.role === 'Perceiver' ? perceived('Plan') : plain.mind(purpose, cycle));

const report: Mind = (_, cycle) => (cycle.structured === 'AbandonReport' ? parrot : undefined);

/** Two subtasks for every round, each in other words. */
const pairs: Mind = (purpose, cycle) =>
  report(purpose, cycle) ??
  (purpose.role === 'Planner'
    ? planned([`Look here in round ${purpose.round}`, `Look there in round ${purpose.round}`])
    : undefined);

interface End extends Pick<WorldOptions, 'spec' | 'mind' | 'happenings'> {
  readonly name: string;
}

const cutOff: Thinking = {
  outcome: 'OutOfBudget',
  text: '',
  reason: 'the last calls were alike and brought nothing new',
};

const ends: readonly End[] = [
  ...scenarios,
  ...rareScenarios,
  {
    name: 'both parts fail alike in every round',
    spec,
    mind: but(
      (purpose, cycle) =>
        pairs(purpose, cycle) ?? (purpose.role === 'AgentValidator' ? judged(purpose, false) : undefined),
    ),
  },
  {
    name: 'both parts are cut off alike',
    spec,
    mind: but((purpose, cycle) => pairs(purpose, cycle) ?? (purpose.role === 'Executor' ? cutOff : undefined)),
  },
  {
    name: 'the whole is refused for one reason on two criteria',
    spec,
    mind: but(
      (purpose, cycle) =>
        report(purpose, cycle) ??
        (purpose.role === 'Planner' ? planned([`Look here in round ${purpose.round}`]) : undefined) ??
        (purpose.role === 'MetaValidator' ? merged([], 2, false) : undefined),
    ),
  },
  {
    name: 'no plan is made',
    spec,
    mind: but(({ role }) =>
      role === 'Planner' ? { outcome: 'Failed', reason: 'Malformed', modelCalls: 3 } : undefined,
    ),
  },
  {
    name: 'a person stops it',
    spec,
    mind: but((purpose, cycle) => pairs(purpose, cycle)),
    happenings: [
      { atMs: 2500, input: { kind: 'RunCancelled', atMs: 2500, by: 'ada', reason: 'it is wanted no more' } },
    ],
  },
];

const WORDS_MIN = 4;

/** Each part between marks that has enough words to be one. */
function sentencesIn(text: string): readonly string[] {
  return text
    .split(/\n|[.;:!?](?:\s|$)|[()]/)
    .map((it) => it.replaceAll(/\s+/g, ' ').trim().toLowerCase())
    .filter((it) => it.split(' ').length >= WORDS_MIN);
}

function repeatedIn(text: string): readonly string[] {
  const sentences = sentencesIn(text);
  return sentences.filter((it, at) => sentences.indexOf(it) !== at);
}

function recordsOf(world: RunWorld): readonly JournalRecord[] {
  return world.events.map((event, seq) => {
    const { kind, ...payload } = event.kind === 'RunAdmitted' ? { ...event, deciders: DECIDERS } : event;
    const place = { version: 1, seq, order: seq, epoch: 1, timeMs: world.nowMs, prev: '', hash: '' };
    return { store: 'run', kind, principal: 'agent', payload: payload as never, runId: 'r', ...place };
  });
}

describe.each(ends)('$name: no sentence is said twice', ({ spec: own, mind, happenings }) => {
  const world = new RunWorld({ spec: own, mind, ...(happenings === undefined ? {} : { happenings }) }).play();
  const { kind: _, ...conclusion } = world.concluded;

  it('at the end of a command', () => {
    const result = { task: 'top', runId: 'r', end: conclusion.outcome, isFromRecord: false } as const;
    const results = [{ ...result, conclusion: { ...conclusion, workedMs: 1 } }];
    const lines = renderResults(results, { columns: 100_000, characterFile: 'character.yaml' });
    expect(repeatedIn(lines.map(({ text }) => text).join('\n'))).toEqual([]);
  });

  it('in the status of its Task', () => {
    const identity = { task: 'top', runId: 'r', characterDigest: 'c', generation: 1, before: [] };
    const { summary = '' } = finalStatus({
      ...identity,
      result: conclusion,
      resultRef: { path: 'r', digest: 'd' },
    });
    expect(repeatedIn(summary)).toEqual([]);
  });

  it('where its conclusion is explained, nor is it said before in its steps', () => {
    const story = tellRun(recordsOf(world));
    if (story === undefined) throw new Error('the run was admitted');
    const text = renderStory(story, { full: false, instant: String }).map((it) => it.text);
    const end = text.findIndex((it) => it.startsWith('Outcome: '));
    expect(repeatedIn(text.slice(end).join('\n'))).toEqual([]);
    for (const reason of story.conclusion?.reasons ?? [])
      expect(text.filter((it) => it.includes(reason))).toHaveLength(1);
  });
});
