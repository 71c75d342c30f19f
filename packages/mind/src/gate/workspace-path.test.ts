import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import { MAX_NAME_BYTES, MAX_PATH_BYTES, parseWorkspacePath } from './workspace-path.ts';

describe('parseWorkspacePath', () => {
  it.each([
    ['a/b', 'a/b'],
    ['./a//b/', 'a/b'],
    ['a/./b/../c', 'a/c'],
    ['/workspace', '.'],
    ['/workspace/', '.'],
    ['/workspace/a', 'a'],
    ['/workspace//a', 'a'],
    ['.', '.'],
    ['a/..', '.'],
    ['...', '...'],
    ['a b/ü', 'a b/ü'],
    ['cafe\u0301', 'caf\u00e9'],
    ['~/x', '~/x'],
    ['a\\..\\..\\b', 'a\\..\\..\\b'],
    ['\uff0e\uff0e/x', '\uff0e\uff0e/x'],
  ])('%s is %s', (text, expected) => {
    expect(parseWorkspacePath(text)).toEqual({ ok: true, value: expected });
  });

  it.each([
    [''],
    ['/'],
    ['/etc/passwd'],
    ['/workspaces/a'],
    ['//workspace/a'],
    ['..'],
    ['../a'],
    ['a/../../b'],
    ['/workspace/../etc/passwd'],
    ['./../a'],
    ['a\0b'],
    ['a\nb'],
    ['a\u007fb'],
    ['\ud800'],
    ['x'.repeat(MAX_NAME_BYTES + 1)],
    ['ü'.repeat(MAX_NAME_BYTES / 2 + 1)],
    [`${'x/'.repeat(MAX_PATH_BYTES / 2)}xx`],
  ])('refuses %j', (text) => {
    expect(parseWorkspacePath(text)).toMatchObject({ ok: false });
  });

  const hostile = fc
    .array(
      fc.oneof(
        fc.constantFrom('..', '.', '', '/', 'a', '/workspace', 'workspace', '\\', '%2e%2e', '\u2025'),
        fc.string({ unit: 'binary', maxLength: 6 }),
      ),
      { maxLength: 8 },
    )
    .map((parts) => parts.join('/'));

  verifies('gate:paths-stay-inside', 'no text names anything outside the workspace', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const parsed = parseWorkspacePath(text);
        if (!parsed.ok) return;
        const absolute = path.resolve('/root-of-workspace', parsed.value);
        expect(absolute === '/root-of-workspace' || absolute.startsWith('/root-of-workspace/')).toBe(true);
        expect(parseWorkspacePath(parsed.value)).toEqual(parsed);
        expect(parsed.value.split('/')).not.toContain('..');
      }),
      { numRuns: 1000 },
    );
  });
});
