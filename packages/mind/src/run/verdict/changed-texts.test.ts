import type { ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import { describe, expect, it } from 'vitest';
import { textsAfter } from './changed-texts.ts';

const ran = (script: string): ToolCallRecord => ({
  callId: 't1',
  tool: 'bash',
  input: JSON.stringify({ script }),
  status: 'Ok',
  output: 'exit code 0',
  durationMs: 1,
  files: [],
});

const edited = (edits: readonly object[]): ToolCallRecord => ({
  ...ran(''),
  tool: 'edit_file',
  input: JSON.stringify({ edits }),
});

describe('textsAfter', () => {
  it.each([
    ['the first match of a line', "sed -i 's/a/b/' f", 'aa\nca\n', 'ba\ncb\n'],
    ['all matches', "sed -i 's/a/b/g' f", 'aa\nca\n', 'bb\ncb\n'],
    ['a pattern', "sed -i 's/[0-9]+/N/' f", 'a 12 34\n', 'a N 34\n'],
    ['signs of a pattern as they stand', "sed -i 's/1.5/2/' f", '1x5 1.5\n', '1x5 2\n'],
    ['a text with signs of replacements', "sed -i 's/a/$&/' f", 'a\n', '$&\n'],
    ['lines with a word', "sed -i '/old/d' f", 'old\nnew\n', 'new\n'],
    ['lines of a filter, in any case', 'grep -vi later f > g', 'LATER 1\nnow\n', 'now\n'],
  ])('guesses %s', (_name, script, before, after) => {
    expect(textsAfter(ran(script), before, [])).toContain(after);
  });

  it('makes the edits of a tool in their order, and guesses nothing where one is no text', () => {
    const edits = [
      { old: 'a', new: 'b' },
      { old: 'bb', new: 'c' },
    ];
    expect(textsAfter(edited(edits), 'ab', [])).toEqual(['c']);
    expect(textsAfter(edited([{ old: 'a', new: 1 }]), 'ab', [])).toEqual([]);
  });

  it('is not held up by a pattern that a model wrote for that', () => {
    const line = `${'a'.repeat(20_000)}b`;
    expect(textsAfter(ran("sed -i 's/(a+)+$/x/' f"), `${line}\n`, [])).toContain(`${line}\n`);
    expect(textsAfter(ran("sed -i '/(a*)*c$/d' f"), `${line}\n`, [])).toContain(`${line}\n`);
  });
});
