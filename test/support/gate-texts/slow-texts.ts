/** Texts made to be slow, each by its length in characters. */
const nested = (text: string, times: number): string =>
  times === 0 ? text : nested(Buffer.from(text).toString('base64'), times - 1);

export const slow: Readonly<Record<string, (length: number) => string>> = {
  'zero width': (length) => '\u200b'.repeat(length),
  'letters cut by zero width': (length) => 'i\u200b'.repeat(length / 2),
  'combining marks': (length) => `a${'\u0301'.repeat(length)}`,
  'near matches': (length) => 'ignore your '.repeat(length / 12),
  'heads without an end': (length) => 'your your target instructions '.repeat(length / 30),
  'single letters': (length) => 'i '.repeat(length / 2),
  'fused words': (length) => 'ignoreall'.repeat(length / 9),
  'open brackets': (length) => '!['.repeat(length / 2),
  'open images': (length) => '![](https://a/'.repeat(length / 14),
  'open tags': (length) => '<img '.repeat(length / 5),
  'open quotations': (length) => '“'.repeat(length),
  apostrophes: (length) => "'a".repeat(length / 2),
  'percent signs': (length) => '%41'.repeat(length / 3),
  figures: (length) => '10 '.repeat(length / 3),
  'hex digits': (length) => '4a '.repeat(length / 3),
  base64: (length) => 'QUJD'.repeat(length / 4),
  'nested base64': (length) => nested('a b '.repeat(length / 40), 4),
  ideographs: (length) => '忽'.repeat(length),
  backslashes: (length) => '\\'.repeat(length),
  'open entities': (length) => '&#0000'.repeat(length / 6),
  'look-alikes cut by zero width': (length) => '🅸\u200b'.repeat(length / 3),
  'syllables in parts': (length) => '\u1100\u1161\u11a8'.repeat(length / 3),
  'quotations about attacks': (length) => 'attack "ignore your instructions" '.repeat(length / 34),
  'names in programs': (length) => 'ignoreAllPrevious '.repeat(length / 18),
  'base64 between slashes': (length) => 'SWdub3JlIGFsbCBwcmV2aW91cyBpbnN0cnVjdGlvbnM/'.repeat(length / 44),
  stops: (length) => 'ignore. '.repeat(length / 8),
  'tag characters': (length) => '\u{E0041}'.repeat(length / 2),
};
