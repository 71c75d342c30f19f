/**
 * Gives an agent the files that lie in `workspace/` beside its manifest: once, before its record begins.
 *
 * I1  A file that is there is kept, whatever it holds.
 * I2  A start that was cut off goes on copying: the record begins afterwards.
 */
import { constants } from 'node:fs';
import { copyFile, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** More belongs on the volume by other means than being copied at a start. */
const workspaceFilesMax = 10_000;

/** @returns paths that were copied, relative to the workspace; empty when the agent has its record already */
export async function prepareWorkspace(agentFile: string, dataDirectory: string): Promise<readonly string[]> {
  const source = join(dirname(agentFile), 'workspace');
  const target = join(dataDirectory, 'workspace');
  if (await isDirectory(join(dataDirectory, 'journal'))) return [];
  if (!(await isDirectory(source))) return [];
  const files = (await readdir(source, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(source.length + 1))
    .toSorted();
  if (files.length > workspaceFilesMax) {
    throw new Error(`${source} has ${files.length} files; at most ${workspaceFilesMax} are copied`);
  }
  const copied: string[] = [];
  for (const file of files) if (await copyNew(join(source, file), join(target, file))) copied.push(file);
  return copied;
}

async function copyNew(from: string, to: string): Promise<boolean> {
  await mkdir(dirname(to), { recursive: true });
  try {
    await copyFile(from, to, constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}
