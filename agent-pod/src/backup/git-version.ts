/** Whether the git of this machine does what the second copy relies on. */
import { GitFailedError, runGit } from './git.ts';

/** Of Debian 12. An older one may not know `core.fsync`, and would then leave out what a power loss must not take. */
const OLDEST = [2, 39] as const;

/** @param repository  any directory; it is not looked at. @throws GitFailedError  for an older one */
export async function requireGit(repository: string): Promise<void> {
  const told = (await runGit(repository, ['version'])).toString('latin1').trim();
  if (!isRecent(told))
    throw new GitFailedError('Missing', `${told} is too old for the backup: install git ${OLDEST.join('.')} or newer`);
}

/** @param told  such as `git version 2.39.5 (Apple Git-154)` */
export function isRecent(told: string): boolean {
  const [, major = '', minor = ''] = /^git version (\d+)\.(\d+)/.exec(told) ?? [];
  return Number(major) > OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) >= OLDEST[1]);
}
