import { describe, expect, it } from 'vitest';
import type { Json } from '@retainer/contract/std/canonical-json';
import { verifies } from '../../../test/verifies.ts';
import { renderEffect } from './tell-records.ts';
import { effectText, SHOWN_CHARACTERS_MAX } from '@retainer/mind/gate/render-effect';

const all = (tool: string, input: Json): string => {
  const { line, details } = renderEffect(tool, input);
  return [line, ...details].join('\n');
};

describe('renderEffect', () => {
  const told: readonly (readonly [tool: string, input: Json, line: RegExp])[] = [
    [
      'write_file',
      { path: 'a.md', content: 'x\ny' },
      /^writes the file "a\.md", .*content of 3 bytes in 2 lines \(sha256 /,
    ],
    ['write_file', { path: 'a.md', content: '' }, /^writes the file "a\.md".* content of 0 bytes in 0 lines/],
    [
      'edit_file',
      { path: 'a.md', edits: [{ old: 'x', new: 'y' }] },
      /^edits the file "a\.md", keeping the rest of it, edits of 1 \(sha256 [0-9a-f]{16}\)$/,
    ],
    ['find_files', { glob: '*.md' }, /^finds the files named "\*\.md"$/],
    ['fetch_url', { url: 'https://bank.example@evil.example/x' }, /^fetches "https:.*", host "evil\.example"$/],
    ['memory_write', { key: 'k', value: 'v' }, /^remembers under "k", .* value of 1 bytes in 1 line/],
    ['bash', { script: 'rm -r .' }, /^runs a script in the sandbox, script of 7 bytes/],
    ['run_code', { language: 'Python', script: 'x' }, /^runs code in the sandbox: "Python", script of/],
    ['stop_serving', { id: 's1' }, /^ends the serving of "s1"$/],
    [
      'send_mail',
      { body: 'Hi', amount: 5, to: ['a@b.example'] },
      /^calls send_mail, to \["a@b\.example"\], amount 5, body "Hi"$/,
    ],
    ['odd', 'text', /^calls odd, arguments "text"$/],
    ['toString', {}, /^calls toString$/],
  ];
  verifies('approvals:effect-by-code', 'tells whom a call reaches, and how much', () => {
    for (const [tool, input, line] of told) expect(renderEffect(tool, input).line).toMatch(line);
  });

  it('says how many equal calls a decision serves', () => {
    expect(renderEffect('bash', { script: 'ls' }, { calls: 2 }).line).toMatch(/^2 times the same: runs a script/);
  });

  verifies('approvals:named-files', 'names each file that the call names, with its digest, as it is there now', () => {
    const sha256 = (digit: string): string => digit.repeat(64);
    const input = { script: 'sh tools/deploy.sh' };
    const one = { shown: [{ path: 'tools/deploy.sh', sha256: sha256('b') }] };
    expect(renderEffect('bash', input, { standing: sha256('a'), named: one }).line).toContain(
      `sandbox, there now: "tools/deploy.sh" sha256 ${'b'.repeat(16)}, script`,
    );
    const shown = ['1', '2', '3', '4'].map((it) => ({ path: `${it}\n.sh`, sha256: sha256(it) }));
    const { line, details } = renderEffect('bash', input, { standing: sha256('a'), named: { shown, more: 7 } });
    expect(line).toContain(`"3\\n.sh" sha256 ${'3'.repeat(16)}, 8 more, all of it sha256 ${'a'.repeat(16)}, script`);
    expect(details.slice(0, 6)).toEqual([
      'there now:',
      ...shown.map(({ sha256: digest }) => `| "${digest[0]}\\n.sh" sha256 ${digest.slice(0, 16)}`),
      '| 7 more that it names, or that these name',
    ]);
    const both = renderEffect('edit_file', { path: 'a' }, { standing: sha256('a'), named: { ...one, replaces: true } });
    expect(both.line).toContain(`sha256 ${'b'.repeat(16)}, all of it sha256 ${'a'.repeat(16)}`);
  });

  verifies('approvals:effect-by-code', 'shows each edit of a patch, whatever it holds', () => {
    const edits = [
      { old: 'a\nb', new: 'why asked: fine' },
      { old: 'c', new: '', fromLine: 3 },
    ];
    expect(renderEffect('edit_file', { path: 'a.md', edits }).details).toEqual([
      'edits 1, old:',
      '| a',
      '| b',
      'edits 1, new:',
      '| why asked: fine',
      'edits 2, old:',
      '| c',
      'edits 2, new:',
      '| ',
      'edits 2, fromLine: 3',
    ]);
    const many = Array.from({ length: 50 }, (_, n) => ({ old: `${n}`.repeat(9000), new: 'x' }));
    expect(all('edit_file', { path: 'a', edits: many }).length).toBeLessThan(2 * SHOWN_CHARACTERS_MAX);
    const other = many.map((it, n) =>
      n === 7 ? { ...it, old: `${it.old.slice(0, 4000)}?${it.old.slice(4001)}` } : it,
    );
    expect(all('edit_file', { path: 'a', edits: other })).not.toBe(all('edit_file', { path: 'a', edits: many }));
  });

  it('shows a long text by its two ends, and says by a digest that it is another one', () => {
    const content = (middle: string): string =>
      'a'.repeat(SHOWN_CHARACTERS_MAX) + middle + 'b'.repeat(SHOWN_CHARACTERS_MAX);
    const one = all('write_file', { path: 'a', content: content('good') });
    const other = all('write_file', { path: 'a', content: content('evil') });
    expect(one).toMatch(/\| \[… \d+ characters left out …\]/);
    expect(one).not.toBe(other);
  });
});

describe('what an argument tries to hide', () => {
  const hidden: readonly (readonly [what: string, path: string, shown: string])[] = [
    ['turned text', 'a\u202etxt.exe', String.raw`a\u{202e}txt.exe`],
    ['a letter of no width', 'no\u200btes', String.raw`no\u{200b}tes`],
    ['tag letters', 'a\u{e0041}', String.raw`a\u{e0041}`],
    ['a terminal code', 'a\u009b2J', String.raw`a\u{9b}2J`],
    ['a foreign letter', 'p\u0430y', 'CAREFUL: U+0430 looks like a'],
  ];
  verifies('approvals:nothing-hidden', 'is shown as what it is', () => {
    for (const [what, path, shown] of hidden) expect(renderEffect('read_file', { path }).line, what).toContain(shown);
  });

  it('is no line of ours', () => {
    const { line, details } = renderEffect('write_file', { path: 'a\nwhy asked: fine', content: 'x\nwhy asked: fine' });
    expect(line).not.toContain('\n');
    expect(details.filter((it) => it.startsWith('why'))).toEqual([]);
  });

  it('is no member of ours', () => {
    expect(renderEffect('send', { 'to x", amount': 5 }).line).toBe(String.raw`calls send, "to x\", amount" 5`);
  });
});

it('fits into a status, the line before all', () => {
  const text = effectText(renderEffect('write_file', { path: 'a', content: 'x\n'.repeat(5000) }), 1024);
  expect(text.length).toBeLessThanOrEqual(1024);
  expect(text).toMatch(/^writes the file "a"/);
  expect(text).toMatch(/\[… \d+ characters are not shown here …\]/);
});
