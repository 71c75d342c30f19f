/**
 * What runs at night, in parts that end: each is run by itself, so that one that fails or hangs keeps no other from running.
 *
 * The minutes are estimates for two cores with nothing else on them, until a run tells better: from docs/testing.md, from the limits of
 * the tests (ten times what they took), and guesses.
 *
 * @typedef {object} Part
 * @property {string} name
 * @property {number} minutes  at most 20; three times as long, and it is stopped
 * @property {string} finds  what only it finds
 * @property {string} [project]  of vitest, in which it runs the files whose paths hold one of `paths`
 * @property {readonly string[]} [paths]
 * @property {readonly string[]} [command]  instead of tests; `{seed}` is the seed of the night
 * @property {boolean} [isFresh]  it wants no engine that a part before it has left
 * @property {Readonly<Record<string, string>>} [env]  what the environment says outranks it
 */

import { mutationParts } from './mutation-parts.mjs';

const script = (name, ...argv) => ['npm', 'run', '--silent', name, '--', ...argv];
const integration = (...names) => ({
  project: 'integration',
  paths: names.map((name) => `test/integration/${name}.test.ts`),
});
const e2e = (...names) => ({ project: 'e2e*', paths: names.map((name) => `test/e2e/${name}.test.ts`) });
const mutants = (...beginnings) => ({ command: script('mutants', ...beginnings.map((it) => `--only=${it}`)) });

/** @type {readonly Part[]} */
const units = [
  {
    ...{ name: 'unit-mind', minutes: 10, project: 'unit', paths: ['packages/mind/'] },
    finds:
      'a message of the bus whose loss, delay or double a run does not survive, and the longest text that a gate is slow at',
  },
  {
    ...{ name: 'unit-programs', minutes: 5, project: 'unit' },
    paths: [
      ...['packages/journal/', 'packages/kube/', 'contract/src/', 'cli/src/'],
      ...['operator/src/', 'agent-pod/src/', 'sandbox-runner/src/'],
    ],
    finds: 'a power cut of the simulated disk that loses a record, in twice as many lives',
  },
  {
    ...{ name: 'unit-across', minutes: 15, project: 'unit', paths: ['test/'] },
    finds: 'a crash at any record of runs with a dream after each',
  },
];

/** @type {readonly Part[]} */
const records = [
  {
    ...{ name: 'journal', minutes: 15 },
    ...integration(
      ...['journal-corruption', 'journal-io-errors', 'journal-process', 'journal-volume', 'journal-whole'],
      ...['volume-full', 'agent-volume-full'],
    ),
    finds: 'a record that 300 kills of its writer lose, and damage that nobody sees',
  },
  {
    ...{ name: 'power-loss', minutes: 8, ...integration('journal-power-loss') },
    finds: 'a power cut that loses a record, in 20,000 lives of a disk',
  },
  {
    ...{ name: 'chaos:journal', minutes: 12 },
    // So that no two nights live the same lives.
    command: script('chaos:journal', '--seeds', '60000', '--from', '{seed}'),
    finds: 'a power cut that loses a record, in lives that no night before had',
  },
  {
    ...{
      name: 'verify',
      minutes: 15,
      ...integration('cli-record', 'cli-journal-cluster', 'cli-verify', 'forged-record'),
    },
    finds: 'a record that can be taken away without `journal verify` telling it, whichever it is',
  },
  {
    ...{ name: 'audit', minutes: 15 },
    ...integration(
      ...['audit-bus', 'audit-forks', 'audit-memory', 'audit-permissions', 'audit-runs', 'audit-verdicts'],
      ...['audit-verdicts-process', 'cli-audit', 'cli-auditor'],
    ),
    finds: 'a fork of a journal that the auditor takes for the true one, among 1,000',
  },
  {
    ...{ name: 'memory', minutes: 12 },
    ...integration(
      ...['backup', 'backup-authorities', 'backup-cli', 'backup-foreign', 'backup-push', 'backup-secrets'],
      ...[
        'backup-lease',
        'backup-record',
        'backup-told',
        'backup-watch',
        'cli-memory',
        'lost-machine',
        'restored-life',
        'secrets',
        'hidden-words',
      ],
      'self-observation',
    ),
    finds: 'a second copy that is no copy, and a secret that reaches a disk',
  },
  {
    ...{ name: 'restore', minutes: 8 },
    ...integration('backup-verify', 'place', 'restore-in-place', 'restore-remote', 'restored-cli'),
    finds: 'a volume between two records, by a restoring in place that is ended at any rename',
  },
];

/** @type {readonly Part[]} */
const kills = [
  {
    ...{ name: 'sigkill', minutes: 20, ...integration('sigkill') },
    finds: 'a step that is lost or done twice by 200 kills of the program',
  },
  {
    ...{ name: 'sigkill-archive', minutes: 20, ...integration('sigkill-archive') },
    finds: 'a memory that is archived twice, by 100 kills while it is archived',
  },
  {
    ...{ name: 'jobs-kills', minutes: 20, ...integration('jobs-kills') },
    finds: 'a moment of a job that is lost or served twice by 500 kills of the program',
  },
  {
    ...{ name: 'mail-kills', minutes: 20, ...integration('mail-answer', 'mail-out') },
    finds: 'a mail that is sent twice, or told as sent and lost, by 200 kills around its text',
  },
  {
    ...{ name: 'backup-kills', minutes: 15, ...integration('backup-kills') },
    finds: 'a second copy, here or at a remote, that is torn by 600 kills at any system call',
  },
  {
    ...{ name: 'lost-pod', minutes: 15, ...integration('lost-pod') },
    finds: 'two agents that write one record, in 50 pods that were forced away, with the Leases of an installation',
  },
];

/** @type {readonly Part[]} */
const agents = [
  {
    ...{ name: 'agent-cluster', minutes: 6, ...integration('agent-budget', 'agent-cluster', 'agent-record') },
    finds: "a Task that the agent's program and an API server tell differently",
  },
  {
    ...{ name: 'cli', minutes: 14 },
    ...integration(
      ...[
        'cli-access',
        'cli-answer',
        'cli-approve',
        'cli-attack',
        'cli-calculus',
        'cli-claude',
        'cli-cluster',
        'cli-files',
        'cli-manifests',
      ],
      ...[
        'cli-gate',
        'cli-installed',
        'calendar',
        'cli-jobs',
        'cli-override',
        'cli-run',
        'cli-skill',
        'cli-state',
        'cli-surroundings',
        'mail-check',
        'mail-day',
        'new-part',
        'one-task',
        'page-commands',
      ],
    ),
    finds: 'a command that answers otherwise than its page says',
  },
  {
    ...{
      name: 'jobs',
      minutes: 8,
      ...integration('jobs', 'jobs-api-away', 'jobs-crash', 'jobs-flood', 'jobs-follow-up', 'work-sessions'),
    },
    finds: 'a moment that a cut of the record, a set clock or a flood of jobs loses or serves twice',
  },
  {
    ...{ name: 'mail', minutes: 18 },
    ...integration(
      ...['mail-limits', 'mail-sender', 'mail-servers', 'letter-cost', 'letters-referee', 'published-letters'],
    ),
    finds: 'a mail server whose fault is not told or never heals, and a letter that costs too much to read',
  },
  {
    ...{ name: 'mail-agents', minutes: 20 },
    ...integration('mail-answers', 'mail-dialogue', 'mail-pairs', 'mail-crafted', 'mail-crash'),
    finds: 'a letter that two processes answer, an approval of the wrong person, and agents that write without end',
  },
  {
    ...{ name: 'models', minutes: 8 },
    ...integration(
      ...[
        'adversarial-model',
        'adversarial-roles',
        'company-network',
        'outage',
        'everyday',
        'false-positive-note',
        'gate-cost',
        'live',
        'quarantine-reader',
        'second-attempt',
        'two-servers',
      ],
    ),
    finds: 'a model that lies and is believed, and everyday work that is refused',
  },
  {
    ...{ name: 'bus', minutes: 5, ...integration('redis-bus', 'redis-run') },
    finds: 'a message that a killed Redis loses',
  },
];

/**
 * A task may take ten minutes, so not all fit into a part: others are drawn each night, and so few that all of them would end before a
 * part is stopped. The first of a machine fetches the weights.
 *
 * @returns {readonly Part[]}
 */
function localModels(size, tasks, words) {
  return [1, 2, 3].map((number) => ({
    ...{ name: `live-local-${size}-${number}`, minutes: 20 },
    command: script('live', '--local', '--size', size, '--tasks', String(tasks), '--seed', `{seed}${number}`),
    finds: `something false that a model of ${size} says and Retainer accepts, in ${words} of the live tasks, drawn by seed ${number} of the night`,
  }));
}
const realModels = [...localModels('0.5b', 5, 'five'), ...localModels('1.5b', 3, 'three')];

/** @type {readonly Part[]} */
const sandboxes = [
  {
    ...{ name: 'sandbox', minutes: 12 },
    ...integration(
      ...['bypass-corpus', 'programs-believe', 'sandbox-abuse', 'sandbox-escape', 'sandbox-network', 'sandbox-planted'],
      ...['sandbox-left', 'sandbox-links', 'sandbox-user', 'sandbox-view'],
    ),
    finds: 'a way out of bubblewrap',
  },
  {
    ...{ name: 'sandbox-runner', minutes: 10 },
    ...integration(
      ...['sandbox-runner', 'sandbox-runner-agent', 'sandbox-runner-as-first-process', 'sandbox-runner-hostile'],
      ...['serve', 'serve-agent', 'serve-crash'],
    ),
    finds: 'a step that a runner does twice, and code that is served after its end',
  },
];

/** @type {readonly Part[]} */
const operators = [
  {
    ...{ name: 'operator', minutes: 12 },
    ...integration(
      ...[
        'git-controllers',
        'operator-access',
        'operator-crash',
        'operator-refusals',
        'operator-stale-reads',
        'task-writes',
      ],
    ),
    finds: 'a call before or after which a kill leaves another state, whichever it is',
  },
  {
    ...{ name: 'operator-watch-faults', minutes: 12, ...integration('operator-watch-faults') },
    finds: 'an event whose loss is never made up for, whichever it is',
  },
  {
    ...{ name: 'operator-any-change', minutes: 15, ...integration('operator-any-change') },
    finds: 'a change of a leaf of a spec that is neither refused nor judged',
  },
  {
    ...{ name: 'operator-failover', minutes: 18, ...integration('operator-failover') },
    finds: 'two leaders, or none for longer than a Lease, with the times of an installation',
  },
  {
    ...{ name: 'api-server-away', minutes: 10, ...integration('api-server-away') },
    finds: 'work that does not go on after an API server was away for a whole minute',
  },
];

/** @type {readonly Part[]} */
const attacks = [
  {
    ...{ name: 'worst-case-gated', minutes: 12, ...integration('worst-case-cases', 'worst-case-model') },
    finds: 'an attack that gets through where the model obeys it, among all',
  },
  {
    ...{ name: 'worst-case-open', minutes: 10, ...integration('worst-case-cases-open', 'worst-case-open-gates') },
    finds: 'an attack that would succeed nowhere, so that holding it proves nothing',
  },
  {
    ...{ name: 'worst-case-scored', minutes: 10, ...integration('worst-case-scored') },
    finds: 'an attack that gets through where every gate is scored',
  },
  {
    ...{ name: 'worst-case', minutes: 15, command: script('worst-case', '--without=each') },
    finds: 'a rule of the gate that no attack needs',
  },
];

/** Each part installs once more, three minutes: an installation that others have worked in would find other things. @type {readonly Part[]} */
const clusters = [
  {
    ...{ name: 'chart', minutes: 2, project: 'chart', paths: ['test/chart/'] },
    finds: 'a chart that helm does not render, and an alert that promtool does not take',
  },
  {
    ...{ name: 'cluster', minutes: 6, project: 'cluster', paths: ['test/api-server/'] },
    finds: 'what a real API server refuses, and the fake one does not',
  },
  {
    ...{ name: 'e2e-tasks', minutes: 15, ...e2e('commands', 'first-day', 'people', 'tasks') },
    finds: 'a command of a page that does not work as it is printed',
  },
  {
    ...{ name: 'e2e-agents', minutes: 20, ...e2e('agent-rights', 'backup', 'lifecycle', 'record', 'redis', 'roles') },
    finds: 'an agent that forgets, or may do more than it should, in a real pod',
  },
  {
    ...{ name: 'e2e-sandbox', minutes: 15, ...e2e('abuse', 'opened-network', 'sandbox-flows') },
    finds: 'what gets out of a sandbox of a cluster',
  },
  {
    ...{ name: 'e2e-release', minutes: 15, ...e2e('doctor', 'faults', 'jobs', 'release', 'rollout') },
    finds: 'an upgrade that loses an agent, and a release that does not halt',
  },
  {
    ...{ name: 'e2e-mail', minutes: 12, ...e2e('mail') },
    finds: 'a letter that begins nothing or is not answered where policies hold the network',
  },
  {
    ...{ name: 'e2e-alerts', minutes: 20, ...e2e('alerts') },
    finds: 'an alert that does not fire in its fault, or never rests',
  },
  {
    ...{ name: 'e2e-alerts-more', minutes: 20, ...e2e('alerts-more') },
    finds: 'an alert that does not fire when a volume is full, a process stands still or the API server refuses',
  },
  {
    ...{ name: 'endurance', minutes: 20, ...e2e('endurance') },
    // Other faults each night. The two hours of the goal: RETAINER_TEST_SIZE=nightly npm run test:e2e -- endurance
    env: { RETAINER_E2E_MINUTES: '12' },
    finds: 'what is lost or done twice in faults that come one after the other',
  },
];

/** @type {readonly Part[]} */
const others = [
  {
    ...{ name: 'try-readme', minutes: 15, command: script('try:readme') },
    finds: 'a command of README.md that fails where nothing is cached',
    isFresh: true,
  },
  {
    ...{ name: 'try-kind', minutes: 15, command: script('try:kind') },
    finds: 'an installation that does not come up in kind, where a Docker is',
  },
  {
    ...{ name: 'bench', minutes: 10, command: script('bench:smoke') },
    finds: 'a benchmark that does not run any more',
  },
];

export const PARTS = [
  ...[...units, ...records, ...kills, ...agents, ...realModels, ...sandboxes],
  ...[...operators, ...attacks, ...mutationParts(mutants), ...clusters, ...others],
];
