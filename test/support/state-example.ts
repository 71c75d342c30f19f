/** The agent of `docs/state.md`. */
import { curate } from '@retainer/mind/assemble/curator/curate';
import { measureAffect } from '@retainer/mind/parts/affect/measure';
import { emptyMemory, figures, nowMs, ownRun, self, somewhere, view } from './selves.ts';

const minutes = (count: number): number => nowMs - count * 60_000;

const done = ['rain-of-may', 'rows-of-april', 'rate-of-june', 'rows-of-may', 'rain-of-june'].map((task, at) =>
  figures({
    runId: `${task}-1`,
    task,
    tokens: 4000 + at * 100,
    endedAtMs: minutes(600 - at * 60),
    keywords: ['rain', 'month'],
  }),
);
const failed = figures({
  ...{ runId: 'chart-1', task: 'chart-of-the-year', outcome: 'Abandoned', tokens: 9000, endedAtMs: minutes(150) },
  ...{ keywords: ['chart', 'year'], calls: [{ tool: 'run_code', ran: 2, failed: 2 }] },
});

/** What its worker is told. */
export function exampleState(): string {
  const told = curate(
    'Executor',
    self({
      agent: 'weather/analyst, retainer 0.1.0',
      view: view({
        ...{ cycleId: 'rate-of-the-year-7f3c-c2', startedAtMs: minutes(12), lastCycleMs: minutes(20), cyclesToday: 23 },
        ...{ thread: 'weather — data/rain.csv', words: ['rate', 'year'] },
        run: ownRun({
          ...{ task: 'rate-of-the-year', round: 2, leftMs: 7 * 60_000 },
          steered: { directive: 'Refine', d: 0.34, omega: 0.12 },
          levels: [
            { field: 'tokens', used: 18_900, max: 20_000 },
            { field: 'replans', used: 1, max: 3 },
          ],
        }),
        runs: [...done, failed],
        recalls: { rate: 0.5, n: 4 },
        casesTold: { rate: 1 / 3, n: 6 },
        budgets: [{ field: 'tokensPerDay', used: 61_200, max: 1_000_000 }],
        questions: [{ task: 'chart-of-the-year', askedAtMs: minutes(125) }],
        place: somewhere({ runsOn: 'cluster', languages: ['bash', 'python'], pages: ['meteo.example'] }),
        codeFailedInRow: 2,
        events: [{ name: 'restart', title: 'the program started again', atMs: minutes(12) }],
        tasks: [
          { name: 'rate-of-the-year', status: 'working', done: 1, total: 2, updatedAtMs: nowMs },
          { name: 'chart-of-the-year', status: 'waits for a person', done: 0, total: 1, updatedAtMs: minutes(125) },
        ],
        integrity: { suspectFacts: 1, facts: 9, unreadRecords: 0 },
        memory: { ...emptyMemory, ...{ runs: 6, threads: 2, cases: 4, facts: 11, megrams: 3, files: 8 } },
      }),
      affect: measureAffect({
        ...{ toolCalls: 4, toolFailures: 2, retries: 1, gateRejections: 0, gateModifications: 0 },
        ...{ outputRejectionsInRow: 0, failuresInRow: 1, delegations: 1, delegationFailures: 0 },
        ...{ successRate: 5 / 6, recallRate: 0.5, budgetPressure: 0.8 },
      }),
    }),
    8000,
  );
  return told?.text ?? '';
}
