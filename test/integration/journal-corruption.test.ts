import { beforeAll, describe, expect, it } from 'vitest';
import { ChainScanner, copyChain, freshChain, type ChainState, type Fault } from '@retainer/journal/chain-scanner';
import { encodeLine, zeroHash } from '@retainer/journal/codec';
import { openingAction } from '@retainer/journal/recover';
import { encodeFooter, segmentFile, type SegmentName } from '@retainer/journal/segment';
import { randomOf } from '../chaos/journal-simulation.ts';
import { bySize } from '../support/test-size.ts';
import { verifies } from '../verifies.ts';

const imageBytes = 50_000_000;
const segmentBytes = 128 * 1024;
const mutations = bySize({ check: 2500, nightly: 10_000 });
const seed = 20_260_301;

interface Segment {
  readonly file: string;
  readonly bytes: Buffer;
  /** Offsets of its lines; the last is the footer. */
  readonly starts: readonly number[];
  readonly entry: ChainState;
  readonly exit: ChainState;
  readonly firstSeq: number;
}

/** Whole segments of records of 300 to 1,500 bytes, each judged as the scanner leaves it. */
function buildImage(): readonly Segment[] {
  const segments: Segment[] = [];
  const random = randomOf(seed);
  const scanner = new ChainScanner('deeds', freshChain());
  let prev = zeroHash;
  for (let seq = 0, total = 0; total < imageBytes;) {
    const name: SegmentName = { day: '2026-03-01', number: segments.length + 1, part: 0 };
    const entry = copyChain(scanner.state);
    const lines: Buffer[] = [];
    const starts: number[] = [];
    const firstSeq = seq;
    scanner.startSegment(segmentFile(name));
    let size = 0;
    const add = (text: string): void => {
      const line = Buffer.from(text);
      starts.push(size);
      scanner.scan({ bytes: line.subarray(0, -1), offsetBytes: size, line: starts.length, complete: true });
      lines.push(line);
      size += line.length;
    };
    for (; size < segmentBytes; seq += 1) {
      const payloadText = JSON.stringify({ n: seq, text: 'y'.repeat(Math.floor(random() * 1200)) });
      const place = {
        store: 'deeds',
        seq,
        order: seq * 2,
        epoch: 1,
        batch: seq,
        timeMs: seq,
        kind: 'Deed',
        version: 1,
      };
      const line = encodeLine({
        ...place,
        principal: 'agent',
        cycleId: undefined,
        runId: undefined,
        content: { payloadText },
        prev,
      });
      prev = line.hash;
      add(line.text);
    }
    add(encodeFooter('deeds', name, scanner.state.content).text);
    total += size;
    segments.push({
      file: segmentFile(name),
      bytes: Buffer.concat(lines),
      starts,
      entry,
      exit: copyChain(scanner.state),
      firstSeq,
    });
  }
  return segments;
}

interface Mutation {
  readonly kind: string;
  readonly bytes: Buffer;
  /** One of them must be named: a footer has no sequence of its own, only two neighbours. */
  readonly seqs: readonly number[];
}

type Mutate = (segment: Segment, below: (limit: number) => number) => Mutation;

/** The sequence whose line holds the byte. */
function seqsAt({ starts, firstSeq }: Segment, offset: number): readonly number[] {
  const line = starts.findLastIndex((start) => start <= offset);
  return line === starts.length - 1 ? [firstSeq + line - 1, firstSeq + line] : [firstSeq + line];
}

function cutOut({ bytes, starts }: Segment, line: number): readonly [Buffer, Buffer, Buffer] {
  const [from = 0, to = bytes.length] = [starts[line], starts[line + 1]];
  return [bytes.subarray(0, from), bytes.subarray(from, to), bytes.subarray(to)];
}

const mutate: readonly Mutate[] = [
  (segment, below) => {
    const at = below(segment.bytes.length);
    const bytes = Buffer.from(segment.bytes);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << below(8));
    return { kind: 'bit flip', bytes, seqs: seqsAt(segment, at) };
  },
  (segment, below) => {
    const line = below(segment.starts.length - 1);
    const [before, , after] = cutOut(segment, line);
    return { kind: 'line deleted', bytes: Buffer.concat([before, after]), seqs: [segment.firstSeq + line] };
  },
  (segment, below) => {
    const line = below(segment.starts.length - 1);
    const [before, own, after] = cutOut(segment, line);
    return { kind: 'line doubled', bytes: Buffer.concat([before, own, own, after]), seqs: [segment.firstSeq + line] };
  },
  (segment, below) => {
    const line = below(segment.starts.length - 2);
    const [before, own, after] = cutOut(segment, line);
    const next = after.subarray(0, (segment.starts[line + 2] ?? 0) - (segment.starts[line + 1] ?? 0));
    return {
      kind: 'lines swapped',
      bytes: Buffer.concat([before, next, own, after.subarray(next.length)]),
      seqs: [segment.firstSeq + line],
    };
  },
  (segment, below) => {
    const at = below(segment.bytes.length - 1);
    // A record that lacks its newline alone is whole: the next one is missing.
    return { kind: 'segment cut', bytes: segment.bytes.subarray(0, at), seqs: seqsAt(segment, at + 1) };
  },
  (segment, below) => {
    const sector = below(Math.floor(segment.bytes.length / 512)) * 512;
    const bytes = Buffer.from(segment.bytes).fill(0, sector, sector + 512);
    return { kind: 'sector of zeros', bytes, seqs: seqsAt(segment, sector) };
  },
];

/** Faults of a segment in its place, with the first line of the next one behind it, as a whole run would see them. */
function faultsOf(
  segment: Segment,
  bytes: Buffer,
  next: Segment | undefined,
): { faults: Fault[]; scanner: ChainScanner } {
  const faults: Fault[] = [];
  const scanner = new ChainScanner('deeds', segment.entry);
  const note = (fault: Fault | undefined): void => void (fault !== undefined && faults.push(fault));
  note(scanner.startSegment(segment.file));
  let line = 1;
  for (let at = 0; at < bytes.length; line += 1) {
    const end = bytes.indexOf(10, at);
    const stop = end === -1 ? bytes.length : end;
    note(scanner.scan({ bytes: bytes.subarray(at, stop), offsetBytes: at, line, complete: end !== -1 }));
    at = stop + 1;
  }
  if (next !== undefined) {
    note(scanner.startSegment(next.file));
    const first = next.bytes.subarray(0, (next.starts[1] ?? 0) - 1);
    note(scanner.scan({ bytes: first, offsetBytes: 0, line: 1, complete: true }));
  }
  return { faults, scanner };
}

describe('a store image of 50 MB', () => {
  let image: readonly Segment[] = [];
  beforeAll(() => {
    image = buildImage();
  });

  it('is without fault as it was written', () => {
    for (const [index, segment] of image.entries()) {
      const { faults } = faultsOf(segment, segment.bytes, image[index + 1]);
      expect(faults).toEqual([]);
    }
  });

  verifies(
    'journal:verify-locates',
    `shows each of ${mutations} mutations, at its sequence, and never as a torn tail`,
    () => {
      const random = randomOf(seed);
      const below = (limit: number): number => Math.floor(random() * limit);
      const startMs = performance.now();
      for (let count = 0; count < mutations; count += 1) {
        const index = below(image.length - 1);
        const segment = image[index];
        const change = mutate[count % mutate.length];
        if (segment === undefined || change === undefined) throw new Error('the image is empty');
        const { kind, bytes, seqs } = change(segment, below);
        const { faults } = faultsOf(segment, bytes, image[index + 1]);
        const label = `mutation ${count}, ${kind} in ${segment.file}`;
        expect(seqs, label).toContain(faults[0]?.seq);
        expect(faults[0]?.file, label).toBe(segment.file);
        // A later segment follows, so the opening takes it for damage, whatever its kind.
        const found = {
          fork: false,
          epochFound: 1,
          epochGiven: undefined,
          behindHead: false,
          torn: false,
          newlineMissing: false,
        };
        expect(openingAction({ ...found, damaged: faults.length > 0 }), label).toBe('OpenReadOnly');
      }
      process.stdout.write(`${mutations} mutations in ${Math.round((performance.now() - startMs) / 1000)} s\n`);
    },
  );
});
