/** `retainer backup place`: a restoring in place, in a pod on the volume of an agent that does not run. */
import { rm, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readPack } from '@retainer/agent-pod/backup/bundle';
import { putInPlace, restoredPath, unplacedMoments } from '@retainer/agent-pod/backup/put-in-place';
import { REPOSITORY, type Repository } from '@retainer/agent-pod/backup/repository';
import { fileLock } from '@retainer/journal/lock';
import { readEnvironment } from '../config.ts';
import { exitCodes } from '../exit-codes.ts';
import { createOutput, type Output, type OutputFormat } from '../output.ts';
import { refuse } from '../refuse.ts';
import { failing, findRepository } from './repository-place.ts';
import { restoreFrom } from './restore.ts';

export interface PlaceInFlags {
  readonly output: OutputFormat;
  readonly data: string;
  readonly at?: string;
  readonly incoming?: string;
  readonly by: string;
}

/** The repository that comes, while it is here. A pod has no other place that is large enough. */
const INCOMING = 'restore-incoming.git';
/** Of the repository: no commit is made meanwhile. */
const LOCK = `${REPOSITORY}.lock`;
/** What stays: the lock that is held, and the keys of servers that the agent has seen. */
const STAYS = [LOCK, INCOMING, `${REPOSITORY}.known-hosts`];

export function placeCommand(flags: PlaceInFlags): Promise<number> {
  const output = createOutput(flags.output, readEnvironment().colour);
  return failing(output, async () => {
    const lock = await fileLock.acquire(join(flags.data, LOCK));
    try {
      return await placed(flags, output);
    } finally {
      await rm(join(flags.data, INCOMING), { recursive: true, force: true });
      await lock.release();
    }
  });
}

async function placed({ data, at, incoming, by, output: format }: PlaceInFlags, output: Output): Promise<number> {
  const [begun] = await unplacedMoments(data);
  if (begun !== undefined) {
    const before = await putInPlace(data, begun, STAYS);
    output.data({ before, isFinished: true });
    output.line(`a restoring that was cut off is in place now; what was there before it is in ${before}`, 'Warning');
    output.line('nothing else was done: give the command again for another one', 'Warning');
    return exitCodes.done;
  }
  // What a killed restoring left is not complete.
  for (const name of await readdir(data))
    if (name.endsWith('.restoring') || name === INCOMING) await rm(join(data, name), { recursive: true, force: true });
  const repository =
    incoming === undefined ? await findRepository({ output: format, data }) : await arriving(data, incoming);
  if (!repository.ok) return refuse(output, repository.error);
  const moment = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const to = restoredPath(data, moment);
  const onRestored = async () => ({ before: await putInPlace(data, moment, STAYS) });
  return restoreFrom(repository.value, { at: incoming ?? at, to, kept: [], by, output, onRestored });
}

async function arriving(data: string, commit: string): Promise<{ readonly ok: true; readonly value: Repository }> {
  return { ok: true, value: await readPack(process.stdin, commit, join(data, INCOMING)) };
}
