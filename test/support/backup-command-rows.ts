/** Rows of `documented-commands.ts` for docs/backup.md, in this order. */
import type { CommandRow, ElsewhereRow } from './command-row.ts';

const CLONED: ElsewhereRow = {
  how: 'Elsewhere',
  test: 'test/integration/backup-verify.test.ts',
  of: 'verifies its commit, bare and checked out, from any place in it',
};
const RESTORED: ElsewhereRow = {
  how: 'Elsewhere',
  test: 'test/integration/restored-cli.test.ts',
  of: 'goes on with a run when a person says so',
};
const TOLD_IN_GIT: ElsewhereRow = {
  how: 'Elsewhere',
  test: 'test/integration/backup-told.test.ts',
  of: 'tells what happened on a day, and which commit brought it',
};

export const backupCommandRows: Readonly<Record<string, CommandRow>> = {
  'retainer backup log --agent NAME -n NAMESPACE': { how: 'Run', shows: /^[0-9a-f]{12}\S* {2}\d{4}-\d\d-\d\dT/m },
  'retainer backup verify --agent NAME -n NAMESPACE': { how: 'Run', shows: /every object of git, and all \d+ heads/ },
  'retainer restore --agent NAME -n NAMESPACE --to restored': {
    how: 'Elsewhere',
    test: 'test/integration/cli-access.test.ts',
    of: 'fetch the repository, and rebuild the directory here',
    says: "run('restore', '-n', NAMESPACE, '--at', commit, '--to', to",
  },
  'retainer restore --from https://git.example.com/ada.git --branch BRANCH --to restored': {
    how: 'Elsewhere',
    test: 'test/integration/restore-remote.test.ts',
    of: 'over HTTP, with a password that nobody is shown',
    says: "['--from', `${server.url}/ada.git`, '--branch', 'agents/ada']",
  },
  'git clone ADDRESS clone': { ...CLONED, of: 'beforeAll', says: "'clone', '--quiet', join(data, 'git'), checkedOut" },
  'git -C clone log': { ...TOLD_IN_GIT, says: "git('log', '--format=%s', 'main')" },
  'git -C clone show': { ...TOLD_IN_GIT, says: "git('show', '--stat'" },
  'git -C clone blame narrative/DAY.md': {
    ...TOLD_IN_GIT,
    says: "git('blame', '-s', '--abbrev=39', 'main', '--', page)",
  },
  'retainer journal verify clone': { ...CLONED, says: "retainer('journal', 'verify', place)" },
  'retainer task continue TASK --data restored': {
    ...RESTORED,
    says: "'task', 'continue', 'note', '--data', to",
  },
  'retainer task cancel TASK --data restored': {
    ...RESTORED,
    of: 'ends a run when a person says so',
    says: "'task', 'cancel', 'note', '--data', to",
  },
  'retainer restore --agent NAME -n NAMESPACE --at COMMIT --to-volume': {
    how: 'Elsewhere',
    test: 'test/integration/restore-in-place.test.ts',
    of: 'takes the volume back to a commit of its own repository',
    says: "restore('--at', first, ...IN_PLACE)",
  },
  'retainer run -f FILE --data restored --watch': { ...RESTORED, says: "'run', '-f', manifests, '--data', to" },
};
