/**
 * What of the tests is in the gate, and what is not: `docs/testing.md` says why. The stages `unit`, `chart` and `cluster` have all of
 * their files but those of the night; of `integration` and `e2e` the gate has those that are named here.
 */
export const GATE = {
  integration: [
    // A kill, at any moment.
    ...['sigkill', 'journal-process', 'operator-crash'],
    // A disk that is full or damaged.
    ...['volume-full', 'agent-volume-full', 'journal-corruption', 'journal-whole'],
    // What gets out of a sandbox.
    ...['sandbox-escape', 'sandbox-network', 'sandbox-view', 'programs-believe', 'quarantine-reader', 'secrets'],
    // A whole Task, and people in its way.
    ...['one-task', 'cli-run', 'cli-override', 'cli-installed', 'cli-skill', 'serve'],
    // What remembers and watches.
    ...['cli-memory', 'backup-watch', 'audit-permissions', 'redis-bus'],
  ],
  e2e: ['first-day'],
};

/** Tests of `unit` that read processor times or take megabytes: paths from the root. */
export const NIGHT_UNIT = [
  'packages/mind/src/gate/text/growth.test.ts',
  'packages/mind/src/run/adversary-size.test.ts',
];
