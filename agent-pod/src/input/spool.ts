/**
 * The spool: a directory in which programs on this machine leave commands for the agent, even while it is stopped.
 *
 * A command is one JSON file, written under a temporary name and renamed into place. The agent adds it to its durable inbox,
 * then removes the file. The file name is the origin id, so a crash in between does not add it twice.
 */
import { mkdir, open, readdir, readFile, rename, unlink } from 'node:fs/promises';
import { watch } from 'node:fs';
import { basename, join } from 'node:path';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { Clock } from '@retainer/contract/std/clock';
import { Command } from '@retainer/mind/run/inbox';

/** In case the file system sends no event. */
const POLL_MS = 1_000;

/** Largest command file: a Task with its context is far below it. */
const COMMAND_BYTES_MAX = 1_048_576;

export interface SpoolHandlers {
  /** If false, commands stay in the spool, as on a full volume. */
  isAccepting(): boolean;
  /** Resolves when the command is durable in the inbox. */
  accept(originId: string, command: Command): Promise<unknown>;
  /** For a file without a valid command, which moves to `rejected/`. */
  onRejected(file: string, reason: string): void;
}

/** Leaves a command in the spool of a data directory; durable when resolved. @returns the inbox takes this id once */
export function leaveCommand(dataDirectory: string, command: Exclude<Command, { type: 'StartRun' }>): Promise<string> {
  return spoolCommand(join(dataDirectory, 'spool'), command);
}

/** As {@link leaveCommand}, into the spool itself. */
export async function spoolCommand(directory: string, command: Command): Promise<string> {
  await mkdir(directory, { recursive: true });
  const originId = `spool-${Date.now()}-${randomUUID()}`;
  const temporary = join(directory, `.${originId}.tmp`);
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

export async function watchSpool(
  directory: string,
  handlers: SpoolHandlers,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  await mkdir(directory, { recursive: true });
  const watcher = watch(directory);
  try {
    while (!signal.aborted) {
      if (handlers.isAccepting()) await takeAll(directory, handlers);
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

async function takeAll(directory: string, handlers: SpoolHandlers): Promise<void> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.json')).toSorted();
  for (const name of names) await takeOne(join(directory, name), handlers);
}

async function takeOne(path: string, handlers: SpoolHandlers): Promise<void> {
  const parsed = parseCommand(await readFile(path, 'utf8'));
  if (parsed.ok) {
    await handlers.accept(basename(path, '.json'), parsed.value);
    await unlink(path);
    return;
  }
  const aside = join(path, '..', 'rejected');
  await mkdir(aside, { recursive: true });
  await rename(path, join(aside, basename(path)));
  handlers.onRejected(basename(path), parsed.error);
}

function parseCommand(text: string): Result<Command, string> {
  if (text.length > COMMAND_BYTES_MAX) return err(`larger than ${COMMAND_BYTES_MAX} bytes`);
  try {
    const command = Command.safeParse(JSON.parse(text));
    return command.success
      ? ok(command.data)
      : err(command.error.issues.map((it) => `${it.path.join('.')}: ${it.message}`).join('; '));
  } catch {
    return err('not JSON');
  }
}
