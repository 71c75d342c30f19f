/** `retainer journal`: verify, repair and show the append-only record itself. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { applyRepair, planRepair, type StoreRepair } from '@retainer/journal/repair';
import type { JournalReader, JournalRecord } from '@retainer/journal/journal';
import { LockHeldError } from '@retainer/journal/open-journal';
import { missingPart, openJournalRecords } from '@retainer/agent-pod/review/run-records';
import { renderPlural, renderSize } from '@retainer/mind/explain/figures';
import { readEnvironment } from '../config.ts';
import { exitCodes } from '../exit-codes.ts';
import { readKeptHeads } from '../kept-heads.ts';
import { createOutput, type Output, type OutputFormat } from '../output.ts';
import { refuse } from '../refuse.ts';
import { copyIn, verifyCopy } from './backup-verify.ts';
import { FAULTS_SHOWN, nextCommand, tellVerification } from '../tell-verification.ts';
import { lossDetails, renderFault, verifyRecord } from '../verify-record.ts';

interface CommonFlags {
  readonly output: OutputFormat;
}

export interface VerifyFlags extends CommonFlags {
  readonly live?: true;
  readonly heads?: string;
}

export async function verifyCommand(given: string, flags: VerifyFlags): Promise<number> {
  const output = createOutput(flags.output, readEnvironment().colour);
  const copy = await copyIn(given);
  if (copy !== undefined) return verifyCopy(output, copy, given, flags.heads);
  const directory = await journalDirectory(given);
  if (directory === undefined) return refuse(output, `${given} is no journal`);
  const knownHeads = flags.heads === undefined ? [] : await readKeptHeads(flags.heads);
  if (knownHeads === undefined) return refuse(output, `${flags.heads} is no directory of an auditor`);
  return tellVerification(output, await verifyRecord(directory, { isLive: flags.live === true, knownHeads }));
}

export interface RepairFlags extends CommonFlags {
  readonly yes?: true;
  readonly giveUpStore?: readonly string[];
  readonly reason?: string;
  readonly by?: string;
}

export async function repairCommand(given: string, flags: RepairFlags): Promise<number> {
  const environment = readEnvironment();
  const output = createOutput(flags.output, environment.colour);
  if ((await copyIn(given)) !== undefined) return refuse(output, restoreFirst(given));
  const directory = await journalDirectory(given);
  if (directory === undefined) return refuse(output, `${given} is no journal`);
  const { giveUpStore: giveUp = [], reason } = flags;
  if (giveUp.length > 0 && reason === undefined)
    return refuse(output, '--give-up-store needs --reason: the record keeps it');
  const shared = { directory, principal: `human:${flags.by ?? environment.userName}`, nowMs: Date.now(), giveUp };
  const options = reason === undefined ? shared : { ...shared, reason };
  try {
    const repairs = flags.yes === true ? await applyRepair(options) : await planRepair(options);
    output.data({ directory, isDone: flags.yes === true, repairs });
    return tellRepairs(output, { repairs, directory, isDone: flags.yes === true });
  } catch (error) {
    if (!(error instanceof LockHeldError)) throw error;
    output.error(error.message);
    return exitCodes.held;
  }
}

interface Told {
  readonly repairs: readonly StoreRepair[];
  readonly directory: string;
  readonly isDone: boolean;
}

function tellRepairs(output: Output, { repairs, directory, isDone }: Told): number {
  if (repairs.length === 0) {
    output.line('nothing to repair', 'Good');
    return exitCodes.done;
  }
  for (const repair of repairs) tellRepair(output, repair, directory, isDone);
  const refused = repairs.filter((it) => it.refusal !== undefined);
  if (isDone) output.line(`done; verify it with: ${nextCommand('verify', directory)}`);
  else output.line('nothing was changed; --yes repairs, and keeps copies of replaced files in damaged/', 'Warning');
  return isDone && refused.length === 0 ? exitCodes.done : exitCodes.record;
}

function tellRepair(output: Output, repair: StoreRepair, directory: string, isDone: boolean): void {
  const { store, faults, damagedFiles, newFiles, lost, keptRecords, refusal } = repair;
  const where = damagedFiles.length === 0 ? '' : ` in ${damagedFiles.join(', ')}`;
  output.line(`store ${store}: ${renderPlural(faults.length, 'fault')}${where}`, 'Bad');
  for (const fault of faults.slice(0, FAULTS_SHOWN)) output.line(`  ${renderFault(fault, directory)}`);
  if (refusal !== undefined) {
    output.line(`  needs a person: ${refusal}`, 'Bad');
    return;
  }
  const verb = isDone ? 'was' : 'would be';
  output.line(
    `  ${renderPlural(keptRecords, 'record')} ${verb} kept, in ${newFiles.map((it) => `${it.file} (${it.lines} lines)`).join(', ')}`,
  );
  for (const range of lost) output.line(`  ${verb} dropped and recorded as lost: ${renderLost(range)}`, 'Warning');
}

function renderLost({ fromSeq, toSeq, orders, kinds, runs }: StoreRepair['lost'][number]): string {
  const what = `${renderPlural(toSeq - fromSeq + 1, 'record')}, sequence ${fromSeq} to ${toSeq}`;
  return [what, ...lossDetails({ lostOrders: [...orders], lostKinds: [...kinds], runs: [...runs] })].join('; ');
}

export interface ShowFlags extends CommonFlags {
  readonly store?: string;
  readonly run?: string;
  readonly kind?: string;
  readonly from?: string;
  readonly to?: string;
}

export async function showCommand(given: string, flags: ShowFlags): Promise<number> {
  const output = createOutput(flags.output, readEnvironment().colour);
  if ((await copyIn(given)) !== undefined) return refuse(output, restoreFirst(given));
  const directory = await journalDirectory(given);
  if (directory === undefined) return refuse(output, `${given} is no journal`);
  const range = { from: momentMs(flags.from), to: momentMs(flags.to) };
  for (const [name, value] of Object.entries(range)) {
    if (Number.isNaN(value))
      return refuse(output, `--${name} takes a moment such as 2026-01-31 or 2026-01-31T08:00:00Z`);
  }
  const reader = await openJournalRecords(directory);
  if (flags.store !== undefined && !reader.stores.includes(flags.store)) {
    return refuse(output, `no store ${flags.store}; stores: ${reader.stores.join(', ')}`);
  }
  for await (const found of recordsOf(reader, flags.store)) {
    if (!isWanted(found, flags, range)) continue;
    const record = tellable(found);
    output.dataLine(record);
    output.line(recordLine(record));
  }
  return exitCodes.done;
}

function recordsOf(reader: JournalReader, store: string | undefined): AsyncIterable<JournalRecord> {
  return store === undefined ? reader.readAll(reader.stores) : reader.read(store);
}

function isWanted(
  record: JournalRecord,
  { run, kind }: ShowFlags,
  { from, to }: { readonly from: number | undefined; readonly to: number | undefined },
): boolean {
  if (run !== undefined && record.runId?.startsWith(run) !== true) return false;
  if (kind !== undefined && record.kind !== kind) return false;
  return record.timeMs >= (from ?? -Infinity) && record.timeMs < (to ?? Infinity);
}

/** What cannot be read of a record is no reason to hide the others. */
function tellable(record: JournalRecord): JournalRecord {
  const missing = missingPart(record);
  if (missing === undefined) return record;
  const { store, seq, order, epoch, kind, version, timeMs, principal, runId, cycleId, prev, hash } = record;
  const ids = { ...(runId === undefined ? {} : { runId }), ...(cycleId === undefined ? {} : { cycleId }) };
  const payload = { missing: missing.message };
  return { store, seq, order, epoch, kind, version, timeMs, principal, ...ids, payload, prev, hash };
}

const PAYLOAD_CHARACTERS = 120;

function recordLine({ store, seq, order, kind, timeMs, principal, payload }: JournalRecord): string {
  const text = JSON.stringify(payload);
  const shown =
    text.length <= PAYLOAD_CHARACTERS ? text : `${text.slice(0, PAYLOAD_CHARACTERS)} … (${renderSize(text.length)})`;
  return `${new Date(timeMs).toISOString()} ${order} ${store}/${seq} ${kind} by ${principal} ${shown}`;
}

function momentMs(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}

/** The journal itself, or the data directory that holds it. */
async function journalDirectory(given: string): Promise<string | undefined> {
  const isDirectory = async (path: string): Promise<boolean> =>
    (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
  if (await isDirectory(join(given, 'journal'))) return join(given, 'journal');
  return (await isDirectory(given)) ? given : undefined;
}

/** A repair of a copy would be one of its pieces. */
function restoreFirst(given: string): string {
  return `${given} is a copy in a git repository: rebuild the record first, with retainer restore --from ${given} --to NEWDIR`;
}
