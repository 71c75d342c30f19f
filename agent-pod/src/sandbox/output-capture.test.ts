import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { OutputCapture } from './output-capture.ts';

function capture(
  limitBytes: number,
  chunks: readonly Uint8Array[],
): { readonly text: string; readonly droppedBytes: number } {
  const output = new OutputCapture(limitBytes);
  for (const chunk of chunks) output.add(chunk);
  return output.finish();
}

describe('OutputCapture', () => {
  verifies('sandbox:output-is-data', 'keeps the head, counts the rest, and leaves escapes alone', () => {
    const escape = '\u001b[2J\u001b]0;owned\u0007';
    expect(capture(escape.length, [Buffer.from(escape), Buffer.from('rest')])).toEqual({
      text: escape,
      droppedBytes: 4,
    });
  });

  it.each([
    { name: 'whole characters', bytes: 'aé', limit: 3, text: 'aé', dropped: 0 },
    { name: 'a cut in a two-byte character', bytes: 'aéb', limit: 2, text: 'a', dropped: 3 },
    { name: 'a cut in a four-byte character', bytes: 'a\u{1f600}b', limit: 4, text: 'a', dropped: 5 },
    { name: 'a cut between characters', bytes: 'a\u{1f600}b', limit: 5, text: 'a\u{1f600}', dropped: 1 },
    { name: 'no room at all', bytes: 'abc', limit: 0, text: '', dropped: 3 },
  ])('handles $name', ({ bytes, limit, text, dropped }) => {
    expect(capture(limit, [Buffer.from(bytes)])).toEqual({ text, droppedBytes: dropped });
  });

  it('shows invalid bytes as replacement characters and never cuts at them', () => {
    expect(capture(2, [Uint8Array.of(0x80, 0x80, 0x80)])).toEqual({ text: '\ufffd\ufffd', droppedBytes: 1 });
  });

  it('gives the same for any chunking, and never more than the limit', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), fc.nat(60), fc.nat(20), (text, limit, cut) => {
        const bytes = Buffer.from(text);
        const whole = capture(limit, [bytes]);
        expect(capture(limit, [bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(whole);
        expect(Buffer.byteLength(whole.text)).toBe(bytes.length - whole.droppedBytes);
        expect(text.startsWith(whole.text)).toBe(true);
        expect(Buffer.byteLength(whole.text)).toBeLessThanOrEqual(limit);
      }),
    );
  });
});
