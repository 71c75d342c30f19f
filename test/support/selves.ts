/** What an agent knows of itself, for tests: nothing special, or as much as there can be. */
import { budgetFields } from '@retainer/mind/gate/budget/budget';
import { DIRECTIVES } from '@retainer/contract/api/task-status';
import type { Self } from '@retainer/mind/assemble/curator/curate';
import type { RunFigures } from '@retainer/mind/assemble/curator/figures';
import type { OwnRun, Place, SelfView } from '@retainer/mind/assemble/curator/view';

export const nowMs = Date.UTC(2030, 0, 1, 12, 0);

export const emptyMemory: SelfView['memory'] = {
  ...{ runs: 0, threads: 0, dormantThreads: 0, cases: 0, facts: 0, fadedFacts: 0, artifacts: 0, megrams: 0, files: 0 },
};

export function figures(changed: Partial<RunFigures> = {}): RunFigures {
  const base = {
    runId: 'work-1',
    task: 'work',
    outcome: 'Accepted',
    tokens: 100,
    endedAtMs: nowMs,
    keywords: ['rain'],
    domain: '',
    calls: [{ tool: 'look', ran: 1, failed: 0 }],
  };
  return { ...base, ...changed };
}

export function ownRun(changed: Partial<OwnRun> = {}): OwnRun {
  return { task: 'work', input: 'task', round: 1, levels: [], leftMs: 300_000, isClockStanding: false, ...changed };
}

/** A machine with a sandbox for two languages. */
export function somewhere(changed: Partial<Place> = {}): Place {
  return {
    sandbox: 'ready',
    runsOn: 'machine',
    languages: ['bash', 'python'],
    hosts: [],
    isRoot: false,
    timeoutMs: 60_000,
    processes: 128,
    memory: '512Mi',
    scratch: '256Mi',
    pages: [],
    ...changed,
  };
}

export function view(changed: Partial<SelfView> = {}): SelfView {
  return {
    nowMs,
    cycleId: 'work-1-c1',
    startedAtMs: nowMs - 3_900_000,
    cyclesToday: 0,
    queueDepth: 0,
    turns: 0,
    words: ['rain'],
    run: ownRun(),
    runs: [],
    recalls: { rate: 0, n: 0 },
    casesTold: { rate: 0, n: 0 },
    budgets: [],
    approvals: [],
    questions: [],
    areOutputsHeld: false,
    outputRejectionsInRow: 0,
    probesUnanswered: 0,
    patterns: [],
    delegations: [],
    tasks: [],
    codeFailedInRow: 0,
    events: [],
    integrity: { suspectFacts: 0, facts: 0, unreadRecords: 0 },
    calendar: { active: 0, own: 0, paused: 0, next: [], overdue: [], fired: 0, skipped: 0 },
    secondCopy: { late: {} },
    memory: emptyMemory,
    ...changed,
  };
}

export function self(changed: Partial<Self> = {}): Self {
  return { agent: 'default/agent, retainer 1.0.0', view: view(), items: {}, ...changed };
}

const LONG = '"<&>'.repeat(100);
/** An event has a name of code, and none is longer. */
const LONG_EVENT = 'x'.repeat(24);
const LONGEST_DIRECTIVE = DIRECTIVES.toSorted((a, b) => b.length - a.length)[0] ?? '';
const times = <T>(item: T): readonly T[] => Array.from({ length: 30 }, () => item);

const fullestRun = ownRun({
  ...{ task: LONG, input: 'schedule', forMs: nowMs, scheduledRun: 999_999_999, round: 999_999_999 },
  ...{ leftMs: 10 * 365 * 86_400_000, isClockStanding: true },
  steered: { directive: LONGEST_DIRECTIVE, d: 1, omega: 1 },
  levels: ['tokens', 'costUsd', 'toolCalls', 'replans'].map((field) => ({
    field,
    used: 999_999_999_999.5,
    max: 999_999_999.5,
  })),
});

function fullCalendar(atMs: number): SelfView['calendar'] {
  const entries = times({ jobId: LONG, kind: 'Appointment', for: 'Person', atMs });
  return {
    active: 999_999_999,
    own: 999_999_999,
    paused: 999_999_999,
    next: entries,
    overdue: entries,
    fired: 999_999_999,
    skipped: 999_999_999,
  };
}

/** Each list longer than what is shown of it, each name longer than any. */
export function fullest(): Self {
  const far = 10 * 365 * 86_400_000;
  const many = 999_999_999;
  return self({
    agent: LONG,
    affect: { desperation: 100, calm: 100, confidence: 100, frustration: 100, pressure: 100, trend: 'Stable' },
    view: {
      nowMs,
      cycleId: LONG,
      startedAtMs: nowMs - far,
      lastCycleMs: nowMs - far,
      cyclesToday: many,
      queueDepth: many,
      turns: many,
      thread: LONG,
      words: times(LONG),
      run: fullestRun,
      runs: Array.from({ length: 30 }, (_, at) => figures({ task: LONG, outcome: 'Abandoned', tokens: at * 1000 })),
      recalls: { rate: 1, n: many },
      casesTold: { rate: 1, n: many },
      budgets: budgetFields.map((field) => {
        return { field, used: many * 1000 + 0.5, max: many + 0.5 };
      }),
      approvals: times({ tool: LONG, task: LONG, askedAtMs: nowMs - far }),
      questions: times({ task: LONG, askedAtMs: nowMs - far }),
      tightening: 0.5,
      areOutputsHeld: true,
      outputRejectionsInRow: many,
      probesUnanswered: many,
      patterns: times({ name: 'RepeatedFailures', about: LONG, count: many, of: many }),
      delegations: times({
        name: LONG,
        task: LONG,
        turn: 999,
        turnsMax: 999,
        tokens: many,
        startedAtMs: nowMs - far,
        lastTool: LONG,
      }),
      tasks: times({ name: LONG, status: 'waits for its model', done: 999, total: 999, updatedAtMs: nowMs }),
      place: somewhere({
        ...{ runsOn: 'cluster', languages: ['bash', 'javascript', 'python'], isRoot: true, processes: 4096 },
        ...{ hosts: times(LONG), timeoutMs: 86_400_000, memory: '999999Mi', scratch: '999999Mi', pages: times(LONG) },
      }),
      codeFailedInRow: many,
      events: Array.from({ length: 30 }, (_, at) => ({
        ...{ name: LONG_EVENT, title: `${at % 4}${LONG}`, atMs: nowMs },
      })),
      integrity: { suspectFacts: many, facts: many, unreadRecords: many },
      mail: { unread: 999_999_999, held: 999_999_999, unanswered: 999_999_999 },
      calendar: fullCalendar(nowMs + far),
      secondCopy: {
        late: { Commit: { why: 'Late', sinceMs: nowMs - far }, Push: { why: 'Diverged', sinceMs: nowMs - far } },
        restoring: { from: 'f'.repeat(40), asOfMs: nowMs - far, restoredMs: nowMs },
      },
      memory: {
        ...{ runs: many, threads: many, dormantThreads: many, cases: many, facts: many, fadedFacts: many },
        ...{ artifacts: many, megrams: many, files: many, dreamtAtMs: nowMs - far },
      },
    },
    items: {
      counts: times(LONG),
      runs: times(LONG),
      threads: times(LONG),
      facts: times(LONG),
      cases: times(LONG),
      also: times(LONG),
    },
  });
}

/** Whether every tag is closed in its turn and no other angle bracket stands anywhere. */
export function isWellFormed(xml: string): boolean {
  const open: string[] = [];
  const rest = xml.replaceAll(
    /<(\/?)(\w+)((?: \w+="[^"<>]*")*)(\/?)>/g,
    (_whole, ...[end = '', name = '', , empty]: readonly string[]) => {
      if (end === '/' && open.pop() !== name) open.push('never closed');
      if (end === '' && empty === '') open.push(name);
      return '';
    },
  );
  return open.length === 0 && !/[<>]/.test(rest);
}
