import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { beyond, eachOnce, joinedOnce, referringTo, says } from './said-once.ts';

describe('a text says a part', () => {
  it.each([
    ['the same', 'No way.', 'no way', true],
    ['after a name', 'B is shown: no tool call ran.', 'no tool call ran', true],
    ['before a mark', 'It failed (timed out); so did the other', 'timed out', true],
    ['on several lines', 'Stopped:\n  it was\n  too late.', 'it was too late', true],
    ['at its second place', 'no waybill; no way', 'no way', true],
    ['within other words', 'There is no way out.', 'no way', false],
    ['as the beginning of a word', 'no waybill', 'no way', false],
    ['not at all', 'It failed.', 'it stopped', false],
    ['that is empty', 'It failed.', ' ', true],
  ])('%s', (_, text, part, isSaid) => {
    expect(says(text, part)).toBe(isSaid);
  });
});

describe('parts are each said once', () => {
  it('without those that another one holds', () => {
    const parts = ['it was too late', 'r1s1: it was too late.', 'It was too late', 'no file is there'];
    expect(eachOnce(parts)).toEqual(['r1s1: it was too late.', 'no file is there']);
    expect(eachOnce(['It failed.', 'it failed'])).toEqual(['It failed.']);
    expect(eachOnce([])).toEqual([]);
  });

  it('and none is lost: whatever was a part is still said', () => {
    const part = fc.array(fc.constantFrom('a', 'b.', 'c:', 'A', 'b'), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(
        fc.array(
          part.map((it) => it.join(' ')),
          { maxLength: 6 },
        ),
        (parts) => {
          const kept = eachOnce(parts);
          for (const it of parts) expect(kept.some((other) => says(other, it))).toBe(true);
          expect(eachOnce(kept)).toEqual(kept);
        },
      ),
    );
  });
});

describe('reasons are joined', () => {
  it.each([
    ['as they are', ['A: no file', 'B: no time'], 'A: no file; B: no time'],
    ['each once', ['no file', 'A: no file', 'no file'], 'A: no file'],
    ['by what they share after a colon', ['A: no file', 'C: late', 'B: no file'], 'A, B: no file; C: late'],
    ['by all that they share', ['A: cut off: alike', 'B: cut off: alike'], 'A, B: cut off: alike'],
    ['to nothing', [], ''],
  ])('%s', (_, parts, joined) => {
    expect(joinedOnce(parts)).toBe(joined);
  });

  it.each([
    ['the whole', 'no file', 'the same'],
    ['what follows a colon', 'B: no file; C: late', 'B: the same; C: late'],
    ['of several', 'B: no file; C: no file', 'B, C: the same'],
    ['nothing', 'B: late', 'B: late'],
  ])('and refer to what was said before: %s', (_, reasons, said) => {
    expect(referringTo(['It is late', 'A: no file.'], reasons)).toBe(said);
  });
});

describe('beyond what was said, a text adds', () => {
  it.each([
    ['nothing, where it repeats it', 'It failed.', ['It failed.'], ''],
    ['nothing, where it was cut', 'It fail', ['It failed.'], ''],
    ['what follows', 'It failed.\n\nNote: late.', ['It failed.'], 'Note: late.'],
    ['what follows several', 'It failed; it stopped\n\nNote', ['It failed', 'it stopped'], 'Note'],
    ['what follows the beginning of it', 'It fai\n\nNote', ['It failed.'], 'Note'],
    ['what follows a paragraph about it', 'Refused. Gap: it failed. Wait.\n\nNote', ['It failed.'], 'Note'],
    ['all, where it begins otherwise', 'A is 4.\n\nIt failed.', ['It failed.'], 'A is 4.\n\nIt failed.'],
    ['all, where nothing was said', ' A is 4. ', [], 'A is 4.'],
  ])('%s', (_, text, said, rest) => {
    expect(beyond(text, said)).toBe(rest);
  });
});
