import type { Requirements } from './requirement.ts';

export const sandboxRequirements = {
  'sandbox:reaches-nothing': {
    source: 'reliability-security 7',
    behavior: 'No flow leaves a sandbox: TCP, UDP, DNS, metadata addresses, IPv4 and IPv6, named and abstract sockets',
  },
  'sandbox:sees-nothing-outside': {
    source: 'reliability-security 7',
    behavior: 'A script sees no file, process or environment of the host but the read-only system and its workspace',
  },
  'sandbox:changes-nothing-outside': {
    source: 'reliability-security 7',
    behavior: 'No file outside the workspace changes, by path, link, descriptor or mount',
  },
  'sandbox:kernel-refuses': {
    source: 'reliability-security 3',
    behavior:
      'No capability, no new privilege, no namespace, and a system call filter that refuses what no script needs',
  },
  'sandbox:keeps-read-only-paths': {
    source: 'artoo A.15',
    behavior:
      'Read-only paths of a workspace stay as they are whatever the script does, by every known bypass of a command filter',
  },
  'sandbox:takes-changes': {
    source: 'reliability-security 4, 7',
    behavior:
      'A script works on a copy of what it sees; what it may not change, or did not see, stays as it is, and its result says so',
  },
  'sandbox:room-of-the-run': {
    source: 'reliability-security 7',
    behavior:
      'What the programs of one run may add to the workspace is counted in the record: a restart, or any number of other runs, gives it no second budget',
  },
  'sandbox:scratch-cleared': {
    source: 'reliability-security 7',
    behavior:
      'At the end of a run, what its programs left in directories for scratch is cleared, with a record of how many files and bytes; what the Task or the result names stays, and so does what others wrote',
  },
  'sandbox:runs-no-planted-code': {
    source: 'reliability-security 4',
    behavior:
      'A file of the workspace runs only in a program that names it: no start file, hook, script of a package or module in the place of a system module',
  },
  'sandbox:contains-abuse': {
    source: 'reliability-security 7',
    behavior:
      'Fork bombs, memory balloons, disk and log floods, endless loops and signal games end at their limit and leave nothing behind',
  },
  'sandbox:output-is-data': {
    source: 'reliability-security 7',
    behavior: 'Output is kept up to its limit, the rest counted, and terminal escapes are left as data',
  },
  'sandbox:never-unisolated': {
    source: 'design 4',
    behavior: 'Where isolation is not proven, nothing runs and the exact remedy is named',
  },
  'sandbox:runs-once-per-key': {
    source: 'design 5',
    behavior: 'A run is found again by its idempotency key and never repeated',
  },
} as const satisfies Requirements;
