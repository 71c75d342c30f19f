/** The commands about jobs that pages print for a cluster, and how each is run by a test. */
import type { CommandRow } from './command-row.ts';

const typed = (says: string): CommandRow => ({ how: 'Elsewhere', test: 'test/e2e/jobs.test.ts', of: 'e2e:jobs', says });

export const jobsCommandRows: Readonly<Record<string, CommandRow>> = {
  'retainer jobs list -n NAMESPACE --agent NAME': typed("retainer('jobs', 'list', ...place())"),
  'retainer jobs show ID -n NAMESPACE --agent NAME': typed("retainer('jobs', 'show', JOB, ...place())"),
  'retainer jobs pause ID -n NAMESPACE --reason TEXT': typed("retainer('jobs', 'pause', JOB, '--reason'"),
  'retainer jobs cancel ID -n NAMESPACE --reason TEXT': typed("retainer('jobs', 'cancel', JOB, '--reason'"),
};
