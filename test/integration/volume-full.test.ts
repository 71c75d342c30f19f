/**
 * Row 4: a busy writer fills a small volume, space returns, work goes on; then the volume is read-only, and writable again.
 *
 * One process all the time: nothing restarts but where a read-only volume takes a new opening. The watches tick on a clock that
 * the test moves, so what they do within 5 s is counted in ticks; times on the real clock are printed.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { Auditor } from '@retainer/agent-pod/audit/auditor';
import { isAlarm } from '@retainer/agent-pod/audit/finding';
import type { Journal, JournalRecord } from '@retainer/journal/journal';
import { JournalClosedError } from '@retainer/journal/open-journal';
import { systemClock } from '@retainer/contract/std/system-clock';
import { RESUME_EVERY_MS, resumeWatch } from '@retainer/agent-pod/upkeep/resume-watch';
import { VOLUME_CHECK_EVERY_MS, volumeUsage, volumeWatch } from '@retainer/agent-pod/upkeep/volume-watch';
import type { VolumeLevel } from '@retainer/agent-pod/upkeep/volume-level';
import { manualClock } from '../support/manual-clock.ts';
import { note, openSampleJournal } from '../support/sample-journal.ts';
import { testSeed } from '../support/seed.ts';
import { Seeded } from '../support/seeded.ts';
import { ext4Of32MiB, tmpfsOf8MiB, whyNoVolume, withVolume, type SmallVolume } from '../support/small-volume.ts';
import { verifies } from '../verifies.ts';

const loopsPerKind = 10;
const appenders = 8;
/** Left for the journal: enough for several segments, and soon full. */
const journalBytes = 3 * 1024 * 1024;
/** What somebody deletes to make room: a quarter of the smaller volume. */
const fillerBytes = 2 * 1024 * 1024;
/** Between two reads of somebody who watches. */
const readEveryMs = 20;
/** Records that are read at once, counted from the end. */
const readRecords = 200;
/** Scaled to the volume as 16 MiB are to a real one. */
const limits = { segmentBytes: 512 * 1024, ballastBytes: 128 * 1024 };
/** Looks at a full volume: more than one, so that a journal that comes and goes would show. */
const ticksWhileFull = 5;
const recordsAfterwards = 100;

/** Acknowledged records by sequence: what must be there in the end. */
type Acknowledged = Map<number, string>;

const keyOf = ({ seq, hash }: JournalRecord): readonly [number, string] => [seq, hash];

async function appendOne(journal: Journal, acknowledged: Acknowledged, random: Seeded): Promise<void> {
  const [record] = await journal.append([note('alpha', acknowledged.size, 'x'.repeat(300 + random.below(3_700)))]);
  if (record !== undefined) acknowledged.set(...keyOf(record));
}

/** Appends until the journal says no. Returns what it said. */
async function appendUntilRefused(
  journal: Journal,
  acknowledged: Acknowledged,
  random: Seeded,
  onAcknowledged: () => void,
): Promise<unknown> {
  for (;;)
    try {
      await appendOne(journal, acknowledged, random);
      onAcknowledged();
    } catch (error) {
      return error;
    }
}

/** Reads from a random place near the end to the end, as a person with a browser would. */
async function readSome(journal: Journal, acknowledged: Acknowledged, random: Seeded): Promise<number> {
  const fromSeq = Math.max(0, acknowledged.size - random.below(readRecords));
  let count = 0;
  for await (const { seq, hash } of journal.read('alpha', { fromSeq })) {
    const expected = acknowledged.get(seq);
    if (expected !== undefined) expect(hash).toBe(expected);
    count += 1;
  }
  return count;
}

async function writeFiller(path: string, sizeBytes: number): Promise<void> {
  const file = await open(path, 'w');
  await file.writeFile(Buffer.alloc(sizeBytes, 'x'));
  await file.sync();
  await file.close();
}

interface Story {
  acknowledgedWhenFull: number;
  degraded: number;
  resumed: number;
  readsWhileFull: number;
  readonly levels: VolumeLevel[];
  shownAfterMs: number;
  resumedAfterMs: number;
}

async function fillAndFree(volume: SmallVolume, random: Seeded, acknowledged: Acknowledged): Promise<Story> {
  const story: Story = {
    ...{ acknowledgedWhenFull: 0, degraded: 0, resumed: 0, readsWhileFull: 0, shownAfterMs: 0, resumedAfterMs: 0 },
    levels: [],
  };
  const filler = join(volume.path, 'filler');
  await writeFiller(filler, fillerBytes);
  await writeFiller(join(volume.path, 'other'), (await volumeUsage(volume.path)).freeBytes - journalBytes);
  const journal = await openSampleJournal(join(volume.path, 'journal'), systemClock, limits);
  let acknowledgedAtMs = 0;
  journal.onDegraded(() => {
    story.degraded += 1;
    story.shownAfterMs = performance.now() - acknowledgedAtMs;
  });
  const clock = manualClock();
  const stop = new AbortController();
  const usage = (): ReturnType<typeof volumeUsage> => volumeUsage(volume.path);
  const watches = [
    resumeWatch({ clock, journal, usage, onResumed: () => (story.resumed += 1) }),
    volumeWatch({ clock, usage, onLevel: ({ level }) => story.levels.push(level) }),
  ].map((watch) => watch.run(stop.signal));
  const tick = async (everyMs: number): Promise<void> => {
    await clock.untilSleeping(everyMs);
    clock.advance(everyMs);
    await clock.untilSleeping(everyMs);
  };

  let reading = true;
  const reader = (async () => {
    for (; reading; await systemClock.sleep(readEveryMs)) await readSome(journal, acknowledged, random);
  })();
  const refusals = await Promise.all(
    Array.from({ length: appenders }, () =>
      appendUntilRefused(journal, acknowledged, random, () => {
        acknowledgedAtMs = performance.now();
      }),
    ),
  );
  for (const refusal of refusals) expect(refusal).toBeInstanceOf(JournalClosedError);
  expect(journal.mode).toBe('Degraded');
  expect(journal.modeReason).toMatch(/disk full/);
  story.acknowledgedWhenFull = acknowledged.size;

  for (let ticks = 0; ticks < ticksWhileFull; ticks += 1) {
    await tick(RESUME_EVERY_MS);
    story.readsWhileFull += await readSome(journal, acknowledged, random);
    expect(journal.mode).toBe('Degraded');
  }
  await tick(VOLUME_CHECK_EVERY_MS);
  await expect(journal.append([note('alpha', -1)])).rejects.toThrow(JournalClosedError);

  await unlink(filler);
  const freedAtMs = performance.now();
  await tick(RESUME_EVERY_MS);
  expect(journal.mode).toBe('Writable');
  story.resumedAfterMs = performance.now() - freedAtMs;
  await tick(VOLUME_CHECK_EVERY_MS);
  for (let records = 0; records < recordsAfterwards; records += 1) await appendOne(journal, acknowledged, random);
  reading = false;
  await reader;
  stop.abort();
  await Promise.all(watches);
  await journal.close();
  return story;
}

async function readOnlyAndBack(volume: SmallVolume, random: Seeded, acknowledged: Acknowledged): Promise<void> {
  const directory = join(volume.path, 'journal');
  await volume.makeReadOnly();
  const reader = await openSampleJournal(directory, systemClock, limits);
  expect([reader.mode, reader.modeCause]).toEqual(['ReadOnly', 'ReadOnlyVolume']);
  expect(await readSome(reader, acknowledged, new Seeded(0))).toBeGreaterThan(0);
  await expect(reader.append([note('alpha', -1)])).rejects.toThrow(JournalClosedError);
  await reader.close();
  await volume.makeWritable();
  const writer = await openSampleJournal(directory, systemClock, limits);
  expect(writer.mode).toBe('Writable');
  for (let records = 0; records < recordsAfterwards; records += 1) await appendOne(writer, acknowledged, random);
  await writer.close();
}

/** Every byte of every segment is in a whole line of JSON. */
function tornLines(directory: string): readonly string[] {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'));
  return files.flatMap((file) => {
    const lines = readFileSync(join(directory, file), 'utf8').split('\n');
    const torn = lines.slice(0, -1).filter((line) => !isJson(line));
    return lines.at(-1) === '' && torn.length === 0 ? [] : [`${file}: ${torn.length} of ${lines.length}`];
  });
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

async function lostRecords(directory: string, acknowledged: Acknowledged): Promise<readonly number[]> {
  const journal = await openSampleJournal(directory, systemClock, limits);
  const missing = new Map(acknowledged);
  for await (const { seq, hash } of journal.read('alpha')) if (missing.get(seq) === hash) missing.delete(seq);
  await journal.close();
  return [...missing.keys()];
}

async function ownNotes(directory: string): Promise<Readonly<Record<string, number>>> {
  const journal = await openSampleJournal(directory, systemClock, limits);
  const counts: Record<string, number> = {};
  for await (const { kind } of journal.read('system')) counts[kind] = (counts[kind] ?? 0) + 1;
  await journal.close();
  return counts;
}

async function alarms(directory: string): Promise<readonly string[]> {
  const record = { heads: new Map(), keepHeads: () => Promise.resolve(), tell: () => Promise.resolve() };
  const { open: found } = await new Auditor({ directory, record, clock: systemClock, once: true }).look();
  return found.filter(isAlarm).map(({ kind, detail }) => `${kind}: ${detail}`);
}

const whyNot = new Map(
  await Promise.all([tmpfsOf8MiB, ext4Of32MiB].map(async (kind) => [kind, await whyNoVolume(kind)] as const)),
);

describe.each([...whyNot].map(([kind, reason]) => ({ kind, name: kind.name, reason })))(
  'a journal on a full $name',
  ({ kind, name, reason }) => {
    describe.skipIf(reason !== undefined)(reason === undefined ? 'can be mounted' : `is not tried: ${reason}`, () => {
      verifies(
        'upkeep:full-volume',
        `goes on after ${loopsPerKind} times full and read-only, and loses nothing`,
        async () => {
          const seed = testSeed;
          console.info(`volume-full: RETAINER_SEED=${seed}`);
          for (let loop = 0; loop < loopsPerKind; loop += 1) {
            const random = new Seeded(seed + loop);
            await withVolume(kind, async (volume) => {
              const directory = join(volume.path, 'journal');
              const acknowledged: Acknowledged = new Map();
              const story = await fillAndFree(volume, random, acknowledged);
              await readOnlyAndBack(volume, random, acknowledged);
              console.info(
                `volume-full: ${name} ${loop}: ${story.acknowledgedWhenFull} records when full, ${story.readsWhileFull} read then; ` +
                  `degraded was shown ${story.shownAfterMs.toFixed(1)} ms after the last acknowledgement, left ${story.resumedAfterMs.toFixed(1)} ms after space returned`,
              );
              expect(story).toMatchObject({ degraded: 1, resumed: 1 });
              expect(story.levels).toContain('ReadOnly');
              expect(story.readsWhileFull).toBeGreaterThan(0);
              expect(tornLines(directory)).toEqual([]);
              expect(await lostRecords(directory, acknowledged)).toEqual([]);
              expect(await ownNotes(directory)).toMatchObject({ DiskFull: 1, SpaceReturned: 1 });
              expect(await alarms(directory)).toEqual([]);
            });
          }
        },
      );
    });
  },
);
