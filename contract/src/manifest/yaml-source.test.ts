import { describe, expect, it } from 'vitest';
import { plainScalar } from './plain-scalar.ts';
import { lineOf, readYaml } from './yaml-source.ts';

/** As `kubectl annotate --local` of version 1.32 says; `test/integration/manifests-as-kubectl.test.ts` asks the kubectl that is here. */
const scalars: readonly (readonly [string, readonly string[]])[] = [
  ['true', ['yes', 'Yes', 'YES', 'y', 'Y', 'on', 'On', 'ON', 'true', 'True', 'TRUE', '!!bool "yes"', '&x yes']],
  ['false', ['no', 'No', 'NO', 'n', 'N', 'off', 'Off', 'OFF', 'false']],
  ['undefined', ['~', 'null', 'Null', 'NULL', '', '!!null ""']],
  ['"yEs"', ['yEs']],
  ['"tRue"', ['tRue']],
  ['"yes"', ['"yes"', "'yes'", '!!str yes', '! yes', '!foo yes']],
  ['10', ['012', '1__0', '+1_0.0', '10', '0xa', '0b1010', '0o12', '1e1', '10.']],
  ['-10', ['-012', '-10', '-0b1010']],
  ['9', ['09', '9', '0o11', '!!int "9"', '!!float 9']],
  ['0.5', ['.5', '0.5', '+.5', '5e-1']],
  ['0.392', ['.39_2']],
  ['"_1"', ['_1']],
  ['"._1"', ['._1']],
  ['"1e"', ['1e']],
  ['"1e400"', ['1e400']],
  ['"190:20:30"', ['190:20:30']],
  ['"2001-01-01"', ['2001-01-01', '!!timestamp 2001-01-01']],
  ['"0xFFFFFFFFFFFFFFFFFF"', ['0xFFFFFFFFFFFFFFFFFF']],
  ['"0o8"', ['0o8']],
  ['"hello"', ['!!binary aGVsbG8=', 'hello']],
  ['"a#b"', ['a#b', 'a#b #c']],
  ['0', ['-0', '0', '0x0', '0.0']],
];

const valuesOf = (text: string): readonly unknown[] => {
  const read = readYaml(text, 'a.yaml');
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  return read.value.map((it) => it.value);
};
const faultOf = (text: string): string => {
  const read = readYaml(text, 'a.yaml');
  return read.ok ? 'no fault' : read.error.map(({ line, found }) => `${line}: ${found}`).join('; ');
};

describe('a scalar means what kubectl takes it for', () => {
  it.each(scalars.flatMap(([value, texts]) => texts.map((text) => [text, value] as const)))('%s: %s', (text, value) => {
    const [read] = valuesOf(`v: ${text}\nw: 1\n`) as readonly [{ readonly v?: unknown }];
    expect(String(JSON.stringify(Object.is(read.v, -0) ? 0 : read.v))).toBe(value);
  });

  it.each(['.inf', '-.Inf', '.NaN'])('and JSON has no number for %s', (text) => {
    expect(plainScalar(text).ok).toBe(false);
    expect(faultOf(`a: 1\nv: ${text}\n`)).toBe(`2: ${text}`);
  });
});

describe('a document means what kubectl takes it for', () => {
  const rows: readonly (readonly [string, string, readonly unknown[]])[] = [
    ['a merge before', 'b: &b {v: 2, w: 3}\ns:\n  <<: *b\n  v: 1\n', [{ b: { v: 2, w: 3 }, s: { v: 1, w: 3 } }]],
    ['a merge after', 'b: &b {v: 2}\ns:\n  v: 1\n  <<: *b\n', [{ b: { v: 2 }, s: { v: 2 } }]],
    ['a merge of a list', 's:\n  <<: [{v: 2}, {v: 4, x: 5}]\n', [{ s: { v: 2, x: 5 } }]],
    ['two merges', 's:\n  <<: {v: 1}\n  <<: {w: 1}\n', [{ s: { v: 1, w: 1 } }]],
    ['a merge in a merge', 'b: &b {<<: {q: 1}}\ns: {<<: *b}\n', [{ b: { q: 1 }, s: { q: 1 } }]],
    ['a quoted key that looks like a merge', 's: {"<<": {v: 1}}\n', [{ s: { '<<': { v: 1 } } }]],
    ['keys that are no text', '1: a\nyes: b\n1.5: c\n0x10: d\n', [{ 1: 'a', true: 'b', 1.5: 'c', 16: 'd' }]],
    ['an alias as a key', 'x: &k v\n*k : a\n', [{ x: 'v', v: 'a' }]],
    ['a list behind its key', 's:\n- a\n- b\n', [{ s: ['a', 'b'] }]],
    ['a flow on one line', '{a: yes, b: [1, ]}\n', [{ a: true, b: [1] }]],
    ['JSON, one object after the other', '{"a":"}{\\""}{"b":1}\n {"c":2}\n', [{ a: '}{"' }, { b: 1 }, { c: 2 }]],
    ['JSON behind a comment', '# c\n{"a":1}', [{ a: 1 }]],
    ['the mark of an encoding', '\uFEFFa: 1\n', [{ a: 1 }]],
    ['lines of Windows', 'a: 1\r\nb:\r\n  - c\r\n---\r\nd: 2\r\n', [{ a: 1, b: ['c'] }, { d: 2 }]],
    ['lines of an old Mac', 'a: 1\rb: 2\r', [{ a: 1, b: 2 }]],
    ['tabs where they separate', 'a:\tx\t\nb: {c:\t1}\n', [{ a: 'x', b: { c: 1 } }]],
    ['nothing but comments and separators', '---\n# c\n---\n--- # d\nnull\n---\n~\n...\n', []],
    ['a separator at the end', 'a: 1\n---\n', [{ a: 1 }]],
    ['an end of a document', 'a: 1\n...\n---\nb: 2\n', [{ a: 1 }, { b: 2 }]],
  ];

  it.each(rows)('%s', (_, text, values) => expect(valuesOf(text)).toEqual(values));

  const faults: readonly (readonly [string, string, string])[] = [
    ['a merge of a scalar', 'a: 1\ns:\n  <<: 3\n', '3: a merge of what is no map'],
    ['a merge of nothing', 's:\n  <<:\n', '2: a merge of what is no map'],
    ['a key that is no text', '~: a\n? {b: c}\n: d\n', '1: a key that is no text; 2: a key that is no text'],
    ['an anchor in itself', 's: &s\n  v: *s\n', '2: an anchor that contains itself'],
    ['an alias of nothing', 'a: *b\n', '1: the alias *b'],
    ['two keys of one meaning', 'yes: 1\ntrue: 2\n', '2: the key true again'],
    ['two keys in the second object of JSON', '{"a":1}\n{"b":1,\n"b":2}', '3: the key b again'],
    ['a tag that does not fit', 'a: !!int yes\n', '1: !!int before "yes"'],
    ['more behind a separator', 'a: 1\n--- {b: 2}\n', '2: more on the line of a separator'],
    ['a separator that is too long', 'a: 1\n----\n', '2: more on the line of a separator'],
    ['a control character', 'a: 1\nb: "x\u0001"\n', '2: the control character U+0001'],
    ['a tab in the place of spaces', 'a:\n\tb: 1\n', '2: Tabs are not allowed as indentation at line 2, column 1:'],
    ['many levels', `a: ${'['.repeat(5000)}${']'.repeat(5000)}`, '1: YAML that is nested too deep'],
  ];

  it.each(faults)('refuses %s, and says where', (_, text, fault) => expect(faultOf(text)).toBe(fault));

  it('ends at a number of parts from aliases, and names it once', () => {
    const row = (to: string, from: string): string => `${to}: &${to} [${Array(40).fill(`*${from}`).join(', ')}]`;
    const bomb = ['a: &a {k: [x, x, x]}', row('b', 'a'), row('c', 'b'), row('d', 'c'), row('e', 'd'), '<<: *a'].join(
      '\n',
    );
    expect(faultOf(bomb)).toMatch(/^\d: more than 100000 parts from aliases$/);
  });

  it('keeps the lines of objects that stand one after the other', () => {
    const read = readYaml('\n{"a":1}\n\n{"b":\n{"c":2}}', 'a.json');
    expect(read.ok && read.value.map((it) => [lineOf(it, []), lineOf(it, ['b', 'c'])])).toEqual([
      [2, 2],
      [4, 5],
    ]);
  });
});
