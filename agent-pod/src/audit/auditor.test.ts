import {
  appendFileSync,
  closeSync,
  cpSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { manualClock, type ManualClock } from '../../../test/support/manual-clock.ts';
import {
  cutTail,
  note,
  openSampleJournal,
  readSegments,
  rewriteSuffix,
  writeSegment,
} from '../../../test/support/sample-journal.ts';
import { verifies } from '../../../test/verifies.ts';
import { encodeLine } from '@retainer/journal/codec';
import type { Head, Journal } from '@retainer/journal/journal';
import { noLock } from '../../../test/support/journal/no-lock.ts';
import { applyRepair } from '@retainer/journal/repair';
import { Auditor, WHOLE_EVERY_MS, type HeadRecordPort, type LookReport } from './auditor.ts';
import { isAlarm, type Finding } from './finding.ts';
import { HEAD_EVERY_MS, SETTLE_MS } from './store-watch.ts';

/** A port's simplest keeper: what was kept and told, in memory. */
class MemoryRecord implements HeadRecordPort {
  readonly heads = new Map<string, readonly Head[]>();
  readonly acknowledged = new Set<string>();
  readonly told: Finding[] = [];
  keepHeads(heads: readonly Head[]): Promise<void> {
    for (const head of heads) this.heads.set(head.store, [...(this.heads.get(head.store) ?? []), head]);
    return Promise.resolve();
  }
  tell(findings: readonly Finding[]): Promise<void> {
    this.told.push(...findings);
    return Promise.resolve();
  }
}

/** One journal of three segments, copied for each test. */
let template: string;
let templateHeads: readonly Head[];
let root: string;
let directory: string;
let clock: ManualClock;
let record: MemoryRecord;
let auditor: Auditor;
let opened: Journal | undefined;

beforeAll(async () => {
  template = mkdtempSync(join(tmpdir(), 'auditor-template-'));
  const journal = await openSampleJournal(template, manualClock());
  for (let batch = 0; batch < 8; batch += 1) await append(50, journal);
  await journal.close();
  templateHeads = journal.heads();
});

afterAll(() => rmSync(template, { recursive: true, force: true }));

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'auditor-'));
  directory = join(root, 'journal');
  cpSync(template, directory, { recursive: true });
  clock = manualClock();
  record = new MemoryRecord();
  auditor = new Auditor({ directory, record, clock });
});

afterEach(async () => {
  await closeWriter();
  rmSync(root, { recursive: true, force: true });
});

async function writer(): Promise<Journal> {
  opened ??= await openSampleJournal(directory, clock);
  return opened;
}

async function closeWriter(): Promise<void> {
  await opened?.close();
  opened = undefined;
}

async function append(records: number, journal?: Journal): Promise<void> {
  await (journal ?? (await writer())).append(Array.from({ length: records }, (_, index) => note('alpha', index)));
}

/** Two looks, far enough apart for the first to settle. */
async function settledLook(by = auditor): Promise<LookReport> {
  await by.look();
  clock.advance(SETTLE_MS);
  return by.look();
}

/** The look that starts the daily walk, the walk itself, and the look that tells of it. */
async function dailyWalk(): Promise<LookReport> {
  clock.advance(WHOLE_EVERY_MS);
  await auditor.look();
  await auditor.settled();
  return auditor.look();
}

const kindsOf = (findings: readonly Finding[]): readonly string[] => [...new Set(findings.map(({ kind }) => kind))];
const lastFile = (store: string): string => join(directory, store, readSegments(directory, store).at(-1)?.file ?? '');

describe('a look at a journal', () => {
  it('finds nothing wrong with a right one, and keeps the end of each store', async () => {
    const { open } = await settledLook();
    expect(open).toEqual([]);
    expect([...record.heads.values()].map((heads) => heads.at(-1))).toEqual(expect.arrayContaining([...templateHeads]));
  });

  it('reads what is new, and no more', async () => {
    await writer();
    await settledLook();
    await append(3);
    const { records, open } = await auditor.look();
    expect({ records, open }).toEqual({ records: 3, open: [] });
  });

  it('goes on from where an earlier one left off', async () => {
    await writer();
    await settledLook();
    await append(3);
    const next = new Auditor({ directory, record, clock, saved: JSON.parse(JSON.stringify(auditor.save())) });
    const { records, open } = await next.look();
    expect({ records, open }).toEqual({ records: 3, open: [] });
  });

  it('compares heads that were kept after the last positions were saved', async () => {
    await writer();
    await settledLook();
    const saved = auditor.save();
    await append(5);
    clock.advance(HEAD_EVERY_MS);
    await settledLook();
    await closeWriter();
    cutTail(directory, 'alpha', 401);
    const { open } = await new Auditor({ directory, record, clock, saved }).look();
    expect(kindsOf(open)).toEqual(['TailCut']);
  });

  it('does not mind that what was never acknowledged is gone', async () => {
    await writer();
    await settledLook();
    const sizeBytes = statSync(lastFile('alpha')).size;
    await append(2);
    await auditor.look();
    truncateSync(lastFile('alpha'), sizeBytes);
    const { open } = await auditor.look();
    expect(open).toEqual([]);
  });

  it('waits for the rest of a line that is being written', async () => {
    await settledLook();
    const whole = readFileSync(lastFile('alpha'));
    truncateSync(lastFile('alpha'), whole.length);
    appendFileSync(lastFile('alpha'), '{"store":"alpha","seq"');
    expect((await auditor.look()).open).toEqual([]);
  });

  it('waits for a journal that is not there yet', async () => {
    const early = new Auditor({ directory: join(root, 'later'), record, clock });
    expect((await early.look()).open).toEqual([]);
  });

  it('tells a finding once, and shows it for as long as it lasts', async () => {
    await settledLook();
    truncateSync(lastFile('alpha'), 10);
    const first = await auditor.look();
    const second = await auditor.look();
    expect(kindsOf(first.fresh)).toContain('TailCut');
    expect(second.fresh).toEqual([]);
    expect(kindsOf(second.open)).toEqual(kindsOf(first.open));
    expect(record.told).toEqual(first.fresh);
  });

  it('finds no alarm any more when the old content is back', async () => {
    await settledLook();
    const path = lastFile('alpha');
    const whole = readFileSync(path);
    truncateSync(path, 10);
    await auditor.look();
    writeFileSync(path, whole);
    expect((await dailyWalk()).open).toEqual([]);
  });

  verifies('audit:reads-only', 'writes, creates and locks nothing below the journal', async () => {
    const snapshot = (): readonly string[] =>
      readdirSync(directory, { recursive: true, encoding: 'utf8' })
        .toSorted()
        .map((name) => `${name} ${statSync(join(directory, name)).mtimeMs} ${statSync(join(directory, name)).size}`);
    const before = snapshot();
    await settledLook();
    await dailyWalk();
    expect(snapshot()).toEqual(before);
  });
});

describe('tampering', () => {
  const tampering: readonly { name: string; tamper: () => Promise<void> | void; finds: readonly string[] }[] = [
    { name: 'a cut tail', tamper: () => truncateSync(lastFile('alpha'), 0), finds: ['TailCut'] },
    { name: 'a rewritten suffix', tamper: () => rewriteSuffix(directory, 'alpha', 200), finds: ['SuffixRewritten'] },
    {
      name: 'a rewritten last record',
      tamper: () => rewriteSuffix(directory, 'alpha', 400),
      finds: ['SuffixRewritten'],
    },
    {
      name: 'a store removed',
      tamper: () => rmSync(join(directory, 'alpha'), { recursive: true }),
      finds: ['StoreMissing'],
    },
    { name: 'the journal removed', tamper: () => rmSync(directory, { recursive: true }), finds: ['StoreMissing'] },
    {
      name: 'a segment removed',
      tamper: () => rmSync(join(directory, 'alpha', readSegments(directory, 'alpha')[1]?.file ?? '')),
      finds: ['SegmentMissing', 'ChainBroken'],
    },
    {
      name: 'a changed byte in a sealed segment',
      tamper: () => {
        const [first] = readSegments(directory, 'alpha');
        const lines = (first?.lines ?? []).map((line, at) => (at === 5 ? line.replace('agent', 'agenT') : line));
        writeSegment(directory, 'alpha', first?.file ?? '', lines);
      },
      finds: ['ChainBroken'],
    },
  ];

  it.each(tampering)('is found at the next look: $name', async ({ tamper, finds }) => {
    await settledLook();
    await tamper();
    const { open } = await auditor.look();
    expect(kindsOf(open)).toEqual(expect.arrayContaining([...finds]));
  });

  it.each(tampering)('is found by an auditor that had been away: $name', async ({ tamper, finds }) => {
    await settledLook();
    await tamper();
    const found = kindsOf((await new Auditor({ directory, record, clock }).look()).open);
    // Which files there were is forgotten with the saved positions; the heads are not.
    expect(found).toEqual(expect.arrayContaining(finds.filter((kind) => kind !== 'SegmentMissing')));
  });

  it('is found when an old copy takes the place of the journal and grows beyond it', async () => {
    await settledLook();
    const copy = join(root, 'copy');
    cpSync(directory, copy, { recursive: true });
    await append(20);
    await settledLook();
    clock.advance(60_000);
    await auditor.look();
    await closeWriter();
    rmSync(directory, { recursive: true });
    cpSync(copy, directory, { recursive: true });
    await append(100);
    expect(kindsOf((await auditor.look()).open)).toContain('SuffixRewritten');
  });

  it('by a writer that had been replaced is found', async () => {
    await writer();
    await settledLook();
    await auditor.look();
    // The first writer goes on in a store where the second has not written yet: its chain is right.
    const [last = ''] = readSegments(directory, 'beta').at(-1)?.lines.slice(-1) ?? [];
    const { seq, hash } = JSON.parse(last) as { seq: number; hash: string };
    const place = { store: 'beta', seq: seq + 1, order: 10_000, epoch: 1, batch: seq + 1, timeMs: clock.nowMs() };
    const content = { kind: 'Note', version: 1, principal: 'agent', content: { payloadText: '1' }, prev: hash };
    appendFileSync(lastFile('beta'), encodeLine({ ...place, ...content, cycleId: undefined, runId: undefined }).text);
    expect((await auditor.look()).open).toEqual([
      expect.objectContaining({ kind: 'EpochWentBack', store: 'beta', seq: seq + 1 }),
    ]);
  });
});

describe('content kept beside the record', () => {
  const blobs = (): readonly string[] =>
    readdirSync(join(directory, 'blobs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.gz'))
      .map((name) => join(directory, 'blobs', name));

  it.each([
    { name: 'missing', tamper: (path: string) => rmSync(path), finds: 'BlobMissing' },
    { name: 'cut short', tamper: (path: string) => truncateSync(path, 20), finds: 'BlobCorrupt' },
    { name: 'other content', tamper: (path: string) => writeFileSync(path, 'x'), finds: 'BlobCorrupt' },
  ])('is checked once a day: $name', async ({ tamper, finds }) => {
    await (await writer()).append([note('beta', 1, 'y'.repeat(100_000))]);
    expect((await settledLook()).open).toEqual([]);
    for (const path of blobs()) tamper(path);
    expect((await auditor.look()).open).toEqual([]);
    expect((await dailyWalk()).open).toEqual([expect.objectContaining({ kind: finds, store: 'beta', seq: 1 })]);
  });
});

describe('a single look at a copy', () => {
  const once = (): Auditor => new Auditor({ directory, record, clock, once: true });

  it('counts what is there at once', async () => {
    await once().look();
    expect(record.heads.get('alpha')?.at(-1)?.seq).toBe(400);
  });

  it('keeps no head of a journal that is not what it was', async () => {
    await once().look();
    const before = new Map(record.heads);
    truncateSync(lastFile('alpha'), 0);
    await once().look();
    expect(record.heads).toEqual(before);
  });

  it('tells an unfinished line, and cries no alarm over it', async () => {
    appendFileSync(lastFile('alpha'), '{"store":"alpha","seq"');
    expect((await once().look()).open).toEqual([expect.objectContaining({ kind: 'TailUnfinished', store: 'alpha' })]);
    expect(record.heads.get('alpha')?.at(-1)?.seq).toBe(400);
  });
});

describe('a repaired journal', () => {
  it('has a gap that is told, and misses the heads that were lost with it', async () => {
    await settledLook();
    const [first] = readSegments(directory, 'alpha');
    const lines = (first?.lines ?? []).map((line, at) => (at === 20 ? line.replace('agent', 'agenT') : line));
    writeSegment(directory, 'alpha', first?.file ?? '', lines);
    record.heads.set('alpha', [
      { store: 'alpha', seq: 20, hash: 'a'.repeat(64), epoch: 1 },
      ...(record.heads.get('alpha') ?? []),
    ]);
    expect(kindsOf((await auditor.look()).open)).toContain('ChainBroken');
    await applyRepair({ directory, principal: 'human:tester', nowMs: clock.nowMs(), lock: noLock });
    const { open } = await auditor.look();
    expect(open.map(({ kind, seq }) => [kind, seq])).toEqual(
      expect.arrayContaining([
        ['GapRecorded', 20],
        ['SuffixRewritten', 20],
      ]),
    );
    expect(kindsOf(open)).not.toContain('ChainBroken');
    expect(kindsOf(open)).not.toContain('FooterWrong');
  });

  verifies('audit:gap-is-an-alarm', 'is an alarm until a person acknowledges exactly this gap', async () => {
    const [first] = readSegments(directory, 'alpha');
    writeSegment(directory, 'alpha', first?.file ?? '', (first?.lines ?? []).with(20, 'x'));
    await applyRepair({ directory, principal: 'human:tester', nowMs: clock.nowMs(), lock: noLock });
    const gaps = async (): Promise<readonly string[]> => {
      const { open } = await new Auditor({ directory, record, clock, once: true }).look();
      return open.filter(({ kind }) => kind.startsWith('Gap')).map((it) => `${it.kind} ${isAlarm(it)}`);
    };
    expect(await gaps()).toEqual(['GapRecorded true']);
    record.acknowledged.add('alpha/21').add('beta/20');
    expect(await gaps()).toEqual(['GapRecorded true']);
    const saved = new Auditor({ directory, record, clock });
    await saved.look();
    record.acknowledged.add('alpha/20');
    expect(await gaps()).toEqual(['GapAcknowledged false']);
    const later = await new Auditor({ directory, record, clock, saved: saved.save() }).look();
    expect(later.open.filter(isAlarm)).toEqual([]);
  });
});

describe('the open segment', () => {
  const LOOK_MS = 2_000;
  /** What a finding may take to be told. */
  const TOLD_WITHIN_MS = 60_000;

  /** Looks as the process does, while the agent goes on writing or rests. @returns the kinds found within the time */
  async function watched(forMs: number, isWriting: boolean): Promise<readonly string[]> {
    const found: Finding[] = [];
    for (let sinceMs = 0; sinceMs < forMs; sinceMs += LOOK_MS) {
      clock.advance(LOOK_MS);
      if (isWriting) await append(3);
      found.push(...(await auditor.look()).fresh);
    }
    return kindsOf(found);
  }

  function changeByte(atByte: number): void {
    const file = openSync(lastFile('alpha'), 'r+');
    writeSync(file, '!', atByte);
    closeSync(file);
  }

  for (const isWriting of [true, false]) {
    const meanwhile = isWriting ? 'while the agent writes' : 'while the agent rests';

    verifies('audit:open-segment', `is told where an early record is another one in place, ${meanwhile}`, async () => {
      await append(200);
      expect(await watched(30_000, isWriting)).toEqual([]);
      changeByte(600);
      expect((await watched(TOLD_WITHIN_MS, isWriting)).toSorted()).toEqual(['BytesChanged', 'ChainBroken']);
    });

    verifies('audit:open-segment', `is told where another file is in its place, ${meanwhile}`, async () => {
      await append(200);
      expect(await watched(30_000, isWriting)).toEqual([]);
      await closeWriter();
      const file = lastFile('alpha');
      cpSync(file, `${file}.copy`);
      renameSync(`${file}.copy`, file);
      expect(await watched(TOLD_WITHIN_MS, isWriting)).toEqual(['SegmentReplaced']);
    });
  }

  verifies(
    'audit:open-segment',
    'is told where a record from before the last start of the auditor is changed',
    async () => {
      await append(200);
      await watched(30_000, true);
      auditor = new Auditor({ directory, record, clock, saved: auditor.save() });
      expect(await watched(30_000, true)).toEqual([]);
      changeByte(600);
      expect(await watched(TOLD_WITHIN_MS, true)).toContain('BytesChanged');
    },
  );
});
