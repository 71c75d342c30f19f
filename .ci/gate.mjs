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
    ...['cli-memory', 'backup-told', 'backup-watch', 'lost-machine', 'restored-life', 'audit-permissions', 'redis-bus'],
    ...['jobs', 'jobs-crash', 'mail-answers'],
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
  'agent-pod/src/audit/auditor.test.ts',
  'agent-pod/src/audit/message-audit.test.ts',
  'agent-pod/src/infer/example-script.test.ts',
  'cli/src/doctor/checks.test.ts',
  'operator/src/desired/task/schedule-plan.test.ts',
  'operator/src/reconcile/sandbox-run-ledger.test.ts',
  'packages/mind/src/gate/chain/text-reader.test.ts',
  'packages/mind/src/gate/text/bounded.test.ts',
  'packages/mind/src/run/bus-faults.test.ts',
  'packages/mind/src/run/run.test.ts',
  'packages/mind/src/run/termination.test.ts',
  'packages/mind/src/run/verdict/derivation.test.ts',
  'test/unit/acts-on-state.test.ts',
  'test/unit/agentdojo.test.ts',
  'test/unit/approvals.test.ts',
  'test/unit/audit-omissions.test.ts',
  'test/unit/character-changed.test.ts',
  'test/unit/crash-anywhere.test.ts',
  'test/unit/crash-rounds.test.ts',
  'test/unit/dream-runs.test.ts',
  'test/unit/gate-corpora.test.ts',
  'test/unit/golden-runs.test.ts',
  'test/unit/honest-answers.test.ts',
  'test/unit/local-model/command.test.ts',
  'test/unit/local-model/fetch.test.ts',
  'test/unit/mail-approvals.test.ts',
  'test/unit/mind/case-recall.test.ts',
  'test/unit/operator/agent-controllers.test.ts',
  'test/unit/operator/backup-note.test.ts',
  'test/unit/operator/kube-contract.test.ts',
  'test/unit/operator/rollout.test.ts',
  'test/unit/state-lives.test.ts',
  'test/unit/state-taint.test.ts',
  'test/unit/steering-simulation.test.ts',
  'test/unit/workers.test.ts',
];
