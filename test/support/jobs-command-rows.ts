/** Rows of `documented-commands.ts` for docs/jobs.md and the runbooks of jobs, and for what docs/cli.md says of jobs and work. */
import type { CommandRow } from './command-row.ts';

const JOBS = 'test/integration/cli-jobs.test.ts';
const WORK = 'test/unit/work-command.test.ts';

const typed = (says: string): CommandRow => ({ how: 'Elsewhere', test: 'test/e2e/jobs.test.ts', of: 'e2e:jobs', says });

export const jobsCommandRows: Readonly<Record<string, CommandRow>> = {
  // For a cluster.
  'retainer jobs list -n NAMESPACE --agent NAME': typed("retainer('jobs', 'list', ...place())"),
  'retainer jobs show ID -n NAMESPACE --agent NAME': typed("retainer('jobs', 'show', JOB, ...place())"),
  'retainer jobs pause ID -n NAMESPACE --reason TEXT': typed("retainer('jobs', 'pause', JOB, '--reason'"),
  'retainer jobs cancel ID -n NAMESPACE --reason TEXT': typed("retainer('jobs', 'cancel', JOB, '--reason'"),

  // Of docs/cli.md.
  'retainer jobs show ID': { how: 'Elsewhere', test: JOBS, of: 'cli-jobs:told', says: "jobs('show', " },
  'retainer jobs pause ID --reason TEXT': { how: 'Elsewhere', test: JOBS, of: 'cli-jobs:word', says: "jobs('pause', " },
  'retainer jobs resume ID --reason TEXT': {
    ...{ how: 'Elsewhere', test: JOBS, of: 'cli-jobs:word', says: "jobs('resume', " },
  },
  'retainer jobs cancel ID --reason TEXT': {
    ...{ how: 'Elsewhere', test: JOBS, of: 'cli-jobs:word', says: "jobs('cancel', " },
  },
  'retainer jobs run-now ID --reason TEXT': {
    ...{ how: 'Elsewhere', test: JOBS, of: 'cli-jobs:word', says: "jobs('run-now', " },
  },
  'retainer work show ID': { how: 'Elsewhere', test: WORK, of: 'cli-jobs:work-told', says: "work('show', " },
  'retainer work abandon ID --reason TEXT': {
    ...{ how: 'Elsewhere', test: WORK, of: 'cli-jobs:work-told', says: "work('abandon', " },
  },
  'retainer work delete ID --reason TEXT': {
    ...{ how: 'Elsewhere', test: WORK, of: 'cli-jobs:work-told', says: "work('delete', " },
  },

  // Of docs/jobs.md, which names the place.
  'npx retainer run -f manifests/calendar --data /tmp/calendar --watch': {
    ...{ how: 'Elsewhere', test: 'test/integration/calendar.test.ts', of: 'jobs:example' },
    says: "startRetainer(['run', '-f', copy, '--data', watched, '--watch'])",
  },
  'retainer explain RUN': {
    how: 'Elsewhere',
    test: JOBS,
    of: 'cli-jobs:word',
    says: "retainer('explain', 'job-weekly'",
  },
  'kubectl get agent NAME -o yaml': { how: 'Run', shows: /^kind: Agent$/m, with: '-n NAMESPACE' },
  'retainer jobs list --agent NAME -n NAMESPACE': {
    ...{ how: 'As', row: 'retainer jobs list -n NAMESPACE --agent NAME' },
  },
  'retainer jobs show ID --agent NAME -n NAMESPACE': { how: 'As', row: 'retainer jobs show ID' },
  'retainer jobs pause ID --reason TEXT --agent NAME -n NAMESPACE': {
    ...{ how: 'As', row: 'retainer jobs pause ID --reason TEXT' },
  },
};
