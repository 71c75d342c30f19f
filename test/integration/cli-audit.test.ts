/** `retainer audit`: the real program on the real record of the examples, and on a copy that nobody can write. */
import { execFileSync } from 'node:child_process';
import { chmod, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { sha256Hex } from '@retainer/contract/std/hash';
import { openRecords } from '@retainer/agent-pod/review/run-records';
import type { CycleAudit } from '@retainer/agent-pod/review/audit-cycle';
import type { AccountRow } from '@retainer/mind/explain/audit/account-row';
import type { Summary } from '@retainer/mind/explain/audit/render-summary';
import { examplesPath, retainer } from '../support/retainer-command.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const root = temporaryDirectory();
const data = join(root.path, 'data');

beforeAll(async () => {
  expect((await retainer('run', '-f', examplesPath, '--data', data)).code).toBe(2);
});
afterAll(async () => {
  for (const entry of ['', ...(await readdir(data, { recursive: true }))]) await chmod(join(data, entry), 0o755);
  await root.remove();
});

async function printed<Result>(...args: readonly string[]): Promise<Result> {
  const { stdout } = await retainer('audit', ...args, '-o', 'json');
  return JSON.parse(stdout) as Result;
}

/** A number that a pipeline prints, in the directory of the journal. */
function shell(script: string): number {
  const cwd = join(data, 'journal');
  return Number(execFileSync('sh', ['-c', script], { cwd, encoding: 'utf8' }));
}

verifies('audit-view:summary', 'tells of a real record what grep and wc find in its lines', async () => {
  const { all, days } = await printed<Summary>('summary', data);
  expect(days.length).toBeGreaterThan(0);
  const lines = (kind: string): number => shell(`cat run/*.jsonl cycle/*.jsonl | grep -c '"kind":"${kind}","v"'`);
  expect(all.runs.count).toBe(lines('RunAdmitted'));
  expect(all.cycles.count).toBe(lines('CycleStarted'));
  expect(all.calls.count).toBe(lines('ToolRequested'));
  expect(
    Object.values(all.verdicts)
      .flatMap((it) => Object.values(it))
      .reduce((sum, it) => sum + it, 0),
  ).toBe(lines('GateDecided'));
  expect(all.bytes['cycle']).toBe(shell('cat cycle/*.jsonl | wc -c'));
});

verifies(
  'audit-view:cycle-requests',
  'shows the requests of a real cycle, and of the Archivist, to the byte',
  async () => {
    const { rows } = await printed<{ readonly rows: readonly AccountRow[] }>('map', 'wettest', '--data', data);
    const { cycleId = '', runId = '' } = rows[0]?.wanted ?? {};
    const recorded = new Set<string>();
    for await (const { payload } of (await openRecords(data)).readAll(['cycle', 'archive']))
      recorded.add(JSON.stringify((payload as { readonly request?: unknown }).request));
    for (const id of [cycleId, `${runId}-archive`]) {
      const { requests } = await printed<CycleAudit>('cycle', id, '--data', data);
      expect(requests.length).toBeGreaterThan(1);
      for (const { bytes, sha256 } of requests) {
        expect(recorded).toContain(bytes);
        expect(sha256).toBe(sha256Hex(bytes));
      }
    }
  },
);

verifies('audit-view:map', 'answers for every effect of the examples but one, which nobody judged', async () => {
  const { stdout, code } = await retainer('audit', 'map', '--data', data);
  expect(code).toBe(5);
  expect(stdout).toMatch(/rewrite-record-\w+-c1-t1: checked: the validator gave no usable verdict/);
  expect(stdout).toMatch(/\n17 effects, 1 without a full row\n$/);
  expect((await retainer('audit', 'map', 'wettest', '--data', data)).code).toBe(0);
});

verifies('audit-view:offline', 'every view works on a read-only copy and writes nothing', async () => {
  const entries = await readdir(data, { recursive: true });
  const state = (): Promise<readonly string[]> =>
    Promise.all(
      entries.map(async (entry) => {
        const { size, mtimeMs } = await stat(join(data, entry));
        return `${entry} ${size} ${mtimeMs}`;
      }),
    );
  for (const entry of entries) {
    const path = join(data, entry);
    await chmod(path, (await stat(path)).isDirectory() ? 0o555 : 0o444);
  }
  const before = await state();
  for (const args of [
    ['summary'],
    ['map', 'frost'],
    ['search', 'frost'],
    ['skills'],
    ['cycle', 'frost', '-o', 'json'],
  ]) {
    const { code, stderr } = await retainer('audit', ...args, '--data', data);
    // Several cycles begin so.
    if (args[0] === 'cycle') expect(stderr).toContain('is the beginning of several cycle ids');
    else expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  }
  expect(await state()).toEqual(before);
});
