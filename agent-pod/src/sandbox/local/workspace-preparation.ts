/** Checks that scripts may have a workspace, and creates missing read-only paths in its view. */
import { lstat, mkdir, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { WorkspaceBind } from './read-only-paths.ts';
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
  const held = [...systemDirectories, ...homes(), ownDirectory].find((path) => isWithin(path, workspace));
  if (held !== undefined)
    throw new SandboxRefusal(`workspace ${workspace} contains ${held}: choose a directory of its own`);
  const holder = systemDirectories.find((path) => isWithin(workspace, path));
  if (holder !== undefined)
    throw new SandboxRefusal(`workspace ${workspace} belongs to ${holder}: choose a directory of its own`);
  return workspace;
}

/** A user without a name and without HOME has no home directory: none is in the way then. */
function homes(): readonly string[] {
  try {
    return [homedir()];
  } catch {
    return [];
  }
}

function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory === '/' ? '/' : `${directory}/`);
}

/**
 * Creates the missing paths of binds as directories, so that no script creates them. Refuses a symbolic link on the way.
 *
 * @param view  nobody else has it
 */
export async function prepareBinds(view: string, binds: readonly WorkspaceBind[]): Promise<void> {
  for (const { path } of binds) {
    const target = join(view, path);
    await mkdir(target).catch(() => undefined);
    const facts = await lstat(target).catch(() => undefined);
    if (facts === undefined) throw new SandboxRefusal(`read-only path ${path} cannot be made: a file is in the way`);
    if (facts.isSymbolicLink())
      throw new SandboxRefusal(`read-only path ${path} goes through a symbolic link: name where it leads`);
  }
}
