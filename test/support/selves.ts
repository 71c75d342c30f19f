/** What an agent knows of itself, for tests: nothing special, or as much as there can be. */
import type { Self } from '@retainer/mind/assemble/curator/curate';
import type { RunFigures } from '@retainer/mind/assemble/curator/figures';
import type { SelfView } from '@retainer/mind/assemble/curator/sensorium';

export const nowMs = Date.UTC(2030, 0, 1, 12, 0);

export function figures(changed: Partial<RunFigures> = {}): RunFigures {
  const base = {
    task: 'work',
    outcome: 'Accepted',
    tokens: 100,
    endedAtMs: nowMs,
    keywords: ['rain'],
    tools: ['look'],
  };
  return { ...base, ...changed };
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
    run: { task: 'work', round: 1 },
    runs: [],
    recalls: { rate: 0, n: 0 },
    budgets: [],
    approvals: [],
    areOutputsHeld: false,
    outputRejectionsInRow: 0,
    delegations: [],
    tasks: [],
    languages: [],
    events: [],
    integrity: { suspectFacts: 0, facts: 0, unreadRecords: 0 },
    memory: { threads: 0, cases: 0, facts: 0, artifacts: 0, megrams: 0, files: 0 },
    ...changed,
  };
}

export function self(changed: Partial<Self> = {}): Self {
  return { agent: 'default/agent, retainer 1.0.0', view: view(), items: {}, ...changed };
}

const LONG = '"<&>'.repeat(100);
const times = <T>(item: T): readonly T[] => Array.from({ length: 30 }, () => item);

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
      run: { task: LONG, round: many, steered: { directive: LONG, d: 1, omega: 1 } },
      runs: times(figures({ task: LONG, outcome: 'Abandoned' })),
      recalls: { rate: 1, n: many },
      budgets: ['tokensPerHour', 'tokensPerDay', 'costUsdPerDay', 'toolCallsPerDay'].map((field) => {
        return { field, used: many, max: many };
      }),
      approvals: times({ tool: LONG, task: LONG, askedAtMs: nowMs - far }),
      tightening: 0.5,
      areOutputsHeld: true,
      outputRejectionsInRow: many,
      delegations: times({
        name: LONG,
        task: LONG,
        turn: 99,
        turnsMax: 99,
        tokens: many,
        startedAtMs: nowMs - far,
        lastTool: LONG,
      }),
      tasks: times({ name: LONG, status: 'waits for a person', done: 99, total: 99, updatedAtMs: nowMs }),
      languages: ['bash', 'javascript', 'python'],
      events: times({ name: LONG, title: LONG, atMs: nowMs }),
      integrity: { suspectFacts: many, facts: many, unreadRecords: many },
      memory: { threads: many, cases: many, facts: many, artifacts: many, megrams: many, files: many },
    },
    items: { counts: times(LONG), runs: times(LONG), threads: times(LONG), facts: times(LONG), cases: times(LONG) },
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
