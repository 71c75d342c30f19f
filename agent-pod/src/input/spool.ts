/**
 * The spool: a directory in which programs on this machine leave commands for the agent, even while it is stopped.
 *
 * A command is one JSON file, written under a temporary name and renamed into place. The agent adds it to its durable inbox,
 * then removes the file. The file name is the origin id, so a crash in between does not add it twice.
 *
 * I1  Only the agent's own user can leave a file here: the directory is nobody else's. A file that is somebody else's all the same,
 *     or a link, is set aside.
 * I2  Who decided is known from the owner of the file, whatever name stands in it.
 * I3  On a cluster, only somebody who may run programs in the agent's container (`pods/exec`) can leave a file here, under any name.
 *     So the spool takes no command there that needs a right of its own at the API server.
 */
import { constants, watch } from 'node:fs';
import { mkdir, open, readdir, rename, unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { makePrivate, PRIVATE_DIRECTORY_MODE } from './private-directory.ts';
import type { Clock } from '@retainer/contract/std/clock';
import { commandsOverPodsExec } from '@retainer/mind/parts/derived';
import { commandOfToday } from '@retainer/mind/older/command-accepted';
import { Command } from '@retainer/mind/run/inbox';

/** In case the file system sends no event. */
const POLL_MS = 1_000;

/** Largest command file: a Task with its context is far below it. */
const COMMAND_BYTES_MAX = 1_048_576;

/** Who can leave a command: users of this machine, or whoever may run programs in the agent's container. */
export type SpoolWriters = 'OsUsers' | 'PodsExec';

/** What no resource of the cluster carries. Tasks, decisions, answers and cancellations are written there, each with a right of its own. */
const overPodsExec: ReadonlySet<string> = new Set(['TendMemory', ...commandsOverPodsExec]);

export interface SpoolHandlers {
  /** If false, commands stay in the spool, as on a full volume. */
  isAccepting(): boolean;
  /** Resolves when the command is durable in the inbox. */
  accept(originId: string, command: Command): Promise<unknown>;
  /** For a file without a valid command, which moves to `rejected/`. */
  onRejected(file: string, reason: string): void;
}

/**
 * Leaves a command in the spool of a data directory; durable when resolved.
 *
 * @param originId  of what is the same however often it is left; absent: a new one
 * @returns the inbox takes this id once
 */
export function leaveCommand(
  dataDirectory: string,
  command: Exclude<Command, { type: 'StartRun' }>,
  originId?: string,
): Promise<string> {
  return spoolCommand(join(dataDirectory, 'spool'), command, originId);
}

/** As {@link leaveCommand}, into the spool itself. */
export async function spoolCommand(
  directory: string,
  command: Command,
  originId = `spool-${Date.now()}-${randomUUID()}`,
): Promise<string> {
  await mkdir(directory, { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
  const temporary = join(directory, `.${randomUUID()}.tmp`);
  const file = await open(temporary, 'wx');
  try {
    await file.writeFile(JSON.stringify(command));
    await file.datasync();
  } finally {
    await file.close();
  }
  await rename(temporary, join(directory, `${originId}.json`));
  return originId;
}

export interface WatchedSpool extends SpoolHandlers {
  readonly directory: string;
  readonly writers: SpoolWriters;
}

/** Takes what lies there, once: what people said before a start holds for all that the start does. */
export async function takeSpool(spool: WatchedSpool): Promise<void> {
  await makePrivate(spool.directory);
  if (spool.isAccepting()) await takeAll(spool);
}

export async function watchSpool(spool: WatchedSpool, clock: Clock, signal: AbortSignal): Promise<void> {
  const { directory } = spool;
  await makePrivate(directory);
  const watcher = watch(directory);
  try {
    while (!signal.aborted) {
      if (spool.isAccepting()) await takeAll(spool);
      const pause = new AbortController();
      const stop = AbortSignal.any([signal, pause.signal]);
      await Promise.race([once(watcher, 'change', { signal: stop }), clock.sleep(POLL_MS, stop)]).catch(
        () => undefined,
      );
      pause.abort();
    }
  } finally {
    watcher.close();
  }
}

async function takeAll(spool: WatchedSpool): Promise<void> {
  const names = (await readdir(spool.directory)).filter((name) => name.endsWith('.json')).toSorted();
  for (const name of names) await takeOne(join(spool.directory, name), spool);
}

async function takeOne(path: string, spool: WatchedSpool): Promise<void> {
  const parsed = await readCommand(path, spool.writers);
  if (parsed.ok) {
    await spool.accept(basename(path, '.json'), parsed.value);
    await unlink(path);
    return;
  }
  const aside = join(path, '..', 'rejected');
  await mkdir(aside, { recursive: true });
  await rename(path, join(aside, basename(path)));
  spool.onRejected(basename(path), parsed.error);
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

async function readCommand(path: string, writers: SpoolWriters): Promise<Result<Command, string>> {
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined);
  if (file === undefined) return err('a link, or a file that cannot be opened');
  try {
    const { uid, size } = await file.stat();
    if (uid !== process.getuid?.() && uid !== ROOT_UID) return err(`of uid ${uid}, who does not run this agent`);
    if (size > COMMAND_BYTES_MAX) return err(`larger than ${COMMAND_BYTES_MAX} bytes`);
    const parsed = parseCommand(await file.readFile('utf8'));
    if (!parsed.ok) return parsed;
    const { type } = parsed.value;
    if (writers === 'PodsExec' && !overPodsExec.has(type))
      return err(
        `${type} is not taken over pods/exec: people decide on Tasks at the API server, with rights of their own`,
      );
    if (parsed.value.type === 'StartRun') return parsed;
    return ok({ ...parsed.value, knownBy: { how: writers === 'PodsExec' ? 'PodsExec' : 'OsUser', uid } });
  } finally {
    await file.close();
  }
}

/** It may decide for everybody on its machine. */
const ROOT_UID = 0;

function parseCommand(text: string): Result<Command, string> {
  try {
    const command = Command.safeParse(commandOfToday(JSON.parse(text)));
    return command.success
      ? ok(command.data)
      : err(command.error.issues.map((it) => `${it.path.join('.')}: ${it.message}`).join('; '));
  } catch {
    return err('not JSON');
  }
}
