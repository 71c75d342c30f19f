import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeLine } from '@retainer/journal/codec';
import { readJournalLine, readLineIds } from './journal-line.ts';

const hash = fc.stringMatching(/^[0-9a-f]{64}$/);

const line = fc
  .record({
    store: fc.constantFrom('alpha', 'system', 'a-1'),
    seq: fc.nat(),
    order: fc.nat(),
    epoch: fc.nat(),
    batch: fc.nat(),
    timeMs: fc.nat(),
    kind: fc.constantFrom('Note', 'StoreOpened'),
    version: fc.integer({ min: 1, max: 99 }),
    principal: fc.string({ minLength: 1, maxLength: 40 }),
    cycleId: fc.option(fc.string({ minLength: 1, maxLength: 20 }), { nil: undefined }),
    runId: fc.option(fc.string({ minLength: 1, maxLength: 20 }), { nil: undefined }),
    content: fc.oneof(
      fc.record({ payloadText: fc.jsonValue().map((value) => JSON.stringify(value)) }),
      fc.record({ blob: fc.record({ sha256: hash, sizeBytes: fc.nat() }) }),
    ),
    prev: hash,
  })
  .map((fields) => ({ fields, encoded: encodeLine(fields) }));

const bytesOf = (text: string): Buffer => Buffer.from(text.slice(0, -1));

describe('readJournalLine', () => {
  it('reads what the journal writes, without sharing its code', () => {
    fc.assert(
      fc.property(line, ({ fields, encoded }) => {
        expect(readJournalLine(fields.store, bytesOf(encoded.text))).toEqual({
          type: 'Record',
          seq: fields.seq,
          order: fields.order,
          epoch: fields.epoch,
          recordKind: fields.kind,
          prev: fields.prev,
          hash: encoded.hash,
          blob: 'blob' in fields.content ? fields.content.blob : undefined,
          gap: undefined,
        });
      }),
    );
  });

  it('finds any changed byte', () => {
    fc.assert(
      fc.property(line, fc.nat(), fc.integer({ min: 1, max: 255 }), ({ fields, encoded }, at, flip) => {
        const bytes = bytesOf(encoded.text);
        bytes.writeUInt8(bytes.readUInt8(at % bytes.length) ^ flip, at % bytes.length);
        expect(readJournalLine(fields.store, bytes)).toEqual({ type: 'Unreadable' });
      }),
    );
  });

  it.each([
    { name: 'another store', store: 'beta', cut: 0 },
    { name: 'a line that is cut short', store: 'alpha', cut: 1 },
    { name: 'nothing', store: 'alpha', cut: 10_000 },
  ])('finds $name unreadable', ({ store, cut }) => {
    const [sample] = fc.sample(
      line.filter(({ fields }) => fields.store === 'alpha'),
      1,
    );
    const bytes = bytesOf(sample?.encoded.text ?? '\n');
    expect(readJournalLine(store, bytes.subarray(0, Math.max(0, bytes.length - cut)))).toEqual({ type: 'Unreadable' });
  });

  it('does not take a member of the payload for the payload itself', () => {
    const blob = { sha256: 'a'.repeat(64), sizeBytes: 5 };
    const payloadText = JSON.stringify({ blob });
    for (const { fields } of fc.sample(line, 5)) {
      const { text } = encodeLine({ ...fields, store: 'alpha', content: { payloadText } });
      expect(readJournalLine('alpha', bytesOf(text))).toMatchObject({ type: 'Record', blob: undefined });
    }
  });
});

describe('readLineIds', () => {
  it('reads them as they were written, whatever else is on the line', () => {
    const payloadText = JSON.stringify({ text: '"v":9,"principal":"x","runId":"another","payload":' });
    const others = [{}, { principal: 'ä'.repeat(3_000) }, { content: { payloadText } }, { runId: 'a"b' }];
    fc.assert(
      fc.property(line, fc.constantFrom(...others), ({ fields }, other) => {
        const written = { ...fields, ...other };
        const { version, cycleId, runId } = written;
        expect(readLineIds(bytesOf(encodeLine(written).text))).toEqual({ version, cycleId, runId });
      }),
    );
  });
});
