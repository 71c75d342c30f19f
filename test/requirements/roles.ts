import type { Requirements } from './requirement.ts';

export const roleRequirements = {
  'artoo C; design 5': {
    'roles:a-worker-is-data':
      'a row of the table of roles and its duties are a new specialist: a plan names it for a subtask, the cycle has its model, limits and tools, the gates judge it by its own override, and the record says who it was',
  },
  'artoo C, A.4': {
    'roles:unknown-worker':
      'a plan that names a worker who is not there, or a tool that its worker lacks, is sent back with the reason',
  },
} as const satisfies Requirements;
