import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { decodeLine, encodeLine, LineChecker, parseHead, TIME_MS_MAX, zeroHash, type LineFields } from './codec.ts';
import { addLeaf, merkleRoot } from './merkle.ts';

const fields: LineFields = {
  store: 'cycles',
  seq: 7,
  order: 12,
  epoch: 3,
  batch: 6,
  timeMs: 1_700_000_000_123,
  kind: 'CycleStarted',
  version: 2,
  principal: 'human:ada',
  cycleId: 'c-1',
  runId: undefined,
  content: { payloadText: '{"n":1}' },
  prev: zeroHash,
};

const bytesOf = (line: LineFields): Buffer => Buffer.from(encodeLine(line).text.slice(0, -1));

describe('line codec', () => {
  verifies('journal:line-round-trip', 'decodes what it encoded, for any content', () => {
    fc.assert(
      fc.property(
        fc.record({
          payload: fc.jsonValue(),
          principal: fc.string({ minLength: 1, unit: 'binary' }),
          cycleId: fc.option(fc.string({ minLength: 1, unit: 'binary' }), { nil: undefined }),
          timeMs: fc.integer({ min: 0, max: TIME_MS_MAX }),
          seq: fc.maxSafeNat(),
        }),
        ({ payload, ...changed }) => {
          const payloadText = JSON.stringify(payload);
          const { text } = encodeLine({ ...fields, ...changed, content: { payloadText } });
          expect(text.indexOf('\n')).toBe(text.length - 1);
          const line = Buffer.from(text.slice(0, -1));
          const decoded = decodeLine(line);
          const content = { payload: JSON.parse(payloadText) as unknown };
          const { cycleId, ...rest } = changed;
          const record = { ...rest, ...(cycleId === undefined ? {} : { cycleId }) };
          expect(new LineChecker('cycles').check(line)).toBeDefined();
          expect(decoded).toMatchObject({ ok: true, value: { content, batch: 6, record } });
          expect(parseHead(line)).toMatchObject({ seq: changed.seq, kind: 'CycleStarted', version: 2 });
        },
      ),
    );
  });

  verifies('journal:hash-covers-bytes', 'refuses a line with any one bit changed', () => {
    const line = bytesOf(fields);
    for (let bit = 0; bit < line.length * 8; bit += 1) {
      const changed = Buffer.from(line);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(new LineChecker('cycles').check(changed), `bit ${bit}`).toBeUndefined();
    }
  });

  it('refuses a line of another store', () => {
    expect(new LineChecker('runs').check(bytesOf(fields))).toBeUndefined();
  });

  it('checks a line that is longer than its scratch space', () => {
    const line = bytesOf({ ...fields, content: { payloadText: JSON.stringify('x'.repeat(20_000)) } });
    expect(new LineChecker('cycles').check(line)?.prev).toBe(zeroHash);
  });
});

describe('merkle root', () => {
  /** The recursive definition of RFC 6962, on the same leaf and node functions. */
  const rootOf = (leaves: readonly string[]): string => {
    if (leaves.length <= 1) {
      const frontier: string[] = [];
      if (leaves[0] !== undefined) addLeaf(frontier, 0, leaves[0]);
      return merkleRoot(frontier);
    }
    const split = 2 ** Math.floor(Math.log2(leaves.length - 1));
    return merkleRoot([rootOf(leaves.slice(0, split)), rootOf(leaves.slice(split))]);
  };

  it.each([0, 1, 2, 3, 7, 8, 13, 64, 65])('of %i leaves is that of the recursive definition', (count) => {
    const leaves = Array.from({ length: count }, (_, index) => index.toString(16).padStart(64, '0'));
    const frontier: string[] = [];
    for (const [index, leaf] of leaves.entries()) addLeaf(frontier, index, leaf);
    expect(merkleRoot(frontier)).toBe(rootOf(leaves));
  });
});
