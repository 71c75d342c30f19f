/** The example of docs/jobs.md as a user tries it: a reminder of its own, a weekly report, a follow-up of its own. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { endAll, retainer, type Ended } from '../support/retainer-command.ts';
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
