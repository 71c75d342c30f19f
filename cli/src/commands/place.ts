/** `retainer backup place`: a restoring in place, in a pod on the volume of an agent that does not run. */
import { readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { readPack } from '@retainer/agent-pod/backup/bundle';
import { findCommit, type CommitEntry } from '@retainer/agent-pod/backup/history';
import { asidePath, putInPlace, removeEmptied, restoredPath } from '@retainer/agent-pod/backup/put-in-place';
import { BRANCH_NAME, readRepository, REPOSITORY, type Repository } from '@retainer/agent-pod/backup/repository';
import { unfinishedPlacing, type UnfinishedPlacing } from '@retainer/agent-pod/backup/unfinished-placing';
import { recordedLife } from '@retainer/agent-pod/review/individual';
import { printable } from '@retainer/contract/std/printable';
import { shownCommit } from '@retainer/contract/std/shown-commit';
import { systemClock } from '@retainer/contract/std/system-clock';
import { fileLock, type HeldLock } from '@retainer/journal/lock';
import { LockHeldError } from '@retainer/journal/open-journal';
import { openJournalReader } from '@retainer/journal/open-reader';
import { readEnvironment } from '../config.ts';
import { exitCodes } from '../exit-codes.ts';
import { createOutput, type Output, type OutputFormat } from '../output.ts';
import { refuse } from '../refuse.ts';
import { failing, findRepository, isDirectory } from './repository-place.ts';
import { restoreFrom, whoIs } from './restore.ts';

export interface PlaceInFlags {
  readonly output: OutputFormat;
  readonly data: string;
  readonly at?: string;
  readonly incoming?: string;
  readonly by: string;
  readonly agent?: string;
  readonly individual?: string;
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
    const record = new RecordLock(flags.data);
    try {
      await record.take();
      return await placed({ ...flags, record }, output);
    } catch (error) {
      if (!(error instanceof RecordInUseError)) throw error;
      return refuse(output, error.message, exitCodes.held);
    } finally {
      await rm(join(flags.data, INCOMING), { recursive: true, force: true });
      await record.release();
      await lock.release();
    }
  });
}

class RecordInUseError extends Error {
  override readonly name = 'RecordInUseError';
}

/** Of the record that is moved aside: an agent that starts meanwhile, or a repair, must not write to it. */
class RecordLock {
  readonly #directory: string;
  #held: HeldLock | undefined;

  constructor(data: string) {
    this.#directory = join(data, 'journal');
  }

  /** Of a volume without a record, there is none to take; call it again where one may have come. @throws RecordInUseError */
  async take(): Promise<void> {
    if (this.#held !== undefined || !(await isDirectory(this.#directory))) return;
    try {
      this.#held = await fileLock.acquire(join(this.#directory, 'lock'));
    } catch (error) {
      if (!(error instanceof LockHeldError)) throw error;
      throw new RecordInUseError(
        `an agent or a repair is at work on this volume: suspend the agent, wait until its pod is gone, and try again (${error.message})`,
        { cause: error },
      );
    }
  }

  async release(): Promise<void> {
    await this.#held?.release();
  }
}

type Placing = PlaceInFlags & { readonly record: RecordLock };

async function placed(flags: Placing, output: Output): Promise<number> {
  const { data, at, incoming, by, output: format, record } = flags;
  const begun = await unfinishedPlacing(data, systemClock);
  if (begun !== undefined) return finish(begun, flags, output);
  await removeEmptied(data);
  // What a killed restoring left is not complete.
  for (const name of await readdir(data))
    if (name.endsWith('.restoring') || name === INCOMING) await rm(join(data, name), { recursive: true, force: true });
  const repository =
    incoming === undefined ? await findRepository({ output: format, data }) : await arriving(data, incoming);
  if (!repository.ok) return refuse(output, repository.error);
  const moment = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const onRestored = async (): Promise<{ readonly before: string }> => {
    await record.take();
    return { before: await putInPlace(data, moment, STAYS) };
  };
  return restoreFrom(repository.value, {
    ...{ at: incoming ?? at, to: restoredPath(data, moment), kept: [], by, output, onRestored },
    whyNot: (entry) => whyAnother(entry, flags),
  });
}

/** Only what this command would have done, too: somebody who asks for another commit must not get this one. */
async function finish(begun: UnfinishedPlacing, flags: PlaceInFlags, output: Output): Promise<number> {
  const { data } = flags;
  const { moment, commit } = begun;
  const asked = await askedCommit(begun, flags);
  if (asked !== commit) return refuse(output, await otherBegun(begun, flags, asked), exitCodes.held);
  const before = await putInPlace(data, moment, STAYS);
  output.data({ before, isFinished: true, commit, agent: begun.agent, individual: begun.individual });
  output.line(`a restoring of ${shownCommit(commit)} that was cut off is in place now`, 'Good');
  output.line(printable(`it is ${whoIs(begun)}`));
  output.line(`what was there before is in ${before}`);
  return exitCodes.done;
}

/** An id, or the beginning of one; digits alone are an order. */
const ID = /^(?!\d{1,15}$)[0-9a-f]{4,40}$/;

/** @returns undefined: none that this volume knows */
async function askedCommit(
  { moment, commit }: UnfinishedPlacing,
  { data, at, incoming }: PlaceInFlags,
): Promise<string | undefined> {
  if (incoming !== undefined) return incoming;
  if (at !== undefined && ID.test(at) && commit.startsWith(at)) return commit;
  // The one of the volume may be moved aside by now.
  const repository =
    (await readRepository(join(asidePath(data, moment), REPOSITORY), BRANCH_NAME)) ??
    (await readRepository(join(data, REPOSITORY), BRANCH_NAME));
  const found = repository === undefined ? undefined : await findCommit(repository, at);
  return found?.ok === true ? found.value.commit : undefined;
}

async function otherBegun(
  begun: UnfinishedPlacing,
  { data, at }: PlaceInFlags,
  asked: string | undefined,
): Promise<readonly string[]> {
  const { moment, commit } = begun;
  const restored = basename(restoredPath(data, moment));
  const aside = basename(asidePath(data, moment));
  const isMoved = (await stat(asidePath(data, moment)).catch(() => undefined)) !== undefined;
  const { program, options = '' } = readEnvironment().caller;
  const wanted =
    asked === undefined ? `${at ?? 'the newest commit'}, which this volume does not know` : shownCommit(asked);
  return [
    printable(
      `you ask for ${wanted}, and a restoring of ${shownCommit(commit)} (${whoIs(begun)}) was cut off before it was in place: nothing was done`,
    ),
    `finish that one with: ${program} restore ${options} --at ${shownCommit(commit)} --to-volume`,
    isMoved
      ? `then restore the other one, with --from if no repository but that in ${aside} has it`
      : `or discard it: remove ${restored} from the volume, and give your command again`,
  ];
}

/** A volume is of one agent, and nobody replaces one individual by another without knowing. */
async function whyAnother(entry: CommitEntry, { data, agent, individual }: PlaceInFlags): Promise<readonly string[]> {
  if (agent !== undefined && entry.agent !== agent)
    return [
      printable(
        `${shownCommit(entry.commit)} is of ${whoIs(entry)}, and the volume of agent ${agent}: nothing was done`,
      ),
    ];
  if (individual !== undefined)
    return entry.individual === individual
      ? []
      : [
          printable(
            `${shownCommit(entry.commit)} is of ${whoIs(entry)}, and you named ${individual}: nothing was done`,
          ),
        ];
  const there = await individualOn(data);
  if (there === undefined || there === entry.individual) return [];
  return [
    printable(
      `the volume has individual ${there}, and ${shownCommit(entry.commit)} is of ${whoIs(entry)}: nothing was done`,
    ),
    ...(entry.individual === undefined
      ? []
      : [`if that one is to live there, as after the loss of its volume, add: --individual ${entry.individual}`]),
  ];
}

/** Undefined where there is no record, or none that can be read: a restoring is what helps then. */
async function individualOn(data: string): Promise<string | undefined> {
  try {
    const reader = await openJournalReader({ directory: join(data, 'journal'), clock: systemClock });
    return (await recordedLife(reader)).individual;
  } catch {
    return undefined;
  }
}

async function arriving(data: string, commit: string): Promise<{ readonly ok: true; readonly value: Repository }> {
  return { ok: true, value: await readPack(process.stdin, commit, join(data, INCOMING)) };
}
