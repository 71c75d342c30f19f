/** The commands of package.json work in a fresh clone, where nothing is built. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { neededBy } from './support/import-graph.ts';
import { repositoryRoot } from './support/repository-files.ts';

const { scripts, workspaces } = JSON.parse(readFileSync(`${repositoryRoot}/package.json`, 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
  readonly workspaces: readonly string[];
};

/** Started by tsx as it resolves by itself: a package of ours is what the build has written. */
const WITHOUT_SOURCES = /\btsx ((?!--conditions=source)\S+\.ts)/g;
const isOfPackage = (path: string): boolean => workspaces.some((workspace) => path.startsWith(`${workspace}/src/`));

describe('the commands of package.json', () => {
  it.each(Object.entries(scripts))('%s finds the packages that it needs', (_, line) => {
    if (line.startsWith('tsc -b && ')) return;
    const entries = [...line.matchAll(WITHOUT_SOURCES)].map(([, entry = '']) => entry);
    const needed = entries.flatMap((entry) => [...neededBy([entry])]).filter(isOfPackage);
    expect(needed, `tsx --conditions=source, or tsc -b before it: ${line}`).toEqual([]);
  });
});

describe('try:kind', () => {
  it('says why it tried nothing where a program is missing, and ends well', () => {
    const { status, stdout } = spawnSync(process.execPath, ['scripts/try-kind.mjs'], {
      cwd: repositoryRoot,
      env: { ...process.env, PATH: repositoryRoot },
      encoding: 'utf8',
    });
    expect(stdout).toBe('not tried: npm run dev:kind, because there is no docker (ENOENT)\n');
    expect(status).toBe(0);
  });
});
