import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { ChainScanner, freshChain, type Fault } from './chain-scanner.ts';
import { closeLine, encodeLine, zeroHash } from './codec.ts';
import { encodeFooter, type SegmentName } from './segment.ts';

const segment: SegmentName = { day: '2026-03-01', number: 1, part: 0 };
const file = '2026-03-01.001.jsonl';

interface Place {
  readonly seq: number;
  readonly order: number;
  readonly epoch: number;
  readonly prev: string;
}

function record({ seq, order, epoch, prev }: Place): { text: string; hash: string } {
  return encodeLine({
    ...{ store: 'deeds', seq, order, epoch, prev, batch: seq, timeMs: 0, kind: 'Deed', version: 1, principal: 'agent' },
    ...{ cycleId: undefined, runId: undefined, content: { payloadText: '{}' } },
  });
}

/** Three records; a change makes another third one, whose own hash is right. */
function lines(change: Partial<Place> = {}): readonly string[] {
  const first = record({ seq: 0, order: 10, epoch: 5, prev: zeroHash });
  const second = record({ seq: 1, order: 20, epoch: 5, prev: first.hash });
  return [first.text, second.text, record({ seq: 2, order: 30, epoch: 5, prev: second.hash, ...change }).text];
}

function footer(records: readonly string[]): string {
  const scanner = new ChainScanner('deeds', freshChain());
  scan(scanner, records);
  return encodeFooter('deeds', segment, scanner.state.content).text;
}

function scan(scanner: ChainScanner, texts: readonly string[], name = file): readonly Fault[] {
  const faults = [scanner.startSegment(name)];
  for (const [index, text] of texts.entries())
    faults.push(
      scanner.scan({ bytes: Buffer.from(text).subarray(0, -1), offsetBytes: 0, line: index + 1, complete: true }),
    );
  return faults.filter((fault) => fault !== undefined);
}

function kinds(texts: readonly string[]): readonly string[] {
  return scan(new ChainScanner('deeds', freshChain()), texts).map(({ kind }) => kind);
}

/** A footer whose own hash is right and which says something else. */
function otherFooter(change: (text: string) => string): string {
  const text = footer(lines());
  return closeLine('deeds', change(text.slice(0, text.indexOf(',"hash":"')))).text;
}

describe('ChainScanner', () => {
  it('finds nothing where nothing is wrong', () => {
    expect(kinds([...lines(), footer(lines())])).toEqual([]);
  });

  const changes: readonly [string, readonly string[], string][] = [
    ['a record with another predecessor', lines({ prev: zeroHash }), 'ChainBroken'],
    ['a record of an earlier epoch', lines({ epoch: 4 }), 'EpochWentBack'],
    ['a record of an earlier order', lines({ order: 15 }), 'OrderWentBack'],
    ['a record of the same order', lines({ order: 20 }), 'OrderWentBack'],
    [
      'a record behind the footer',
      [...lines().slice(0, 2), footer(lines().slice(0, 2)), lines()[2] ?? ''],
      'LineAfterFooter',
    ],
    [
      'a footer with another root',
      [...lines(), otherFooter((it) => it.replace(/"merkleRoot":"[0-9a-f]{64}"/, `"merkleRoot":"${zeroHash}"`))],
      'FooterWrong',
    ],
    [
      'a footer with another count',
      [...lines(), otherFooter((it) => it.replace('"count":3', '"count":2'))],
      'FooterWrong',
    ],
  ];
  for (const [what, texts, kind] of changes)
    verifies('journal:verify-locates', `finds ${what}, though its own hash is right`, () => {
      expect(kinds(texts)).toEqual([kind]);
    });

  verifies('journal:verify-locates', 'finds the end of an earlier segment missing', () => {
    const scanner = new ChainScanner('deeds', freshChain());
    expect(scan(scanner, lines())).toEqual([]);
    expect(scanner.startSegment('2026-03-01.002.jsonl')).toMatchObject({ kind: 'FooterMissing', seq: 3, file });
  });
});
