/** `.ci/check-commits.mjs` on small repositories with one bad commit each. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inTemporaryDirectory } from './support/agents.ts';
import { repositoryRoot } from './support/repository-files.ts';

const script = join(repositoryRoot, '.ci/check-commits.mjs');
/** Nothing of the person who runs the tests, nor of a hook that does. */
const env = {
  PATH: process.env['PATH'],
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.org',
};
const WHY = 'Because the reader asks why.';
const lines = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index}\n`).join('');

interface Repository {
  readonly git: (...args: readonly string[]) => string;
  readonly write: (path: string, text: string) => void;
  readonly commit: (subject: string, ...body: readonly string[]) => void;
  /** Exit code and what was said. */
  readonly check: () => readonly [number | null, string];
}

/** One commit with a file of 4,000 lines, from which on commits are checked. */
async function inRepository(use: (repository: Repository) => void): Promise<void> {
  await inTemporaryDirectory(async (directory) => {
    const git = (...args: readonly string[]): string =>
      execFileSync('git', [...args], { cwd: directory, env, encoding: 'utf8' });
    const write = (path: string, text: string): void => {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), text);
    };
    const commit = (...paragraphs: readonly string[]): void => {
      git('add', '--all');
      git('commit', '--quiet', '--allow-empty', ...paragraphs.flatMap((it) => ['-m', it]));
    };
    const check = (): readonly [number | null, string] => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [script], {
        cwd: directory,
        env,
        encoding: 'utf8',
      });
      return [status, stdout + stderr];
    };
    git('init', '--quiet');
    write('long.txt', lines(4000));
    write('.gitattributes', '*.golden linguist-generated\n');
    commit('A subject without a body that is much longer than any subject may be from now on');
    write('.ci/commits-from', git('rev-parse', 'HEAD'));
    use({ git, write, commit, check });
  });
}

describe('the check of commits', () => {
  it('takes short subjects with a reason, generated lines, and moved files however long', async () => {
    await inRepository(({ git, write, commit, check }) => {
      commit('a'.repeat(60), WHY);
      write('recorded.golden', lines(5000));
      write('by-hand.txt', lines(3000));
      commit('Add what may be added', WHY);
      git('mv', 'long.txt', 'longer.txt');
      commit('Move a file', WHY);
      expect(check()).toEqual([0, expect.stringMatching(/^3 commits since /)]);
    });
  });

  const bad: readonly (readonly [string, (repository: Repository) => void])[] = [
    ['Bb*: its subject has 61 characters, not 60', ({ commit }) => commit(`B${'b'.repeat(60)}`, WHY)],
    ['Say nothing: it has no body that says why', ({ commit }) => commit('Say nothing')],
    [
      'Add a flood: it adds 3001 lines by hand, not 3000',
      ({ write, commit }) => {
        write('by-hand.txt', lines(2999));
        write('more.txt', lines(2));
        write('recorded.golden', lines(10));
        commit('Add a flood', WHY);
      },
    ],
  ];
  it.each(bad)('finds among good ones: %s', async (fault, plant) => {
    await inRepository((repository) => {
      repository.commit('Do one thing', WHY);
      plant(repository);
      repository.commit('Do another thing', WHY);
      const [code, said] = repository.check();
      expect(code).toBe(1);
      expect(said).toMatch(new RegExp(`^[0-9a-f]{10} ${fault}\n$`));
    });
  });

  it('names each fault of each commit, the oldest first', async () => {
    await inRepository(({ commit, check }) => {
      commit('First');
      commit(`Second ${'b'.repeat(60)}`);
      const faults = check()[1].trimEnd().split('\n');
      expect(faults.map((it) => it.replace(/^\S+ (\w+).*: its? (\w+ \w+).*/, '$1 $2'))).toEqual([
        'First has no',
        'Second subject has',
        'Second has no',
      ]);
    });
  });

  it('fails where the first commit is not in the history, and says what to do', async () => {
    await inRepository(({ write, check }) => {
      write('.ci/commits-from', `${'0'.repeat(40)}\n`);
      expect(check()).toEqual([1, expect.stringContaining('git fetch --unshallow')]);
    });
  });
});
