/** Examines every store of a journal before any write, and decides whether and how it may be opened. */
import { OpeningRefusedError } from './journal-errors.ts';
import type { FileSystem } from './file-system.ts';
import type { Head } from './journal.ts';
import { examineStore, openingTable, type ExaminedStore } from './recover.ts';
import { readLines } from './line-reader.ts';
import { decodeLine } from './codec.ts';
import { segmentFile } from './segment.ts';
import { commonKinds } from './stores.ts';
import { headsToCompare, readTestimony } from './testimony.ts';

export interface ExaminedJournal {
  readonly stores: ReadonlyMap<string, ExaminedStore>;
  /** Epoch of this opening; the caller's own if it gave one. */
  readonly epoch: number;
  readonly nextOrder: number;
  /** Why the store must not be written; undefined when it may. */
  readonly damage: string | undefined;
}

export interface ExamineJournalOptions {
  readonly fileSystem: FileSystem;
  readonly directory: string;
  readonly stores: readonly string[];
  readonly epoch: number | undefined;
  readonly knownHeads: readonly Head[];
  readonly agentUid: string;
}

/** @throws OpeningRefusedError  where the opening table says to stop */
export async function examineJournal(options: ExamineJournalOptions): Promise<ExaminedJournal> {
  const { fileSystem, directory, epoch } = options;
  const testimony = await readTestimony(fileSystem, directory);
  const names = new Set([...options.stores, ...testimony.stores]);
  const examined = await Promise.all(
    [...names].map((store) =>
      examineStore({
        ...{ fileSystem, directory, store, epoch },
        ...{ knownHeads: options.knownHeads, notedHeads: headsToCompare(testimony) },
      }),
    ),
  );
  for (const store of examined) refuseIfStopped(store);
  await Promise.all(examined.map((store) => checkOwner(options, store)));
  const damaged = examined.find(({ action }) => action === 'OpenReadOnly');
  return {
    stores: new Map(examined.map((store) => [store.store, store])),
    epoch: epoch ?? Math.max(0, ...examined.map(({ found }) => found.epochFound)) + 1,
    nextOrder: Math.max(-1, ...examined.map(({ state }) => state.order)) + 1,
    damage: missingText(testimony.missing) ?? (damaged === undefined ? undefined : damageText(damaged)),
  };
}

function refuseIfStopped(examined: ExaminedStore): void {
  const { action, found, store, fault, state, missing } = examined;
  if (action !== 'Stop' && action !== 'StopAndAsk') return;
  const row = openingTable.find(({ when }) => when(found))?.found ?? '';
  const [head] = missing;
  if (action === 'StopAndAsk' && head !== undefined)
    throw new OpeningRefusedError('Rollback', `store ${store}, sequence ${head.seq}: ${row}; ${contradictionAdvice}`);
  const place = fault === undefined ? `sequence ${state.nextSeq - 1}` : `${fault.file}, sequence ${fault.seq}`;
  const epochs = `epoch found ${found.epochFound}, given ${found.epochGiven ?? 'none'}`;
  const advice = 'split brain: find the other writer before anything is started again';
  throw new OpeningRefusedError('SplitBrain', `store ${store}, ${place}: ${row} (${epochs}); ${advice}`);
}

const contradictionAdvice =
  'nothing is written to it. Was the volume restored? Compare with the auditor and the second copy, and restore the record from a backup; "retainer journal repair" tells what else can be done';

function missingText(missing: readonly string[]): string | undefined {
  if (missing.length === 0) return undefined;
  const what = missing.length === 1 ? `store ${missing.join('')} is` : `stores ${missing.join(', ')} are`;
  return `${what} gone; restore the journal from a backup. "retainer journal repair" tells what else can be done`;
}

function damageText({ store, fault }: ExaminedStore): string {
  const place = fault === undefined ? '' : `${fault.file}, line ${fault.line}, sequence ${fault.seq}: ${fault.message}`;
  return `store ${store} is damaged: ${place}; it is read-only until "retainer journal repair" was run`;
}

/** The first record of a store names the agent it belongs to. */
async function checkOwner(
  { fileSystem, directory, agentUid }: ExamineJournalOptions,
  { store, segments, action }: ExaminedStore,
): Promise<void> {
  const first = segments[0];
  if (first === undefined || action === 'OpenReadOnly') return;
  const path = `${directory}/${store}/${segmentFile(first)}`;
  const owner = await firstOwner(fileSystem, path);
  if (owner === undefined || owner === agentUid) return;
  throw new OpeningRefusedError(
    'WrongAgent',
    `${path} belongs to agent ${owner}, not to ${agentUid}: wrong directory?`,
  );
}

async function firstOwner(fileSystem: FileSystem, path: string): Promise<string | undefined> {
  const file = await fileSystem.open(path, 'read');
  try {
    const toBytes = Math.min((await fileSystem.sizeBytes(path)) ?? 0, 4096);
    for await (const [line] of readLines(file, { fromBytes: 0, toBytes, firstLine: 1 })) {
      const decoded = line === undefined ? undefined : decodeLine(line.bytes);
      if (decoded?.ok !== true || !('payload' in decoded.value.content)) return undefined;
      const opened = commonKinds.StoreOpened.schema.safeParse(decoded.value.content.payload);
      return opened.success ? opened.data.agentUid : undefined;
    }
    return undefined;
  } finally {
    await file.close();
  }
}
