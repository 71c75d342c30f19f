/** Rows of `documented-commands.ts` for docs/mail.md, for the runbooks of mail, and for what docs/cli.md says of mail. */
import type { CommandRow } from './command-row.ts';

const UNIT = 'test/unit/mail-command.test.ts';
const DAY = 'test/integration/mail-day.test.ts';
const ON_CLUSTER = 'test/integration/cli-access.test.ts';

const here = (of: string, says: string): CommandRow => ({ how: 'Elsewhere', test: UNIT, of, says });
const onCluster = (says: string): CommandRow => ({
  ...{ how: 'Elsewhere', test: ON_CLUSTER, of: 'cli-mail:on-cluster', says },
});
const as = (row: string): CommandRow => ({ how: 'As', row });

const LIST = 'retainer mail list --agent NAME -n NAMESPACE';
const HELD = 'retainer mail held --agent NAME -n NAMESPACE';
const SHOW = 'retainer mail show ID --agent NAME -n NAMESPACE';
const RELEASE = 'retainer mail release ID --reason TEXT --agent NAME -n NAMESPACE';
const CHECK = 'retainer mail check --agent NAME -n NAMESPACE';

export const mailCommandRows: Readonly<Record<string, CommandRow>> = {
  // On a cluster.
  [LIST]: onCluster("run('mail', 'list', '-n', NAMESPACE)"),
  [HELD]: onCluster("run('mail', 'held', '-n', NAMESPACE)"),
  [SHOW]: here('cli-mail:told', "mail('show', letterIdOf('ask')"),
  [RELEASE]: onCluster("run('mail', 'release', 'm-1', '-n', NAMESPACE, '--reason', 'x')"),
  [CHECK]: onCluster("run('mail', 'check', '-n', NAMESPACE)"),
  'retainer mail held -n NAMESPACE --agent NAME': as(HELD),
  'retainer mail show ID -n NAMESPACE --agent NAME': as(SHOW),
  'retainer mail release ID -n NAMESPACE --agent NAME --reason TEXT': as(RELEASE),
  'kubectl create secret generic NAME-mail -n NAMESPACE --from-literal=username=ADDRESS --from-literal=password=PASSWORD':
    {
      ...{ how: 'Run', shows: /^secret\/\S+ created \(server dry run\)$/m, with: '--dry-run=server' },
    },

  // Here.
  'retainer mail show ID': here('cli-mail:told', "mail('show', letterIdOf('ask')"),
  'retainer mail release ID --reason TEXT': here('cli-mail:release', "mail('release', letterIdOf('spam')"),
  'retainer mail check -f FILE': {
    ...{ how: 'Elsewhere', test: 'test/integration/mail-check.test.ts', of: 'cli-mail:check' },
    says: "['mail', 'check', '-f',",
  },
  'retainer mail check -f DIR': as('retainer mail check -f FILE'),
  'npx retainer run -f manifests/mail --data /tmp/clerk --watch': {
    ...{ how: 'Elsewhere', test: DAY, of: 'cli-mail:day', says: "startRetainer(['run', '-f'," },
  },
  'retainer audit map RUN': { how: 'Elsewhere', test: DAY, of: 'cli-mail:day', says: "retainer('audit', 'map'," },
};
