/** A real journal in a temporary directory, for those who read journals of others; and ways to tamper with one. */
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Clock } from '@retainer/contract/std/clock';
import { closeLine } from '@retainer/journal/codec';
import type { Head, Journal, NewRecord } from '@retainer/journal/journal';
import { noLock } from './journal/no-lock.ts';
import { addLeaf } from '@retainer/journal/merkle';
import { openJournal } from '@retainer/journal/open-journal';
import { encodeFooter, parseSegmentFile, type SegmentName } from '@retainer/journal/segment';

const anything = { Note: { version: 1, schema: z.json() } };
const stores = [
  { name: 'alpha', durability: 'durable', kinds: anything },
  { name: 'beta', durability: 'durable', kinds: anything },
] as const;

/** Small segments, so that a small journal has many; no space kept in reserve. */
const limits = { segmentBytes: 60_000, ballastBytes: 0, checkpointEveryBytes: 1_000_000 };

export function openSampleJournal(
  directory: string,
  clock: Clock,
  more: Partial<typeof limits> = {},
  given: { readonly agentUid?: string | undefined; readonly knownHeads?: readonly Head[] } = {},
): Promise<Journal> {
  const { agentUid = 'sample', knownHeads = [] } = given;
  return openJournal({ directory, stores, agentUid, clock, knownHeads, lock: noLock, limits: { ...limits, ...more } });
}

export function note(store: 'alpha' | 'beta', number: number, text = 'x'.repeat(40)): NewRecord {
  return { store, kind: 'Note', principal: 'agent', payload: { number, text } };
}

/** Segments of a store with their lines, in order; newlines left out. */
export function readSegments(directory: string, store: string): readonly { file: string; lines: readonly string[] }[] {
  return readdirSync(join(directory, store))
    .filter((name) => name.endsWith('.jsonl'))
    .toSorted()
    .map((file) => ({
      file,
      lines: readFileSync(join(directory, store, file), 'utf8')
        .split('\n')
        .slice(0, -1),
    }));
}

export function writeSegment(directory: string, store: string, file: string, lines: readonly string[]): void {
  const path = join(directory, store, file);
  chmodSync(path, 0o640);
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
}

/** What a writer with a bad conscience does: other payloads from `fromSeq` on, every hash, footer and root made anew. */
export function rewriteSuffix(directory: string, store: string, fromSeq: number): void {
  rewriteStore(directory, store, (line, seq) =>
    seq < fromSeq ? line : line.replace('"principal":"agent"', '"principal":"agenT"'),
  );
}

type StoredRecord = Readonly<Record<string, unknown>> & { readonly payload: object };

/** The same, where one record is to say something else; nothing in its place takes it away. */
export function rewriteRecord(
  directory: string,
  store: string,
  seq: number,
  change: (record: StoredRecord) => StoredRecord | undefined,
): void {
  rewriteStore(directory, store, (line, at) => {
    if (at !== seq) return line;
    const changed = change(JSON.parse(line) as StoredRecord);
    return changed === undefined ? undefined : JSON.stringify(changed);
  });
}

/** What else a writer has to rewrite to hide a change: what the journal's own store noted of ends, and all checkpoints. */
export function forgetTestimony(directory: string): void {
  rewriteStore(directory, 'system', (line) => {
    if (!/"kind":"(Opened|Closed)"/.test(line)) return line;
    const { payload, ...record } = JSON.parse(line) as StoredRecord;
    const { heads: _, checkpoints: _too, ...rest } = payload as Readonly<Record<string, unknown>>;
    const { prev, hash, ...head } = record;
    return JSON.stringify({ ...head, payload: rest, prev, hash });
  });
  rmSync(join(directory, 'checkpoints'), { recursive: true, force: true });
}

function rewriteStore(
  directory: string,
  store: string,
  change: (line: string, seq: number) => string | undefined,
): void {
  const removed = rewriteLines(directory, store, change);
  if (removed.length === 0) return;
  for (const other of readdirSync(directory).filter((name) => name !== store && namesPlaces(directory, name, store)))
    rewriteLines(directory, other, (line) => placesAfter(store, line, removed));
}

function namesPlaces(directory: string, store: string, of: string): boolean {
  if (!statSync(join(directory, store)).isDirectory()) return false;
  return readSegments(directory, store).some(({ lines }) => lines.some((line) => line.includes(`"${of}/`)));
}

/** @returns the sequences of removed records */
function rewriteLines(
  directory: string,
  store: string,
  change: (line: string, seq: number) => string | undefined,
): readonly number[] {
  const removed: number[] = [];
  let oldSeq = -1;
  let seq = 0;
  let prev = '0'.repeat(64);
  for (const { file, lines } of readSegments(directory, store)) {
    let content = {
      count: 0,
      firstSeq: seq,
      lastSeq: -1,
      lastHash: prev,
      minTime: '',
      maxTime: '',
      frontier: [] as string[],
    };
    const rewritten = lines.flatMap((line) => {
      if (line.startsWith('{"footer"')) return [encodeFooter(store, segmentName(file), content).text.trimEnd()];
      oldSeq += 1;
      const changed = change(line, oldSeq);
      if (changed === undefined) {
        removed.push(oldSeq);
        return [];
      }
      const chained = rechained(store, placesAfter(store, changed, removed), { seq, prev });
      const hash = chained.slice(-66, -2);
      const time = /"time":"([^"]+)"/.exec(chained)?.[1] ?? '';
      addLeaf(content.frontier, content.count, hash);
      content = {
        ...content,
        count: content.count + 1,
        lastSeq: seq,
        lastHash: hash,
        minTime: content.minTime === '' || time < content.minTime ? time : content.minTime,
        maxTime: time > content.maxTime ? time : content.maxTime,
      };
      prev = hash;
      seq += 1;
      return [chained];
    });
    if (rewritten.some((line, index) => line !== lines[index]) || rewritten.length < lines.length)
      writeSegment(directory, store, file, rewritten);
  }
  return removed;
}

/** What stands after a removed record has another sequence, and is named by it. */
function placesAfter(store: string, line: string, removed: readonly number[]): string {
  if (removed.length === 0) return line;
  return line.replaceAll(new RegExp(`"${store}/(\\d+)/`, 'g'), (_, named: string) => {
    const before = removed.filter((seq) => seq < Number(named)).length;
    return `"${store}/${Number(named) - before}/`;
  });
}

function segmentName(file: string): SegmentName {
  const name = parseSegmentFile(file);
  if (name === undefined) throw new Error(`${file} is no segment`);
  return name;
}

function rechained(
  store: string,
  line: string,
  { seq, prev }: { readonly seq: number; readonly prev: string },
): string {
  const hashed = line.replace(/,"hash":"[0-9a-f]{64}"\}$/, '').replace(/^(\{"store":"[^"]+","seq":)\d+/, `$1${seq}`);
  return closeLine(store, hashed.replace(/"prev":"[0-9a-f]{64}"$/, `"prev":"${prev}"`)).text.trimEnd();
}

/** Takes away every record from `fromSeq` on, with the segments that held nothing else. */
export function cutTail(directory: string, store: string, fromSeq: number): void {
  let seq = 0;
  for (const { file, lines } of readSegments(directory, store)) {
    const kept = lines.filter((line) => {
      const isFooter = line.startsWith('{"footer"');
      if (!isFooter) seq += 1;
      return seq <= fromSeq && !(isFooter && seq === fromSeq);
    });
    if (kept.length === lines.length) continue;
    if (kept.length > 0) writeSegment(directory, store, file, kept);
    else rmSync(join(directory, store, file));
  }
}
