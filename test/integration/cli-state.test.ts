/** `retainer state --watch` as a process of its own, beside an agent that works. */
import { cp, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { affectLine } from '@retainer/mind/parts/affect/affect-line';
import { AFFECT_BASELINE, type Affect } from '@retainer/mind/parts/affect/measure';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { agentManifest, characterManifest, taskManifest, writeManifests } from '../support/asking-manifests.ts';
import { endAll, retainer, startRetainer, type Started } from '../support/retainer-command.ts';
import { oneStepRule } from '../support/runs.ts';
import { verifies } from '../verifies.ts';

const script = `
version: 1
rules:${oneStepRule}
  - name: done
    answer: {text: done}
`;

let directory = '';
let data = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'retainer-state-'));
  data = join(directory, 'data');
  await work('first');
});
afterAll(async () => {
  endAll();
  await rm(directory, { recursive: true });
});

/** The agent begins, does a Task of this name, and ends. */
async function work(name: string): Promise<void> {
  const objects = [characterManifest(), agentManifest, taskManifest(name, 'intent: Say that it is done.')];
  const manifests = await writeManifests(join(directory, name), objects.join('---'), script);
  const { stderr, stdout } = await retainer('run', '-f', manifests, '--data', data);
  expect(stdout, stderr).toContain('record   verified');
}

/** Resolves when standard output has had it; rejects when the program ends before. */
function printed({ child, ended }: Started, what: RegExp): Promise<void> {
  let stdout = '';
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (text: string) => {
      stdout += text;
      if (what.test(stdout)) resolve();
    });
    void ended.then(({ stderr }) => reject(new Error(`it ended and never printed ${what}: ${stderr}`)));
  });
}

describe('retainer state', () => {
  verifies('cli:state-as-told', 'is the same with the cache of the agent and without, and writes neither', async () => {
    const copy = join(directory, 'copy');
    await cp(data, copy, { recursive: true });
    await rm(join(copy, 'cache'), { recursive: true });
    const withoutClock = async (at: string): Promise<string> =>
      (await retainer('state', '--as-told', '--data', at)).stdout.replace(/^<clock .*$/m, '');
    const before = await stat(join(data, 'cache/projections.json'));
    const told = await withoutClock(data);
    expect(told).toMatch(/^<runs>.* first: /m);
    expect(await withoutClock(copy)).toBe(told);
    expect(await stat(join(data, 'cache/projections.json'))).toMatchObject({
      mtimeMs: before.mtimeMs,
      ino: before.ino,
    });
    expect(await readdir(copy)).not.toContain('cache');
  });
});

describe('retainer memory affect', () => {
  verifies('affect:shown', 'has the newest measurement, which the state has as its line', async () => {
    const { stdout } = await retainer('memory', 'affect', '-o', 'json', '--data', data);
    const measured = JSON.parse(stdout) as readonly { readonly affect: Affect }[];
    expect(measured).toHaveLength(1);
    const state = await retainer('state', '--as-told', '--data', data);
    expect(state.stdout).toContain(`<affect>${affectLine(measured[0]?.affect ?? AFFECT_BASELINE)}</affect>`);
    const { stdout: table } = await retainer('memory', 'affect', '--data', data);
    expect(table.split('\n')[1]).toMatch(/^\d{4}-\d\d-\d\dT\S+ +first\S+ +0 /);
  });
});

describe('retainer state --watch', () => {
  verifies('cli:state-as-told', 'tells a change that the agent makes meanwhile, and ends by Ctrl-C', async () => {
    const watching = startRetainer(['state', '--watch', '--data', data]);
    await printed(watching, / first: \w+/);
    const changed = printed(watching, / second: \w+/);
    await work('second');
    await changed;
    watching.child.kill('SIGINT');
    const { code, stdout, stderr } = await watching.ended;
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('rror')]);
    const blocks = stdout.split(/^(?=\d{4}-\d\d-\d\dT[\d:.]+Z$)/m);
    expect(blocks.length).toBeGreaterThan(1);
    for (const block of blocks) expect(block).toMatch(/^\S+Z\ndefault\/ada, retainer .*\nclock /);
    expect([blocks.at(0), blocks.at(-1)]).toEqual([
      expect.not.stringContaining(' second: '),
      expect.stringContaining(' second: '),
    ]);
  });

  verifies(
    'cli-cluster:state-beside-agent',
    'ends beside an agent with its input, and at once where nothing can be told',
    async () => {
      const beside = (where: string) =>
        startRetainer(['state', '--watch', '--until-input-ends', '--data', where], { keepsInputOpen: true });
      const empty = join(directory, 'empty');
      await mkdir(join(empty, 'journal'), { recursive: true });
      expect((await beside(empty).ended).code).toBe(1);
      const watching = beside(data);
      await printed(watching, / first: \w+/);
      watching.child.stdin?.end();
      expect((await watching.ended).code).toBe(0);
    },
  );

  verifies('cli:state-as-told', 'ends when nobody reads it any more', async () => {
    const watching = startRetainer(['state', '--watch', '--data', data, '-o', 'json']);
    await printed(watching, /"agent":/);
    watching.child.stdout?.destroy();
    await work('third');
    expect((await watching.ended).code).toBe(0);
  });
});
