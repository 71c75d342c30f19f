/**
 * Commits and pushes in a process of its own, to be killed or watched from outside. One line of JSON on standard input for each.
 *
 *   backup-child.ts DATA   says `ready`; then `{"do":"commit"}` is answered with `done COMMIT`, `{"do":"push","remote":{…}}` with
 *                          `done`, and a failure with `failed MESSAGE`
 */
import { createInterface } from 'node:readline';
import { Backup } from '@retainer/agent-pod/backup/backup';
import type { Remote } from '@retainer/agent-pod/backup/push';
import { systemClock } from '@retainer/contract/std/system-clock';

export type BackupRequest = { readonly do: 'commit' } | { readonly do: 'push'; readonly remote: Remote };

const [dataDirectory = ''] = process.argv.slice(2);
const backup = new Backup({ dataDirectory, holdsSecret: () => false, clock: systemClock });

process.stdout.write('ready\n');
for await (const line of createInterface({ input: process.stdin }))
  try {
    process.stdout.write(`done ${await serve(JSON.parse(line) as BackupRequest)}\n`);
  } catch (error) {
    process.stdout.write(`failed ${(error as Error).message.replaceAll('\n', ' ')}\n`);
  }

async function serve(request: BackupRequest): Promise<string> {
  if (request.do === 'commit') {
    const { commit, notices } = await backup.commit();
    for (const notice of notices) process.stderr.write(`${notice}\n`);
    return commit;
  }
  await backup.push(request.remote);
  return '';
}
