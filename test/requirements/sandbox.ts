import type { Requirements } from './requirement.ts';

export const sandboxRequirements = {
  'reliability-security 7': {
    'sandbox:reaches-nothing':
      'No flow leaves a sandbox: TCP, UDP, DNS, metadata addresses, IPv4 and IPv6, named and abstract sockets',
    'sandbox:sees-nothing-outside':
      'A script sees no file, process or environment of the host but the read-only system and its workspace',
    'sandbox:changes-nothing-outside': 'No file outside the workspace changes, by path, link, descriptor or mount',
    'sandbox:room-of-the-run':
      'What the programs of one run may add to the workspace is counted in the record: a restart, or any number of other runs, gives it no second budget',
    'sandbox:scratch-cleared':
      'At the end of a run, what its programs left in directories for scratch is cleared, with a record of how many files and bytes; what the Task or the result names stays, and so does what others wrote',
    'sandbox:contains-abuse':
      'Fork bombs, memory balloons, disk and log floods, endless loops and signal games end at their limit and leave nothing behind',
    'sandbox:output-is-data': 'Output is kept up to its limit, the rest counted, and terminal escapes are left as data',
  },
  'reliability-security 3': {
    'sandbox:kernel-refuses':
      'No capability, no new privilege, no namespace, and a system call filter that refuses what no script needs',
  },
  'artoo A.15': {
    'sandbox:keeps-read-only-paths':
      'Read-only paths of a workspace stay as they are whatever the script does, by every known bypass of a command filter',
  },
  'reliability-security 4, 7': {
    'sandbox:takes-changes':
      'A script works on a copy of what it sees; what it may not change, or did not see, stays as it is, and its result says so',
  },
  'reliability-security 4': {
    'sandbox:runs-no-planted-code':
      'A file of the workspace runs only in a program that names it: no start file, hook, script of a package or module in the place of a system module',
  },
  'design 4': {
    'sandbox:never-unisolated': 'Where isolation is not proven, nothing runs and the exact remedy is named',
  },
  'design 5': {
    'sandbox:runs-once-per-key': 'A run is found again by its idempotency key and never repeated',
  },
} as const satisfies Requirements;
