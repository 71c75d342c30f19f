import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChainScanner, freshChain } from '@retainer/journal/chain-scanner';
import { closeLine, encodeLine, zeroHash } from '@retainer/journal/codec';
import type { Finding } from './finding.ts';
import { readJournalLine } from './journal-line.ts';
import { enterSegment, freshPosition, walkLine } from './walk-chain.ts';

const file = '2030-01-01.001.jsonl';

function chain(length: number): readonly string[] {
  let prev = zeroHash;
  return Array.from({ length }, (_, seq) => {
    const { text, hash } = record({ seq, prev });
    prev = hash;
    return text.slice(0, -1);
  });
}

function record(fields: {
  seq: number;
  prev: string;
  epoch?: number;
  order?: number;
  kind?: string;
  payload?: object;
}) {
  const { seq, prev, epoch = 1, order = seq, kind = 'Note', payload = { seq } } = fields;
  const place = { store: 'alpha', seq, order, epoch, batch: seq, timeMs: 0, kind, version: 1, principal: 'agent' };
  return encodeLine({
    ...place,
    cycleId: undefined,
    runId: undefined,
    content: { payloadText: JSON.stringify(payload) },
    prev,
  });
}

function walk(lines: readonly string[]): readonly Omit<Finding, 'store'>[] {
  let { position } = enterSegment(freshPosition, file);
  const findings: Omit<Finding, 'store'>[] = [];
  for (const line of lines) {
    const step = walkLine(position, readJournalLine('alpha', Buffer.from(line)), position.endBytes + line.length + 1);
    position = step.position;
    if (step.finding !== undefined) findings.push(step.finding);
  }
  return findings;
}

/** What the journal itself finds in the same lines. */
function scan(lines: readonly string[]): number {
  const scanner = new ChainScanner('alpha', freshChain());
  scanner.startSegment(file);
  let offsetBytes = 0;
  const faults = lines.map((line, index) => {
    const raw = { bytes: Buffer.from(line), offsetBytes, line: index + 1, complete: true };
    offsetBytes += line.length + 1;
    return scanner.scan(raw);
  });
  return faults.filter((fault) => fault !== undefined).length;
}

type Change = (lines: readonly string[], at: number) => readonly string[];

const changes: Readonly<Record<string, Change>> = {
  nothing: (lines) => lines,
  'a line deleted': (lines, at) => lines.toSpliced(at, 1),
  'a line doubled': (lines, at) => lines.toSpliced(at, 0, lines[at] ?? ''),
  'two lines swapped': (lines, at) => lines.toSpliced(at, 2, lines[at + 1] ?? '', lines[at] ?? ''),
  'a byte changed': (lines, at) => lines.with(at, (lines[at] ?? '').replace('agent', 'agenT')),
  'a line emptied': (lines, at) => lines.with(at, ''),
  'a line of zeros': (lines, at) => lines.with(at, '\0'.repeat(512)),
  'a suffix with fresh hashes and a wrong joint': (lines, at) => [
    ...lines.slice(0, at),
    ...lines.slice(at).map((line) => closeLine('alpha', line.slice(0, -75).replace('agent', 'agenT')).text.trimEnd()),
  ],
};

describe('walking a chain', () => {
  it.each(Object.entries(changes).map(([name, change]) => ({ name, change })))(
    'finds $name exactly when the journal does',
    ({ name, change }) => {
      const lines = chain(20);
      fc.assert(
        fc.property(fc.integer({ min: 0, max: 17 }), (at) => {
          const changed = change(lines, at);
          const findings = walk(changed);
          expect(findings.length > 0).toBe(scan(changed) > 0);
          expect(findings.length > 0).toBe(name !== 'nothing');
        }),
      );
    },
  );

  it.each([
    { name: 'a line deleted', change: changes['a line deleted'], seq: 7, line: 8 },
    { name: 'a byte changed', change: changes['a byte changed'], seq: 7, line: 8 },
    { name: 'a line doubled', change: changes['a line doubled'], seq: 7, line: 9 },
  ])('names sequence and line of $name', ({ change, seq, line }) => {
    const findings = walk(change?.(chain(20), 7) ?? []);
    expect(findings).toEqual([expect.objectContaining({ kind: 'ChainBroken', seq, line, file })]);
  });

  it('finds an epoch that goes back', () => {
    const first = record({ seq: 0, prev: zeroHash, epoch: 3 });
    const second = record({ seq: 1, prev: first.hash, epoch: 2 });
    expect(walk([first.text.trimEnd(), second.text.trimEnd()])).toEqual([
      expect.objectContaining({ kind: 'EpochWentBack', seq: 1 }),
    ]);
  });

  it.each([5, 4])('finds order %d after order 5', (order) => {
    const first = record({ seq: 0, prev: zeroHash, order: 5 });
    const second = record({ seq: 1, prev: first.hash, order });
    expect(walk([first.text.trimEnd(), second.text.trimEnd()])).toEqual([
      expect.objectContaining({ kind: 'ChainBroken', seq: 1, detail: `order ${order} follows 5` }),
    ]);
  });

  it('crosses a gap that the record itself tells', () => {
    const first = record({ seq: 0, prev: zeroHash });
    const payload = {
      lostFromSeq: 1,
      lostToSeq: 4,
      resumeSeq: 5,
      resumePrev: 'a'.repeat(64),
      damagedFiles: [],
      reason: 'damage',
    };
    const gap = record({ seq: 1, prev: first.hash, kind: 'Gap', payload });
    const next = record({ seq: 5, prev: 'a'.repeat(64) });
    expect(walk([first, gap, next].map(({ text }) => text.trimEnd()))).toEqual([]);
  });

  it('finds a gap that leads back', () => {
    const first = record({ seq: 0, prev: zeroHash });
    const gap = record({ seq: 1, prev: first.hash, kind: 'Gap', payload: { resumeSeq: 0, resumePrev: zeroHash } });
    expect(walk([first, gap].map(({ text }) => text.trimEnd()))).toEqual([expect.objectContaining({ seq: 1 })]);
  });

  it('finds a segment that ends without a footer although another follows', () => {
    const [line = ''] = chain(1);
    const entered = enterSegment(freshPosition, file).position;
    const { position } = walkLine(entered, readJournalLine('alpha', Buffer.from(line)), line.length + 1);
    expect(enterSegment(position, '2030-01-02.001.jsonl').finding).toMatchObject({ kind: 'SegmentUnsealed', file });
  });
});
