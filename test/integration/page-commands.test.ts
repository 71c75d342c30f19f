/** The commands of the pages that need no cluster and no key, typed into a shell on this machine, in the order of their rows. */
import { mkdir, symlink } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../verifies.ts';
import type { HereRow } from '../support/command-row.ts';
import { commandRows } from '../support/documented-commands.ts';
import { repositoryRoot } from '../support/repository-files.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { faultsOf, typeInto, withWords } from '../support/typed-command.ts';

/** The examples take a tenth of it on a busy machine. */
const COMMAND_TIMEOUT_MS = 240_000;

const root = temporaryDirectory();
afterAll(() => root.remove());

const rows = Object.entries(commandRows).flatMap(([command, row]) => (row.how === 'Here' ? [{ command, row }] : []));
const bin = join(root.path, 'node_modules/.bin');
const directories = { Repository: repositoryRoot, Scratch: root.path } as const;
/** Of a person who has no key. */
const { ANTHROPIC_API_KEY: _, ANTHROPIC_BASE_URL: __, FORCE_COLOR: ___, ...environment } = process.env;
const PATH = [bin, dirname(process.execPath), environment['PATH'] ?? ''].join(delimiter);
const env = { ...environment, PATH, NO_COLOR: '1' };

beforeAll(async () => {
  await mkdir(bin, { recursive: true });
  await symlink(join(repositoryRoot, 'cli/bin/retainer.js'), join(bin, 'retainer'));
  await symlink(join(repositoryRoot, 'manifests'), join(root.path, 'manifests'));
});

async function check(command: string, row: HereRow): Promise<readonly string[]> {
  const line = withWords(command, row.words ?? {});
  const ended = await typeInto({ cwd: directories[row.in], env, timeoutMs: COMMAND_TIMEOUT_MS }, line);
  return faultsOf(line, row, ended);
}

describe('the commands of the pages for one machine', () => {
  it('are there', () => expect(rows.length).toBeGreaterThan(5));

  for (const { command, row } of rows)
    verifies('e2e:documented-commands', command, async () => {
      expect((await check(command, row)).join('\n')).toBe('');
    });
});
