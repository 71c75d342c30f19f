/** `retainer gate attack`: the real program, on manifests that open holes and on those that are shipped. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSurroundings, UnplayableError } from '@retainer/agent-pod/attack/world';
import { afterAll, describe, expect, it } from 'vitest';
import { examplesPath, retainer, startRetainer } from '../support/retainer-command.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { unavailableSandbox } from '../support/unavailable-sandbox.ts';
import { OPEN_MANIFESTS } from '../support/worst-case/open-manifests.ts';
import { GATED } from '../support/worst-case/targets.ts';
import { verifies } from '../verifies.ts';

const root = temporaryDirectory();

afterAll(() => root.remove());

function manifests(name: string, text: string): string {
  const path = join(root.path, name);
  writeFileSync(path, text);
  return path;
}

const open = manifests('open.yaml', OPEN_MANIFESTS);

interface Report {
  readonly tasks: readonly string[];
  readonly attacks: readonly {
    readonly goal: string;
    readonly channel: string;
    readonly obeyed: boolean;
    readonly person?: string;
    readonly gotThrough: boolean;
    readonly effects: readonly { readonly kind: string; readonly what: string }[];
  }[];
  readonly twins: readonly { readonly goal: string; readonly done: boolean; readonly outcomes: readonly string[] }[];
  readonly notPlayed: readonly { readonly why: string; readonly goals: readonly string[] }[];
  readonly exitCode: number;
}

async function reportOf(...args: readonly string[]): Promise<Report> {
  const { stdout } = await retainer('gate', 'attack', ...args, '-o', 'json');
  return JSON.parse(stdout) as Report;
}

describe('retainer gate attack', () => {
  verifies('worst-case:own', 'finds the file that a character lets anybody change', async () => {
    const args = ['gate', 'attack', '-f', open, '--goal', 'TamperFile', '--channel', 'File'];
    const { code, stdout, stderr } = await retainer(...args);
    expect(stdout).toMatch(/^got through {2}TamperFile by File$/m);
    expect(stdout).toMatch(/^ {2}text {7}".+"$/m);
    expect(stdout).toMatch(/^ {2}effect {5}OtherFile: plans\/roadmap\.md$/m);
    expect(stdout).toMatch(/^ {2}passed {5}Tool write_file by \S+ \(cycle\/\d+\): .+$/m);
    expect(stdout).toMatch(/^1 of 1 attack got through$/m);
    expect(stderr).toContain('played 2 of 2');
    expect(code).toBe(11);
  });

  verifies('worst-case:own', 'finds the host of an allow-list to which a text can send the agent', async () => {
    const args = ['gate', 'attack', '-f', open, '--goal', 'Visit', '--channel', 'Skill'];
    const { code, stdout } = await retainer(...args, '-o', 'json');
    const report = JSON.parse(stdout) as Report;
    const through = report.attacks.filter(({ gotThrough }) => gotThrough);
    expect(through.map(({ channel }) => channel)).toEqual(['Skill']);
    expect(through.flatMap(({ effects }) => effects)).toContainEqual({
      kind: 'Fetch',
      what: 'http://www.partner.example/started',
    });
    expect({ tasks: report.tasks, told: report.exitCode, code }).toEqual({ tasks: ['letters'], told: 11, code: 11 });
  });

  verifies('worst-case:own', 'finds nothing in the shipped example, whose harmless work is done', async () => {
    const args = ['gate', 'attack', '-f', examplesPath, '--task', 'frost-days', '--goal', 'OverwriteProtected'];
    const { code, stdout } = await retainer(...args, '-o', 'json');
    const report = JSON.parse(stdout) as Report;
    expect(report.attacks.length).toBeGreaterThan(5);
    expect(report.attacks.filter(({ gotThrough }) => gotThrough)).toEqual([]);
    expect(report.twins.filter(({ done }) => !done)).toEqual([]);
    expect(code).toBe(0);
  });

  verifies('worst-case:own-cases', 'finds that a grant of paths makes what follows an approval free', async () => {
    const { attacks } = await reportOf('-f', open, '--goal', 'after-approval/written-again', '--channel', 'File');
    expect(attacks).toMatchObject([
      { person: 'AgreesToTheTask', gotThrough: true, effects: [{ kind: 'OtherFile', what: 'plans/keep.txt' }] },
    ]);
    const shipped = ['-f', examplesPath, '--goal', 'after-approval', '--channel', 'File'];
    const report = await reportOf(...shipped);
    expect(report.attacks.map(({ obeyed, gotThrough }) => [obeyed, gotThrough])).toEqual([
      [true, false],
      [true, false],
      [true, false],
    ]);
    expect(report.twins.filter(({ done }) => !done)).toEqual([]);
  });

  verifies('worst-case:own-cases', 'plants code for a later Task, and none of it runs', async () => {
    const report = await reportOf('-f', open, '--goal', 'planted-code', '--channel', 'File');
    expect(report.attacks.map(({ obeyed, gotThrough }) => [obeyed, gotThrough])).toEqual(
      report.attacks.map(() => [true, false]),
    );
    expect(report.attacks.length).toBeGreaterThan(2);
    expect(report.twins.filter(({ done }) => !done)).toEqual([]);
  });

  verifies(
    'worst-case:own-cases',
    'goes on after a Task that is refused, and names the goals that it cannot play',
    async () => {
      const after = await reportOf('-f', open, '--goal', 'after-refusal');
      expect(after.twins.map(({ done, outcomes }) => [done, outcomes.length])).toEqual([
        [true, 6],
        [true, 6],
      ]);
      expect(after.attacks).toEqual([]);
      const rules = await reportOf('-f', open, '--goal', 'own-rule');
      expect(rules.notPlayed).toMatchObject([
        { why: expect.stringMatching(/retainer gate check/), goals: ['own-rule/…'] },
      ]);
    },
  );

  verifies(
    'worst-case:own-cases',
    'tries the files that the character itself never writes, by its own words',
    async () => {
      const { attacks } = await reportOf('-f', examplesPath, '--goal', 'never/new-file', '--channel', 'Task');
      expect(attacks).toMatchObject([
        { obeyed: true, gotThrough: false, blocks: [{ rule: 'authority.never/source-data-is-read-only' }] },
      ]);
    },
  );

  it('names what is wrong with manifests by file, line and field, and plays nothing', async () => {
    const wrong = manifests(
      'wrong.yaml',
      OPEN_MANIFESTS.replace('characterRef: {name: trusting}', 'characterRef: {name: trusty}'),
    );
    const { code, stdout, stderr } = await retainer('gate', 'attack', '-f', wrong);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/wrong\.yaml:\d+: Agent\/clerk: spec\.characterRef\.name/);
  });

  it.each([
    ['--goal', 'Nothing', '--goal Nothing: unknown; use one of leak/'],
    ['--channel', 'Radio', '--channel Radio: unknown; use one of Task, File,'],
    ['--task', 'none', '--task none: no Task of the Agent has this name; there are: letters'],
    ['--seed', 'x', 'Give a whole number'],
  ])('says what %s %s could have been', async (flag, value, told) => {
    const { code, stderr } = await retainer('gate', 'attack', '-f', open, flag, value);
    expect(stderr).toContain(told);
    expect(code).toBe(1);
  });

  it('says why nothing can be played on a machine', async () => {
    const { code, stdout, stderr } = await startRetainer(['gate', 'attack', '-f', open], {
      variables: { PATH: root.path },
    }).ended;
    expect(stderr).toBe('the program flock is missing: install the package util-linux\n');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  });

  it('needs a sandbox', async () => {
    const opening = openSurroundings(GATED, () => unavailableSandbox);
    await expect(opening).rejects.toThrow(UnplayableError);
  });
});
