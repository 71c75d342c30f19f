/** The default directory of an agent's data. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { err, ok, type Result } from '@retainer/contract/std/result';

/** Below the current directory; one directory per agent. */
const HOME = '.retainer';

export function defaultDataDirectory(agentName: string): string {
  return join(HOME, agentName);
}

/** @param given  `--data`; by default the only data directory below `.retainer` */
export async function findDataDirectory(given: string | undefined): Promise<Result<string, string>> {
  if (given !== undefined) {
    return (await hasJournal(given))
      ? ok(given)
      : err(`${given} is no data directory: ${join(given, 'journal')} does not exist`);
  }
  const names = await readdir(HOME).catch((): string[] => []);
  const found: string[] = [];
  for (const name of names.toSorted()) if (await hasJournal(join(HOME, name))) found.push(join(HOME, name));
  const [only] = found;
  if (only === undefined)
    return err(`no data directory in ${HOME}: give one with --data DIR, or name a cluster's with -n NAMESPACE`);
  if (found.length > 1)
    return err(`${HOME} has ${found.length} data directories: choose one with --data ${found.join(' or --data ')}`);
  return ok(only);
}

async function hasJournal(directory: string): Promise<boolean> {
  return (await stat(join(directory, 'journal')).catch(() => undefined))?.isDirectory() ?? false;
}
