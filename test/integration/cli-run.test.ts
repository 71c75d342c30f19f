/** `retainer run` as a person uses it: the real program on the example manifests and on changed copies of them. */
import { cp, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { endAll, examplesPath, retainer, startRetainer, type Ended } from '../support/retainer-command.ts';
import { verifies } from '../verifies.ts';

const root = temporaryDirectory();
const data = join(root.path, 'data');
let first: Ended;

beforeAll(async () => {
  first = await startRetainer(['run', '-f', examplesPath, '--data', data], { isAudited: true }).ended;
});
afterAll(() => {
  endAll();
  return root.remove();
});

/** A copy of the example, changed, with all its Tasks or with one. */
async function changedExamples(
  ...[name, file, change, task]: readonly [string, string, (text: string) => string, string?]
): Promise<string> {
  const directory = join(root.path, name);
  await cp(examplesPath, directory, { recursive: true });
  if (task !== undefined) {
    const tasks = await readFile(join(directory, 'tasks.yaml'), 'utf8');
    await writeFile(join(directory, 'tasks.yaml'), onlyTask(tasks, task));
  }
  const path = join(directory, file);
  const before = await readFile(path, 'utf8');
  const after = change(before);
  expect(after).not.toBe(before);
  await writeFile(path, after);
  return directory;
}

function onlyTask(yaml: string, name: string): string {
  return yaml
    .split(/^---$/m)
    .filter((it) => it.includes(`name: ${name}\n`))
    .join('---');
}

interface Result {
  readonly tasks: readonly {
    readonly task: string;
    readonly end: string;
    readonly isFromRecord: boolean;
    readonly conclusion: { readonly summary: string; readonly reasons: readonly string[] };
  }[];
  readonly warnings: readonly { readonly kind: string; readonly path: string }[];
  readonly verification: { readonly isSound: boolean; readonly records: number };
}

const resultOf = ({ stdout }: Ended): Result => JSON.parse(stdout) as Result;
const endsOf = (result: Result): Record<string, string> =>
  Object.fromEntries(result.tasks.map(({ task, end }) => [task, end]));

describe('retainer run on the example', () => {
  verifies(
    'cli:exit-code-tells-outcome',
    'ends four Tasks accepted, one abandoned and one refused, and exits 2 for the abandoned one',
    async () => {
      expect(first.stderr + first.stdout).toContain('verified');
      expect(first.code).toBe(2);
      const again = await retainer('run', '-f', examplesPath, '--data', data, '--strict', '-o', 'json');
      expect(again.code).toBe(2);
      expect(endsOf(resultOf(again))).toEqual({
        'wettest-month': 'Accepted',
        'temperature-chart': 'Accepted',
        'frost-days': 'Accepted',
        'windiest-month': 'Accepted',
        'compare-portland': 'Abandoned',
        'rewrite-record': 'Refused',
      });
      expect(resultOf(again).verification.isSound).toBe(true);
    },
  );

  verifies(
    'cli:exit-code-tells-outcome',
    'exits 0 where one is refused and none abandoned, and 3 with --strict',
    async () => {
      const refusedOnly = (yaml: string): string => onlyTask(yaml, 'rewrite-record');
      const directory = await changedExamples('refused-only', 'tasks.yaml', refusedOnly);
      expect((await retainer('run', '-f', directory, '--data', data)).code).toBe(0);
      expect((await retainer('run', '-f', directory, '--data', data, '--strict')).code).toBe(3);
    },
  );

  it('hands over the half of an abandoned Task that could be done', () => {
    const [, abandoned = ''] = first.stdout.split(/^ABANDONED {2}/m);
    expect(abandoned).toMatch(/^compare-portland/);
    expect(abandoned).toMatch(/In Seattle the mean daily maximum temperature of July is [\d.]+ degrees Celsius/);
  });

  verifies('cli:refusal-by-rule', 'names the rule and how to appeal', () => {
    expect(first.stdout).toMatch(/REFUSED {2}rewrite-record/);
    expect(first.stdout).toContain('rule authority.never/source-data-is-read-only');
    expect(first.stdout).toContain('to appeal');
  });

  verifies('cli:says-who-answers', 'says that a script answers, and why', () => {
    expect(first.stderr).toMatch(
      /model +a script answers .*no language model, because spec\.models\.provider of the Agent says so/,
    );
  });

  it('leaves no colour in what is not a terminal', () => {
    expect(first.stdout + first.stderr).not.toContain('\u001b');
  });

  verifies('cli:not-run-again', 'tells the same Tasks from the record', async () => {
    const journal = await retainer('journal', 'show', data, '--store', 'cycle', '-o', 'json');
    const again = await retainer('run', '-f', examplesPath, '--data', data, '-o', 'json');
    expect(again.code).toBe(2);
    expect(resultOf(again).tasks.map(({ isFromRecord }) => isFromRecord)).toEqual(Array(6).fill(true));
    expect((await retainer('journal', 'show', data, '--store', 'cycle', '-o', 'json')).stdout).toBe(journal.stdout);
  });
});

describe('retainer run on a changed example', () => {
  verifies('cli:nothing-canned', 'replies with what other data says', async () => {
    const wetJuly = (csv: string): string =>
      csv.replaceAll(
        /^( *\d{4}[-/]0?7[-/]\d+),([\d.]+)/gm,
        (_, date: string, rain: string) => `${date},${Number(rain) + 50}`,
      );
    const directory = await changedExamples('wet-july', 'weather-data.yaml', wetJuly, 'wettest-month');
    const ended = await retainer('run', '-f', directory, '--data', join(root.path, 'wet-july-data'), '-o', 'json');
    const [wettest] = resultOf(ended).tasks;
    expect(wettest?.end).toBe('Accepted');
    expect(wettest?.conclusion.summary).toMatch(/^July was the wettest/);
    expect(first.stdout).toMatch(/November was the wettest/);
  });

  verifies('cli:refusal-by-rule', 'does not refuse when the rule is gone', async () => {
    const withoutRule = (yaml: string): string => yaml.replace(/ +- id: source-data-is-read-only\n( {8,}.*\n)+/, '');
    const directory = await changedExamples('no-rule', 'character.yaml', withoutRule, 'rewrite-record');
    const ends = join(root.path, 'no-rule-data');
    const ended = await retainer('run', '-f', directory, '--data', ends, '-o', 'json');
    expect(endsOf(resultOf(ended))['rewrite-record']).toBe('Accepted');
    const csv = await readFile(join(ends, 'workspace/data/seattle-weather.csv'), 'utf8');
    const seeded = await readFile(join(examplesPath, 'weather-data.yaml'), 'utf8');
    expect(seeded).not.toContain(csv.trim().replaceAll('\n', '\n    '));
    const untouched = await readFile(join(data, 'workspace/data/seattle-weather.csv'), 'utf8');
    expect(seeded).toContain(untouched.trim().replaceAll('\n', '\n    '));
  });

  verifies('cli:same-manifest-errors', 'names file, line and field of a bad manifest and starts nothing', async () => {
    const directory = await changedExamples('bad', 'tasks.yaml', (yaml) =>
      yaml.replace('wallClock: 5m', 'wallClok: 5m'),
    );
    const target = join(root.path, 'bad-data');
    const ended = await retainer('run', '-f', directory, '--data', target);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(
      /bad\/tasks\.yaml:\d+: Task\/wettest-month: spec\.budget\.wallClok: .*did you mean wallClock\?/,
    );
    await expect(stat(target)).rejects.toThrow('ENOENT');
  });

  verifies('cli:says-what-has-no-effect', 'warns of a field that has no effect yet, also in JSON', async () => {
    const later = (yaml: string): string => yaml.replace('windowDays: 30', 'windowDays: 30\n    snapshots: {daily: 2}');
    const directory = await changedExamples('not-yet', 'agent.yaml', later, 'rewrite-record');
    const ended = await retainer('run', '-f', directory, '--data', join(root.path, 'not-yet-data'), '-o', 'json');
    expect(ended.stderr.match(/Agent \S+: .*spec\.memory\.snapshots/g)).toHaveLength(1);
    expect(resultOf(ended).warnings).toContainEqual(
      expect.objectContaining({ kind: 'Agent', path: 'spec.memory.snapshots.daily' }),
    );
  });

  verifies(
    'cli:says-what-has-no-effect',
    'warns of an override for a worker that the Agent does not have',
    async () => {
      const added = '    agentOverrides: [{agent: Researcher, tool: {modify: 0.3, reject: 0.5}}]\n';
      const withOverride = (yaml: string): string => yaml.replace('  gatePolicies:\n', `  gatePolicies:\n${added}`);
      const directory = await changedExamples('no-worker', 'character.yaml', withOverride, 'rewrite-record');
      const ended = await retainer('run', '-f', directory, '--data', join(root.path, 'no-worker-data'), '-o', 'json');
      expect(ended.stderr).toMatch(/CharacterSpec \S+: spec\.gatePolicies\.agentOverrides\[Researcher\]/);
      expect(resultOf(ended).warnings).toContainEqual(
        expect.objectContaining({ kind: 'CharacterSpec', instead: expect.stringContaining('does not have the tool') }),
      );
    },
  );

  it('does not start a suspended Agent', async () => {
    const directory = await changedExamples('suspended', 'agent.yaml', (yaml) =>
      yaml.replace(/^spec:\n/m, 'spec:\n  suspend: true\n'),
    );
    const target = join(root.path, 'suspended-data');
    const ended = await retainer('run', '-f', directory, '--data', target);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/agent\.yaml: Agent\/\S+: spec\.suspend is true, so the Agent was not started/);
    await expect(stat(target)).rejects.toThrow('ENOENT');
  });
});

describe('two processes', () => {
  verifies('cli:one-writer', 'the second one gets a clear message and 75, the first one goes on', async () => {
    const holder = startRetainer(['run', '-f', examplesPath, '--data', data, '--watch']);
    await holder.says('watching the manifests');
    const second = await retainer('run', '-f', examplesPath, '--data', data);
    expect(second.code).toBe(75);
    expect(second.stderr).toMatch(/another process uses this data directory: .* is held by process \d+/);
    const offline = await retainer('explain', '--data', data);
    expect(offline.stdout).toContain('rewrite-record');
    holder.child.kill('SIGINT');
    expect((await holder.ended).code).toBe(2);
  });
});
