/** The example of docs/jobs.md as a user tries it: a reminder of its own, a weekly report, a follow-up of its own. */
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { endAll, retainer, startRetainer, type Ended, type Started } from '../support/retainer-command.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const manifests = fileURLToPath(new URL('../../manifests/calendar', import.meta.url));
const root = temporaryDirectory();
const data = join(root.path, 'data');
let first: Ended;

interface Listed {
  readonly jobId: string;
  readonly job: { readonly name: string };
  readonly source: string;
  readonly status: string;
  readonly because?: readonly string[];
}

async function listed(): Promise<readonly Listed[]> {
  const { stdout } = await retainer('jobs', 'list', '--all', '--data', data, '-o', 'json');
  return JSON.parse(stdout) as readonly Listed[];
}

beforeAll(async () => {
  first = await retainer('run', '-f', manifests, '--data', data);
});
afterAll(async () => {
  endAll();
  await root.remove();
});

describe('the secretary', () => {
  verifies('jobs:example', 'keeps the reminder that a Task asks for, and says when it comes', async () => {
    expect(first.stdout + first.stderr).toMatch(/next reminder-[0-9a-f]{8} at .* UTC, in [12] min/);
    expect((await listed()).find(({ job }) => job.name === 'call-ben')).toMatchObject({
      source: 'Tool',
      status: 'Active',
    });
  });

  verifies(
    'jobs:example',
    'opens a follow-up of its own for three failures, with the runs that led to it',
    async () => {
      const followUp = (await listed()).find(({ source }) => source === 'FollowUp');
      expect(followUp?.because?.map((it) => it.replace(/-[0-9a-f]{10}$/, ''))).toEqual(
        expect.arrayContaining(['read-january', 'read-february', 'read-march']),
      );
      const shown = await retainer('jobs', 'show', followUp?.jobId ?? '', '--data', data);
      expect(shown.stdout).toContain('the tool read_file failed in 3 runs');
    },
  );

  verifies('jobs:example', 'writes the weekly report when a person wants it now', async () => {
    const said = await retainer('jobs', 'run-now', 'weekly-report', '--reason', 'the printer asks', '--data', data);
    expect(said.code, said.stderr).toBe(0);
    const second = await retainer('run', '-f', manifests, '--data', data);
    expect(second.code, second.stderr).toBe(0);
    const third = await retainer('run', '-f', manifests, '--data', data);
    expect(third.code, third.stderr).toBe(0);
    expect(await readFile(join(data, 'workspace/report.md'), 'utf8')).toContain('papers/proofs.md: with the printer');
  });
});

/** The example, with its reminder in a moment instead of two minutes. */
async function inAMoment(directory: string): Promise<void> {
  await cp(manifests, directory, { recursive: true });
  const script = join(directory, 'secretary-model.yaml');
  const text = await readFile(script, 'utf8');
  expect(text).toContain(', in: 2m,');
  await writeFile(script, text.replace(', in: 2m,', ', in: 4s,'));
}

/** Resolves when one of both outputs has had it; rejects when the program ends before. */
function told({ child, ended }: Started, what: RegExp): Promise<void> {
  return new Promise((resolve, reject) => {
    for (const output of [child.stdout, child.stderr]) {
      let all = '';
      output?.on('data', (text: string) => {
        all += text;
        if (what.test(all)) resolve();
      });
    }
    void ended.then(({ stderr }) => reject(new Error(`it ended and never told ${what}: ${stderr}`)));
  });
}

/** Files of the outbox with these words, that are notices to people. */
async function notices(dataDirectory: string, words: string): Promise<number> {
  const outbox = join(dataDirectory, 'outbox');
  const names = (await readdir(outbox)).filter((name) => name.endsWith('.json'));
  const texts = await Promise.all(names.map((name) => readFile(join(outbox, name), 'utf8')));
  return texts.filter((text) => text.includes('"Notice"') && text.includes(words)).length;
}

describe('the secretary under --watch, killed between the reminder and its moment', () => {
  verifies('jobs:example', 'says it at the next start, on the screen and in the outbox, and once', async () => {
    const words = 'Call Ben about the proofs.';
    const copy = join(root.path, 'in-a-moment');
    const watched = join(root.path, 'watched');
    await inAMoment(copy);
    const watch = (): Started => startRetainer(['run', '-f', copy, '--data', watched, '--watch']);

    const killed = watch();
    await told(killed, /^next (?!weekly-report)\S+ at /m);
    killed.child.kill('SIGKILL');
    expect((await killed.ended).stdout).not.toContain(`  ${words}`);

    const again = watch();
    await told(again, /^ {2}Call Ben about the proofs\.$/m);
    again.child.kill('SIGINT');
    const { stdout } = await again.ended;
    expect(stdout.match(/^REMINDER {2}job /gm)).toHaveLength(1);

    const third = await retainer('run', '-f', copy, '--data', watched);
    expect(third.code, third.stderr).toBe(0);
    expect(third.stdout).not.toContain('REMINDER');
    expect(await notices(watched, words)).toBe(1);
  });
});
