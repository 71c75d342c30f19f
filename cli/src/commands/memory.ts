/** `retainer memory`: what an agent remembers, and where it comes from. */
import { openMeaning } from '@retainer/agent-pod/boot/word-table';
import { affectIn, affectTable, measuredIn, measuredLine } from '@retainer/agent-pod/review/affect-records';
import {
  rememberedIn,
  threadsIn,
  traceMemory,
  type Remembered,
  type TracedRecord,
} from '@retainer/agent-pod/review/memory-records';
import { searchMemory, type FoundMemory } from '@retainer/agent-pod/review/search-memory';
import { printable } from '@retainer/contract/std/printable';
import { systemClock } from '@retainer/contract/std/system-clock';
import { alignedRows, renderPlural } from '@retainer/mind/explain/figures';
import { askRecord } from '../access/ask-record.ts';
import type { PlaceFlags } from '../access/place.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Output, OutputFormat } from '../output.ts';
import { refuse } from '../refuse.ts';

export interface MemoryFlags extends PlaceFlags {
  readonly output: OutputFormat;
}

/** Characters of one line; the record has all. */
const LINE_CHARACTERS = 160;

/** Found things: as many as one reads. */
const FOUND_MAX = 20;

export function showCommand(flags: MemoryFlags): Promise<number> {
  return askRecord(flags, { words: ['memory', 'show'] }, async ({ output, reader }) =>
    tellAll(output, await rememberedIn(reader, systemClock.nowMs())),
  );
}

export function searchCommand(text: string, flags: MemoryFlags): Promise<number> {
  const command = { words: ['memory', 'search'], arguments: [text] };
  return askRecord(flags, command, async ({ output, reader }) => {
    const all = await rememberedIn(reader, systemClock.nowMs());
    const meaning = await openMeaning((notice) => output.note(notice, 'Warning'));
    return tellFound(output, searchMemory(all, { text, meaning, count: FOUND_MAX }));
  });
}

function tellAll(output: Output, all: readonly Remembered[]): number {
  output.data(all);
  for (const it of all) output.line(lineOf(it));
  output.line(`${renderPlural(all.length, 'thing')} remembered`, 'Quiet');
  return exitCodes.done;
}

function tellFound(output: Output, found: readonly FoundMemory[]): number {
  output.data(found);
  for (const it of found) {
    output.line(lineOf(it));
    output.line(`  ${whyFound(it)}`, 'Quiet');
  }
  output.line(`${renderPlural(found.length, 'thing')} found`, 'Quiet');
  return exitCodes.done;
}

function whyFound({ score, signals: { lexical, meaning }, matched }: FoundMemory): string {
  const words = matched.length === 0 ? '' : ` (${matched.map(printable).join(', ')})`;
  return `score ${score.toFixed(2)}: words ${lexical.toFixed(2)}${words}, meaning ${meaning.toFixed(2)}`;
}

function lineOf({ what, id, text, isTrusted, confidence }: Remembered): string {
  const sure = confidence === undefined ? '' : `, sure ${confidence.toFixed(2)}`;
  const line = `${what.toLowerCase().padEnd(6)}  ${id}  ${isTrusted ? 'trusted' : 'untrusted'}${sure}  ${JSON.stringify(text)}`;
  return printable(line.length <= LINE_CHARACTERS ? line : `${line.slice(0, LINE_CHARACTERS)}…`);
}

export function traceCommand(id: string, flags: MemoryFlags): Promise<number> {
  const command = { words: ['memory', 'trace'], arguments: [id] };
  return askRecord(flags, command, async ({ output, reader }) => {
    const records = await traceMemory(reader, id);
    if (records.length === 0) return refuse(output, unknown(id));
    output.data({ id, records });
    for (const record of records) output.line(recordLine(record));
    return exitCodes.done;
  });
}

function recordLine(record: TracedRecord): string {
  const { store, seq, timeMs, kind, principal, runId, payload, knownBy } = record;
  const measured = measuredIn(record);
  const { reason, ...told } = payload as Readonly<Record<string, unknown>>;
  const words = told['value'] ?? told['summary'] ?? told['prose'];
  const run = runId === undefined ? '' : `, run ${runId}`;
  const claimed = knownBy?.how === 'PodsExec' ? ' as they say, over pods/exec' : '';
  const said = words === undefined ? '' : ` ${JSON.stringify(words)}`;
  const what = measured === undefined ? said : ` ${measuredLine(measured)}`;
  const why = reason === undefined ? '' : `: ${JSON.stringify(reason)}`;
  return printable(
    `${new Date(timeMs).toISOString()}  ${store}/${seq}  ${kind}${what}  (${principal}${claimed}${run})${why}`,
  );
}

export function unknown(id: string): string {
  return `nothing is remembered under ${JSON.stringify(id)}; retainer memory show lists what is: fact:KEY, or the id of a megram, a run, a case or an artifact`;
}

export function threadsCommand(flags: MemoryFlags): Promise<number> {
  return askRecord(flags, { words: ['memory', 'threads'] }, async ({ output, reader }) => {
    const threads = await threadsIn(reader);
    output.data(threads);
    for (const { threadId, name, runs, lastRunId, lastAtMs } of threads)
      output.line(
        printable(
          `${threadId}  ${JSON.stringify(name)}  ${renderPlural(runs, 'run')}, last ${lastRunId} at ${new Date(lastAtMs).toISOString()}`,
        ),
      );
    output.line(renderPlural(threads.length, 'thread'), 'Quiet');
    return exitCodes.done;
  });
}

/** Measurements: a day's work of an agent that works now and then. */
const AFFECT_MAX = 20;

export function affectCommand(flags: MemoryFlags): Promise<number> {
  return askRecord(flags, { words: ['memory', 'affect'] }, async ({ output, reader }) => {
    const measured = await affectIn(reader, AFFECT_MAX);
    output.data(measured);
    const table = measured.length === 0 ? [] : affectTable(measured);
    for (const row of alignedRows(table, '  ')) output.line(printable(row));
    output.line(renderPlural(measured.length, 'measurement'), 'Quiet');
    return exitCodes.done;
  });
}
