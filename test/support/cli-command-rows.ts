/** Rows of `documented-commands.ts` for docs/cli.md, docs/gates.md and docs/serving.md, in this order. */
import type { CommandRow } from './command-row.ts';

const IN_PLACE = '-n NAMESPACE';
/** What a Task of the test has remembered. */
const FACT = { ID: 'fact:garden/color' } as const;

const BACKUP = 'test/integration/backup-cli.test.ts';

export const cliCommandRows: Readonly<Record<string, CommandRow>> = {
  // Of docs/cli.md, which says of each place how to name it.
  'retainer cost RUN': { how: 'Run', shows: /by purpose/, task: 'done', with: IN_PLACE },
  'retainer approve REQUEST --reason TEXT': { how: 'As', row: 'retainer approve ID -n NAMESPACE --reason WHY' },
  'retainer answer RUN TEXT': { how: 'As', row: 'retainer answer TASK "ANSWER" -n NAMESPACE' },
  'retainer cancel RUN --reason TEXT': { how: 'As', row: 'retainer cancel TASK -n NAMESPACE --reason WHY' },
  'retainer files trace PATH': { how: 'Run', shows: /these bytes stand there/, with: IN_PLACE },
  'retainer files trust PATH --reason TEXT': {
    how: 'Run',
    shows: /will be believed as it stands now/,
    words: { TEXT: 'WHY' },
    with: IN_PLACE,
    phase: 'Decides',
  },
  'retainer state': { how: 'As', row: 'retainer state -n NAMESPACE' },
  'retainer state -n NAMESPACE': { how: 'Run', shows: /^vitals +cycles_today \d+ /m },
  'retainer state --watch': {
    how: 'Run',
    shows: /^vitals +cycles_today \d+ /m,
    with: 'timeout -n NAMESPACE',
  },
  'retainer memory search TEXT': { how: 'Run', shows: /garden/, words: { TEXT: 'garden' }, with: IN_PLACE },
  'retainer memory trace ID': { how: 'Run', shows: /FactWritten/, words: FACT, with: IN_PLACE },
  'retainer memory remember KEY VALUE --reason TEXT': {
    how: 'Run',
    shows: /fact:garden\/soil holds/,
    words: { KEY: 'garden/soil', VALUE: 'loam', TEXT: 'WHY' },
    with: IN_PLACE,
    phase: 'Decides',
  },
  'retainer memory teach LESSON --tag WORD … --reason TEXT': {
    how: 'Run',
    shows: /every plan is told this lesson/,
    words: { LESSON: '"Ask first."', WORD: 'garden', '…': '--tag plans', TEXT: 'WHY' },
    with: IN_PLACE,
    phase: 'Decides',
  },
  'retainer memory endorse ID --reason TEXT': {
    how: 'Run',
    shows: /are believed as yours/,
    words: { ...FACT, TEXT: 'WHY' },
    with: IN_PLACE,
    phase: 'Decides',
  },
  'retainer memory forget ID --reason TEXT': {
    how: 'Run',
    shows: /is told to nobody any more/,
    words: { ...FACT, TEXT: 'WHY' },
    with: IN_PLACE,
    phase: 'Decides',
  },
  'retainer memory case correct|annotate|suppress|unsuppress|boost ID --reason TEXT': {
    how: 'Elsewhere',
    test: 'test/unit/memory-changes.test.ts',
    of: 'leaves a word for the agent, and names what is not there',
    says: "'case', 'boost'",
  },
  'retainer backup now --data DIR': {
    how: 'Elsewhere',
    test: BACKUP,
    of: 'beforeAll',
    says: "retainer('backup', 'now', '--data', data)",
  },
  'retainer backup log --data DIR': {
    how: 'Elsewhere',
    test: BACKUP,
    of: 'commits',
    says: "retainer('backup', 'log', ...where",
  },
  'retainer backup diff OLDER NEWER --data DIR': {
    how: 'Elsewhere',
    test: BACKUP,
    of: 'tells the records by store and the files',
    says: "'backup', 'diff', first.commit, second.commit, '--data', data",
  },
  'retainer backup show COMMIT --data DIR': {
    how: 'Elsewhere',
    test: BACKUP,
    of: 'tells the newest commit, and the one that is named',
    says: "'backup', 'show', first.commit.slice(0, 8), '--data', data",
  },
  'retainer backup verify COMMIT --data DIR': {
    how: 'Elsewhere',
    test: 'test/integration/backup-verify.test.ts',
    of: 'of a data directory, of clones, and of an older commit',
    says: "'backup', 'verify', newest.commit, '--repository'",
  },
  'retainer restore --from DIR --at TIME --to NEWDIR': {
    how: 'Elsewhere',
    test: BACKUP,
    of: 'from a clone alone, when the volume is gone',
    says: "'restore', '--from', clone, '--at', second.commit, '--to', to",
  },
  'retainer memory tend --reason TEXT': {
    how: 'Run',
    shows: /tends its memory/,
    words: { TEXT: 'WHY' },
    with: IN_PLACE,
    phase: 'Decides',
  },
  'retainer skill add PATH': { how: 'Run', shows: /kind: Skill/, words: { PATH: 'pdf-tools/' } },
  'retainer skill add pdf-tools/ | kubectl apply -n NAMESPACE -f -': {
    how: 'Run',
    shows: /skill\.retainer\.dev\/pdf-tools created/,
    phase: 'Decides',
  },
  // It asks no cluster.
  [`retainer calculus -o json | jq '.pairs[] | select(.user == "Legal/Ought" and .rule == "axiom-6.4-moral-rank")'`]: {
    how: 'Elsewhere',
    test: 'test/integration/cli-calculus.test.ts',
    of: 'prints the table, as text and with every pair by name',
    says: "retainer('calculus', '-o', 'json')",
  },

  'retainer gate false-positive': { how: 'Run', shows: /input-rules\/swords/, with: IN_PLACE },
  'retainer gate false-positive cycle/1234 --reason "a recipe, no order"': {
    how: 'Run',
    shows: /is called wrong/,
    with: IN_PLACE,
    phase: 'Decides',
  },
  // Both are about manifests and records of this machine.
  'retainer gate attack -f MANIFESTS': {
    how: 'Elsewhere',
    test: 'test/integration/cli-attack.test.ts',
    of: 'finds nothing in the shipped example, whose harmless work is done',
    says: "retainer('gate', 'attack'",
  },
  'retainer override TASK -f MANIFEST --reason TEXT': {
    how: 'Elsewhere',
    test: 'test/integration/cli-override.test.ts',
    of: 'approvals:override-by-command',
    says: "'override',",
  },

  'kubectl -n NAMESPACE port-forward retainer-NAME-0 8080': {
    how: 'Run',
    shows: /Forwarding from 127\.0\.0\.1:8080/,
    with: 'timeout',
    fails: 'Ended',
  },
};
