/**
 * Prepares a workspace for a sandbox: checks that scripts may have it, creates missing read-only paths, and, if the agent is
 * root, gives it to the unprivileged user.
 *
 * I1  Root follows no link that a script could have made: `chown` does not follow links.
 * I2  A missing read-only path becomes an empty directory and stays. Otherwise a script could create it; and removing it after
 *     the run would take the mount of a concurrent run.
 */
import { execFile } from 'node:child_process';
import { lstat, mkdir, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { SANDBOX_UID } from './bubblewrap-arguments.ts';
import type { WorkspaceBind } from './read-only-paths.ts';
import type { Programs } from './launch-command.ts';
import { SandboxRefusal } from '../sandbox-refusal.ts';

/** No workspace may be one of these, or lie above or below one. Free: /home, /root, /srv, /tmp, /var … */
const systemDirectories = [
  '/bin',
  '/boot',
  '/dev',
  '/etc',
  '/lib',
  '/lib64',
  '/proc',
  '/run/systemd',
  '/sbin',
  '/sys',
  '/usr',
] as const;

/** The real path of a workspace that scripts may have. @param ownDirectory  real path of the sandbox's own files */
export async function checkedWorkspace(workspaceDirectory: string, ownDirectory: string): Promise<string> {
  const workspace = await realpath(workspaceDirectory).catch(() => undefined);
  if (workspace === undefined) throw new SandboxRefusal(`workspace ${workspaceDirectory} does not exist`);
  const facts = await lstat(workspace);
  if (!facts.isDirectory()) throw new SandboxRefusal(`workspace ${workspaceDirectory} is not a directory`);
  const held = [...systemDirectories, homedir(), ownDirectory].find((path) => isWithin(path, workspace));
  if (held !== undefined)
    throw new SandboxRefusal(`workspace ${workspace} contains ${held}: choose a directory of its own`);
  const holder = systemDirectories.find((path) => isWithin(workspace, path));
  if (holder !== undefined)
    throw new SandboxRefusal(`workspace ${workspace} belongs to ${holder}: choose a directory of its own`);
  return workspace;
}

function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory === '/' ? '/' : `${directory}/`);
}

/** Creates the missing paths of binds as directories. Refuses a symbolic link on the way. */
export async function prepareBinds(workspace: string, binds: readonly WorkspaceBind[]): Promise<void> {
  for (const { path } of binds) {
    const target = join(workspace, path);
    await mkdir(target).catch(() => undefined);
    const facts = await lstat(target).catch(() => undefined);
    if (facts === undefined) throw new SandboxRefusal(`read-only path ${path} cannot be made: a file is in the way`);
    if (facts.isSymbolicLink())
      throw new SandboxRefusal(`read-only path ${path} goes through a symbolic link: name where it leads`);
  }
}

/**
 * Gives the workspace's files of other users to the sandbox's user. Root keeps every right on them.
 *
 * Skips files that the user already owns, because a change of owner, even to the same one, looks like a change of the file.
 */
export async function giveToSandbox(
  { find, chown }: Pick<Programs, 'find' | 'chown'>,
  workspace: string,
): Promise<void> {
  const owner = `${String(SANDBOX_UID)}:${String(SANDBOX_UID)}`;
  const others = ['-P', workspace, '!', '-uid', String(SANDBOX_UID)];
  await new Promise<void>((resolve) => {
    // `-execdir` works inside each directory, so that no name on the way can become a link. Its errors are ignored, since a
    // concurrent run may remove files; the check below decides.
    const give = ['-execdir', chown, '-h', owner, '--', '{}', '+'];
    execFile(find, [...others, ...give], { env: { PATH: '/usr/bin:/bin' } }, () => resolve());
  });
  const { uid } = await lstat(workspace);
  if (uid !== SANDBOX_UID)
    throw new SandboxRefusal(`workspace ${workspace} could not be given to user ${String(SANDBOX_UID)}`);
}
