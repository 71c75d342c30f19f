import { describe, expect, it } from 'vitest';
import { READ_ONLY_PATHS_MAX, workspaceBinds } from './read-only-paths.ts';

const rw = (path: string): { path: string; access: string } => ({ path, access: 'read-write' });
const ro = (path: string): { path: string; access: string } => ({ path, access: 'read-only' });

describe('workspaceBinds', () => {
  it.each([
    { name: 'nothing', paths: [], binds: [rw('')] },
    { name: 'one directory', paths: ['data'], binds: [rw(''), ro('data')] },
    { name: 'dots and slashes', paths: ['./data//'], binds: [rw(''), ro('data')] },
    {
      name: 'every directory above as a mount point',
      paths: ['a/b/c'],
      binds: [rw(''), rw('a'), rw('a/b'), ro('a/b/c')],
    },
    { name: 'shared parents once', paths: ['a/x', 'a/y'], binds: [rw(''), rw('a'), ro('a/x'), ro('a/y')] },
    { name: 'a path below another', paths: ['a/b', 'a'], binds: [rw(''), ro('a')] },
    { name: 'names that sort before a slash', paths: ['a!', 'a/b'], binds: [rw(''), rw('a'), ro('a!'), ro('a/b')] },
    { name: 'the whole workspace', paths: ['.', 'data'], binds: [ro('')] },
  ])('binds $name', ({ paths, binds }) => {
    expect(workspaceBinds(paths)).toEqual({ ok: true, value: binds });
  });

  it.each(['', '/etc', '../x', 'a/../../x', 'a\0b'])('refuses %j', (path) => {
    expect(workspaceBinds([path])).toMatchObject({ ok: false });
  });

  it('refuses more paths than it would mount', () => {
    const paths = Array.from({ length: READ_ONLY_PATHS_MAX + 1 }, (_, index) => `p${String(index)}`);
    expect(workspaceBinds(paths)).toMatchObject({ ok: false });
  });
});
