/** Mutants of what the agent begins by itself; see `mutant-list.mjs`. */
import { mutantsOfFile as of } from './mutants-of-file.mjs';

const jobs = 'packages/mind/src/parts/jobs';
const plan = [`${jobs}/plan-jobs.test.ts`];

export const jobMutants = [
  ...of('agent-pod/src/jobs-of-agent.ts', ['test/unit/job-label.test.ts'], {
    'jobs: a run of a job begins with the label of its maker': [
      '    ...(principal === undefined ? {} : { principal }),\n    label,',
      '    ...(principal === undefined ? {} : { principal }),',
    ],
  }),
  ...of('agent-pod/src/parts/jobs/job-tool.ts', ['agent-pod/src/parts/jobs/job-tools.test.ts'], {
    'jobs: a job carries the label of what its maker had read': [
      'cycleId, carried: label, parts, nowMs } = context;',
      "cycleId, parts, nowMs } = context;\n  const label = { source: { kind: 'Task' }, trust: 'Trusted', readers: ['owner'] } as const;",
    ],
  }),
  ...of(`${jobs}/jobs.ts`, plan, {
    'jobs: a moment is served once': [': { servedMs: Math.max(servedMs, momentMs) }),', ': {}),'],
  }),
  ...of(`${jobs}/plan-jobs.ts`, plan, {
    'jobs: one firing at a time': [
      'if (!isLasting(state) || state.open !== undefined) continue;',
      'if (!isLasting(state)) continue;',
    ],
    'jobs: work of its own has one slot': ['isOwn(state) ? OWN_SLOTS : limits.peopleSlots', 'limits.peopleSlots'],
    'jobs: a thousand at one moment begin in portions': ['this.#firings >= FIRINGS_AT_ONCE_MAX || ', ''],
  }),
  ...of('contract/src/schedule/catch-up.ts', ['contract/src/schedule/catch-up.test.ts'], {
    'jobs: catching up has a bound': [
      "countMax: catchUp === 'All' ? CATCH_UP_RUNS_MAX : 1,",
      "countMax: catchUp === 'All' ? Infinity : 1,",
    ],
  }),
  ...of('agent-pod/src/loop/oversight.ts', ['test/unit/budget.test.ts'], {
    'jobs: the ledger of its own time is that of the record': [
      'if (record.cycleId !== undefined) this.#take(record.cycleId, eventOf<CycleEvent>(record));',
      '',
    ],
  }),
];
