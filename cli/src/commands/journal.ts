/** `retainer journal`: verify, repair and show the append-only record itself. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { applyRepair, planRepair, type StoreRepair } from '@retainer/journal/repair';
import type { JournalReader, JournalRecord } from '@retainer/journal/journal';
import { LockHeldError } from '@retainer/journal/open-journal';
import { missingPart, openJournalRecords } from '@retainer/agent-pod/review/run-records';
import { checkVerdicts, type CheckedVerdicts } from '@retainer/agent-pod/review/verdict-check';
import { renderCount, renderPlural, renderSize } from '@retainer/mind/explain/figures';
import { readEnvironment } from '../config.ts';
import { exitCodes } from '../exit-codes.ts';
import { readKeptHeads } from '../kept-heads.ts';
import { createOutput, type Output, type OutputFormat } from '../output.ts';
import { refuse } from '../refuse.ts';
import { findingOf, isSound, lossDetails, renderFault, renderGap, verifyRecord } from '../verify-record.ts';
import type { Finding, Verification } from '../verify-record.ts';

interface CommonFlags {
  readonly output: OutputFormat;
}

/** Hexadecimal digits of a hash that people compare by eye. */
const HASH_DIGITS = 12;

const noVerdicts: CheckedVerdicts = { verdicts: 0, findings: [], otherRules: [], otherRulesCycles: 0 };

/** Faults in the output for people; `-o json` has more. */
const FAULTS_SHOWN = 20;

export interface VerifyFlags extends CommonFlags {
  readonly live?: true;
  readonly heads?: string;
}

export async function verifyCommand(given: string, flags: VerifyFlags): Promise<number> {
  const output = createOutput(flags.output, readEnvironment().colour);
  const directory = await journalDirectory(given);
  if (directory === undefined) return refuse(output, `${given} is no journal`);
  const knownHeads = flags.heads === undefined ? [] : await readKeptHeads(flags.heads);
  if (knownHeads === undefined) return refuse(output, `${flags.heads} is no directory of an auditor`);
  return tellVerification(output, await verifyRecord(directory, { isLive: flags.live === true, knownHeads }));
}

async function tellVerification(output: Output, verification: Verification): Promise<number> {
  const { directory, stores, faults, records, bytes, durationMs } = verification;
  const isWhole = isSound(verification);
  // Verdicts can be checked only in a whole record.
  const checked = isWhole ? await checkVerdicts(await openJournalRecords(directory)) : noVerdicts;
  const finding = findingOf(verification);
  const sound = isWhole && checked.findings.length === 0;
  const code = isWhole && !sound ? exitCodes.record : (finding?.code ?? exitCodes.done);
  output.data({ ...verification, ...checked, isSound: sound, exitCode: code });
  tellStores(output, stores);
  for (const fault of faults.slice(0, FAULTS_SHOWN)) output.line(renderFault(fault, directory), 'Bad');
  if (faults.length > FAULTS_SHOWN) output.line(`… and ${renderCount(faults.length - FAULTS_SHOWN)} more`, 'Bad');
  const speed = `${(bytes / 1_000_000 / Math.max(durationMs / 1000, 1e-6)).toFixed(0)} MB/s`;
  output.line(
    `${renderPlural(records, 'record')} in ${renderPlural(stores.length, 'store')}, ${renderSize(bytes)} in ${durationMs.toFixed(0)} ms (${speed})`,
    'Quiet',
  );
  for (const { kind, store, seq, detail } of checked.findings.slice(0, FAULTS_SHOWN))
    output.line(`${directory}/${store}: store ${store}, sequence ${seq}: ${kind}: ${detail}`, 'Bad');
  tellOtherRules(output, checked);
  for (const gap of verification.gaps) output.line(renderGap(gap), 'Warning');
  tellEnd(output, { directory, isWhole, finding, checked });
  return code;
}

interface VerifyEnd {
  readonly directory: string;
  readonly isWhole: boolean;
  readonly finding: Finding | undefined;
  readonly checked: CheckedVerdicts;
}

function tellEnd(output: Output, { directory, isWhole, finding, checked }: VerifyEnd): void {
  const anew = `${renderPlural(checked.verdicts, 'verdict')} of gates recomputed`;
  const wrong = checked.findings.length;
  if (!isWhole)
    output.line(`${finding?.text}; show what a repair would keep: ${nextCommand('repair', directory)}`, 'Bad');
  else if (wrong > 0)
    output.line(
      `${renderPlural(wrong, 'finding')}; ${anew}, equal to the record. Verify records of another program version with that version`,
      'Bad',
    );
  else if (finding !== undefined)
    output.line(`${finding.text}; every record that is there is unchanged; ${anew}`, 'Warning');
  else output.line(`verified: every record, link, segment and blob is unchanged; ${anew}`, 'Good');
}

function tellOtherRules(output: Output, { otherRules, otherRulesCycles }: CheckedVerdicts): void {
  for (const { seq, detail } of otherRules) output.line(`store cycle, sequence ${seq}: ${detail}`, 'Warning');
  if (otherRulesCycles > 0)
    output.line(
      `${renderPlural(otherRulesCycles, 'cycle')} recorded under another version of the gate rules; this version decides them differently, so they were not judged. Verify with the version that wrote them`,
      'Warning',
    );
}

function tellStores(output: Output, stores: Verification['stores']): void {
  const width = Math.max(...stores.map((it) => it.store.length), 5);
  for (const { store, records: count, bytes: size, head, faults: found } of stores) {
    const end = head === undefined ? 'empty' : `head ${head.seq} ${head.hash.slice(0, HASH_DIGITS)}`;
    const state = found === 0 ? 'whole' : renderPlural(found, 'fault');
    output.line(
      `${store.padEnd(width)}  ${renderPlural(count, 'record').padEnd(16)} ${renderSize(size).padEnd(10)} ${end}  ${state}`,
      found === 0 ? 'Plain' : 'Bad',
    );
  }
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

/** As the person can type it, who may be at another machine. */
function nextCommand(name: 'verify' | 'repair', directory: string): string {
  const { program, options } = readEnvironment().caller;
  return options === undefined ? `npx retainer journal ${name} ${directory}` : `${program} journal ${name} ${options}`;
}
