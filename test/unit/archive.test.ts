/** What a run leaves in memory: one entry, one thread, one case at most, wherever the process dies. */
import { archiveMachine } from '@retainer/agent-pod/loop/archive-machine';
import type { ModelPort } from '@retainer/agent-pod/ports/ports';
import type { ArchiveEvent } from '@retainer/mind/archive/event';
import { replayMachine } from '@retainer/mind/replay/replay-machine';
import type { JournalRecord } from '@retainer/journal/journal';
import type { CaseWritten } from '@retainer/mind/parts/cases/cases';
import type { RunTelemetry } from '@retainer/mind/parts/narrative/run-telemetry';
import { beforeAll, describe, expect } from 'vitest';
import { scripted } from '../support/agents.ts';
import { archivist, toldCase, withArchivist } from '../support/archivist.ts';
import { crashPoints, play, World, worldAt, type Arrival } from '../support/crash-world.ts';
import { MemoryJournal } from '../support/memory-journal.ts';
import { roundScript, startRound } from '../support/round-script.ts';
import { oneChangeRun, oneChangeScript } from '../support/runs.ts';
import { verifies } from '../verifies.ts';

const kinds = ['RunRemembered', 'RunReflected', 'ThreadJoined', 'CaseWritten', 'CaseUsed'];

/** A case of an earlier run with the same words. */
const earlier: CaseWritten = {
  caseId: 'earlier-case',
  category: 'Strategy',
  problem: {
    input: oneChangeRun('r').intent,
    intent: '',
    domain: '',
    entities: [],
    keywords: [],
    complexity: 'Simple',
  },
  solution: { approach: 'Change it.', agents: ['Executor'], tools: ['change'], steps: [] },
  outcome: { status: 'Success', confidence: 1, assessment: 'Accepted', pitfalls: [] },
  label: { source: { kind: 'Task' }, trust: 'Trusted', readers: ['owner'] },
};

/** What the archive wrote, without the times of a process. Its stores do not wait for each other. */
function archived({ records }: MemoryJournal): readonly unknown[] {
  return kinds.flatMap((kind) =>
    records.filter((it) => it.kind === kind).map(({ payload, runId }) => [kind, runId, steady(payload)]),
  );
}

function steady(payload: unknown): unknown {
  const { startedAtMs: _, endedAtMs: __, tokens: ___, ...others } = payload as Readonly<Record<string, unknown>>;
  const { telemetry } = others as { readonly telemetry?: RunTelemetry };
  if (telemetry === undefined) return others;
  // A call that was lost and asked again is counted, and so are its tokens.
  const { usage: ____, modelCalls: _____, delegations, calls, ...steadily } = telemetry;
  const works = delegations.map(({ tokens: ______, ...work }) => work);
  return {
    ...others,
    telemetry: { ...steadily, delegations: works, calls: calls.map(({ tool, ran }) => [tool, ran]) },
  };
}

/** The entries, threads and cases alone, by their ids. */
function named({ records }: MemoryJournal): readonly unknown[] {
  const ids = ({ payload }: JournalRecord): unknown => {
    const { threadId, caseId } = payload as { readonly threadId?: string; readonly caseId?: string };
    return threadId ?? caseId;
  };
  return kinds.flatMap((kind) => records.filter((it) => it.kind === kind).map((it) => [kind, it.runId, ids(it)]));
}

interface Recorded {
  readonly name: string;
  readonly script: string;
  readonly arrivals: readonly Arrival[];
  /** Absent: the Archivist asks no model. */
  readonly asks?: true;
  /** What it comes to may differ after a crash, until it is concluded: a report that was lost does not come. */
  readonly asksAgain?: true;
  /** What is written, in the order of {@link kinds}. */
  readonly leaves: readonly unknown[];
}

const oneChange: readonly Arrival[] = [
  { originId: 'task:work', command: { type: 'StartRun', spec: oneChangeRun('r') } },
];
const counted = { models: ['m'], rounds: 1, verdicts: { met: 0, unmet: 0, unverified: 0 }, rejections: 0 };

const runs: readonly Recorded[] = [
  {
    name: 'without a model for the Archivist',
    script: oneChangeScript,
    arrivals: oneChange,
    leaves: [
      ['RunRemembered', 'r', { outcome: 'Succeeded', telemetry: counted }],
      ['RunReflected', 'r', { status: 'Fallback', by: 'Code' }],
      ['ThreadJoined', 'r', { threadId: 'thread-r', position: 1 }],
      ['CaseWritten', 'r', { caseId: 'r-case', outcome: { status: 'Success' } }],
    ],
  },
  {
    name: 'that the Archivist tells in full',
    script: withArchivist(oneChangeScript, { prose: 'The value is changed.', rest: toldCase }),
    arrivals: oneChange,
    asks: true,
    leaves: [
      ['RunRemembered', 'r', { outcome: 'Succeeded', telemetry: counted }],
      ['RunReflected', 'r', { status: 'Full', prose: 'The value is changed.', by: 'scripted', topics: ['values'] }],
      ['ThreadJoined', 'r', { threadId: 'thread-r', position: 1 }],
      ['CaseWritten', 'r', { category: 'Strategy', solution: { approach: 'Change it at once.', tools: ['change'] } }],
    ],
  },
  {
    name: 'that the Archivist tells with the words of the question',
    script: withArchivist(oneChangeScript, { prose: 'Two to six sentences, the result first.', rest: toldCase }),
    arrivals: oneChange,
    asks: true,
    asksAgain: true,
    leaves: [
      ['RunRemembered', 'r', {}],
      ['RunReflected', 'r', { status: 'Fallback', by: 'Code' }],
      ['ThreadJoined', 'r', { threadId: 'thread-r' }],
      ['CaseWritten', 'r', {}],
    ],
  },
  {
    name: 'of which the Archivist claims more than its calls show',
    script: withArchivist(oneChangeScript, {
      prose: 'The value is changed. It was sent with `fetch_url` to data/secret.csv.',
      rest: '<call tool="change"/><call tool="fetch_url" target="data/secret.csv"/>',
    }),
    arrivals: oneChange,
    asks: true,
    leaves: [
      ['RunRemembered', 'r', {}],
      [
        'RunReflected',
        'r',
        { status: 'Partial', prose: 'The value is changed.', reason: expect.stringContaining('fetch_url') },
      ],
      ['ThreadJoined', 'r', { threadId: 'thread-r' }],
    ],
  },
  {
    name: 'that was given up, with a report',
    script: withArchivist(roundScript, { prose: 'It was given up.', rest: toldCase }),
    arrivals: startRound('planned and hopeless', { maxReplans: 0, fastLoop: { maxRetries: 0 } }),
    asks: true,
    asksAgain: true,
    leaves: [
      ['RunRemembered', 'r', { outcome: 'Abandoned', telemetry: { rounds: 1 } }],
      ['RunReflected', 'r', { status: 'Full', prose: 'It was given up.' }],
      ['ThreadJoined', 'r', { threadId: 'thread-r' }],
      [
        'CaseWritten',
        'r',
        { category: 'Pitfall', outcome: { pitfalls: ['The value.', 'next: Ask somebody else.'], status: 'Failure' } },
      ],
    ],
  },
];

describe.each(runs)('a run $name', ({ script, arrivals, asks, asksAgain, leaves }) => {
  let model: ModelPort;
  const whole = new MemoryJournal();
  const end = new World();

  beforeAll(async () => {
    model = await scripted(script);
    if (asks === true) end.archivist = archivist;
    await play(whole, end, model, arrivals);
  });

  verifies('memory:archived-once', 'has an entry, what was thought of it, a thread, and a case at most', () => {
    expect(archived(whole)).toMatchObject(leaves);
    const [made] = whole.records.filter(({ kind }) => kind === 'CaseWritten');
    if (leaves.some((it) => JSON.stringify(it).includes('Ask somebody'))) expect(made?.principal).toBe('appraiser');
  });

  verifies('memory:archive-holds-up-nothing', 'is closed before any model is asked what to remember', () => {
    const at = (wanted: string): number => whole.records.findIndex(({ kind }) => kind === wanted);
    expect(at('RunRemembered')).toBeLessThan(at('RunClosed'));
    expect(at('ArchiveOpened')).toBeLessThan(at('RunClosed'));
    expect(at('ArchiveBegun')).toBeGreaterThan(at('RunClosed'));
  });

  verifies('memory:archive-replays', 'is archived again to the same bytes, from its record', () => {
    const recorded = whole.records
      .filter(({ store }) => store === 'archive')
      .map(({ kind, payload, store, seq, order, epoch }) => {
        const event = { kind, ...(payload as object) } as ArchiveEvent;
        return { event, store, seq, order, epoch };
      });
    const replayed = replayMachine(() => archiveMachine, recorded);
    expect(replayed).toMatchObject({ divergence: undefined, decidedOtherwise: [], otherInputs: 0, cutGroups: 0 });
    expect(replayed.inputs + replayed.decisions).toBe(recorded.length);
  });

  verifies('memory:archived-once', 'has the same after a crash at any record', async () => {
    const concludedAt = whole.records.findIndex(({ kind }) => kind === 'RunConcluded');
    for (const cut of crashPoints(whole.records, 1)) {
      const journal = new MemoryJournal(whole.records.slice(0, cut));
      await play(journal, worldAt(journal.records, end, 'DoneAndKnown'), model, arrivals);
      const isSame = asksAgain !== true || cut > concludedAt;
      const told = (of: MemoryJournal): readonly unknown[] => (isSame ? archived(of) : named(of));
      expect(told(journal), `cut before record ${cut}`).toEqual(told(whole));
    }
  });
});

describe('an archived run that was told a case', () => {
  let model: ModelPort;
  const whole = new MemoryJournal();
  const end = new World();

  beforeAll(async () => {
    model = await scripted(oneChangeScript);
    const head = { store: 'case', kind: 'CaseWritten', principal: 'archivist', runId: 'earlier' };
    await whole.append([{ ...head, payload: earlier }]);
    await play(whole, end, model, oneChange);
  });

  verifies('recall:credit', 'credits it once, wherever the process dies', async () => {
    const credit = { caseId: 'earlier-case', shown: true, cited: true, outcome: 'Success' };
    expect(archived(whole).at(-1)).toEqual(['CaseUsed', 'r', credit]);
    for (const cut of crashPoints(whole.records, 1)) {
      const journal = new MemoryJournal(whole.records.slice(0, cut));
      await play(journal, worldAt(journal.records, end, 'DoneAndKnown'), model, oneChange);
      expect(archived(journal), `cut before record ${cut}`).toEqual(archived(whole));
    }
  });
});
