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

/** Tests of `unit` that take seconds each: nobody waits for them in `npm test`. Paths from the root. */
export const SLOW_UNIT = [
  ...['agent-controllers', 'rollout', 'kube-contract'].map((name) => `test/unit/operator/${name}.test.ts`),
  ...[
    ...[
      'workers',
      'honest-answers',
      'golden-runs',
      'agentdojo',
      'audit-omissions',
      'character-changed',
      'crash-anywhere',
    ],
    ...['crash-rounds', 'steering-simulation', 'gate-corpora', 'dream-runs', 'mind/case-recall', 'approvals'],
  ].map((name) => `test/unit/${name}.test.ts`),
  ...['bus-faults', 'run', 'termination', 'verdict/derivation'].map((name) => `packages/mind/src/run/${name}.test.ts`),
  ...['chain/text-reader', 'text/bounded'].map((name) => `packages/mind/src/gate/${name}.test.ts`),
  ...['auditor', 'message-audit'].map((name) => `agent-pod/src/audit/${name}.test.ts`),
  ...['agent-pod/src/infer/example-script.test.ts', 'operator/src/desired/task/schedule-plan.test.ts'],
  ...['cli/src/doctor/checks.test.ts', 'operator/src/reconcile/sandbox-run-ledger.test.ts'],
];
