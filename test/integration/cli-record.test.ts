/** What can be learned from a record alone: explain, replay, verify, show, repair; the real program on a real record. */
import { chmod, cp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { examplesPath, retainer } from '../support/retainer-command.ts';
import { forgetTestimony, rewriteRecord } from '../support/sample-journal.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { DEFAULT_MODELS } from '@retainer/contract/api/known-models';
import { DECIDERS } from '@retainer/mind/cycle/deciders';
import type { Spending } from '@retainer/mind/explain/spending';
import { verifies } from '../verifies.ts';

const root = temporaryDirectory();
const data = join(root.path, 'data');
const tasks = [
  'wettest-month',
  'temperature-chart',
  'frost-days',
  'windiest-month',
  'compare-portland',
  'rewrite-record',
];

interface Shown {
  readonly seq: number;
  readonly kind: string;
  readonly runId?: string;
}

interface Asked {
  readonly request: {
    readonly model: string;
    readonly role: string;
    readonly tools: readonly { readonly name: string }[];
    readonly system: readonly { readonly text: string }[];
    readonly messages: unknown;
  };
}

async function shown(...filters: readonly string[]): Promise<readonly Shown[]> {
  const { stdout } = await retainer('journal', 'show', data, '-o', 'json', ...filters);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Shown);
}

async function copyOf(name: string): Promise<string> {
  const copy = join(root.path, name);
  await cp(data, copy, { recursive: true });
  return copy;
}

/** Every file below a directory with its size and time of change. */
async function stateOf(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { recursive: true });
  return Promise.all(
    entries.toSorted().map(async (entry) => {
      const { size, mtimeMs } = await stat(join(directory, entry));
      return `${entry} ${size} ${mtimeMs}`;
    }),
  );
}

beforeAll(async () => {
  expect((await retainer('run', '-f', examplesPath, '--data', data)).code).toBe(2);
});
afterAll(() => root.remove());

verifies('approvals:rare', 'half of the examples, at least, ask a person once at the most', async () => {
  const asked = (await shown('--kind', 'ApprovalRequested')).map((it) => it.runId);
  const runs = (await shown('--kind', 'RunAdmitted')).map((it) => it.runId);
  const counts = runs.map((runId) => asked.filter((it) => it === runId).length).toSorted((a, b) => a - b);
  const median = counts[Math.floor(counts.length / 2)];
  process.stdout.write(
    `questions about calls in the ${counts.length} examples: ${counts.join(', ')}; median ${median}\n`,
  );
  expect(counts).toHaveLength(tasks.length);
  expect(median).toBeLessThanOrEqual(1);
});

describe('retainer explain', () => {
  verifies(
    'cli:explain-every-decision',
    'tells verdicts, calls, numbers and criteria with their evidence',
    async () => {
      const { stdout, code } = await retainer('explain', 'wettest-month', '--data', data);
      expect(code).toBe(0);
      expect(stdout).toMatch(/gate +Accept input by input-rules\/none/);
      expect(stdout).toMatch(/gate +Accept run_code c1-t1 by score\/tool\/fast-path/);
      expect(stdout).toMatch(/run_code c1-t1 Error: exit 1/);
      expect(stdout).toMatch(/run_code c1-t2 Ok: exit 0/);
      expect(stdout).toMatch(/[\d,]+ tokens in, [\d,]+ out/);
      expect(stdout).toMatch(/1\. Met: .*\[evidence: c1-t2\]/);
      expect(stdout).toContain('Outcome: Accepted');
      const refused = await retainer('explain', 'rewrite', '--data', data);
      expect(refused.stdout).toMatch(/gate +Reject .* by authority\.never\/source-data-is-read-only/);
    },
  );

  verifies(
    'cli:explain-rounds',
    'shows one example done in one round, one corrected, one planned anew and one given up',
    async () => {
      const rounds = async (task: string): Promise<unknown> => {
        const { stdout } = await retainer('explain', task, '--data', data, '-o', 'json');
        return (JSON.parse(stdout) as { readonly rounds: unknown }).rounds;
      };
      expect(await rounds('wettest-month')).toMatchObject([{ directive: 'Accept', corrections: 0 }]);
      expect(await rounds('frost-days')).toMatchObject([{ directive: 'Accept', corrections: 1 }]);
      const blocked = { targets: ['data/monthly-means.csv'] };
      expect(await rounds('windiest-month')).toMatchObject([
        { directive: 'ChangePath', blocked },
        { directive: 'Accept' },
      ]);
      expect(await rounds('compare-portland')).toMatchObject([{ directive: 'ChangePath' }, { directive: 'Abandon' }]);
      const { stdout } = await retainer('explain', 'compare-portland', '--data', data);
      expect(stdout).toMatch(/^ +round +D +P +Ω +L +∇L +cell +directive\n +1( +[+−]?\d\.\d\d){5} +\d+ +ChangePath$/m);
      expect(stdout).toMatch(/^ +blocked in the next round: data\/portland-weather\.csv$/m);
      expect(stdout).toMatch(/^ +no more: /m);
    },
  );

  it('lists the runs, finds one by the beginning of its name, and says what there is instead of another', async () => {
    const list = await retainer('explain', '--data', data, '-o', 'json');
    expect((JSON.parse(list.stdout) as readonly { readonly task: string }[]).map(({ task }) => task)).toEqual(tasks);
    const found = await retainer('explain', 'temp', '--data', data, '-o', 'json');
    expect(JSON.parse(found.stdout)).toMatchObject({ task: { name: 'temperature-chart' }, isClosed: true });
    const missing = await retainer('explain', 'snow', '--data', data);
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain('runs: wettest-month-');
  });

  verifies('cli:cost-by-role-and-purpose', 'tells what a run cost, part by part', async () => {
    const one = await retainer('cost', 'frost-days', '--data', data, '-o', 'json');
    const spending = JSON.parse(one.stdout) as Spending & { readonly task: string };
    expect(spending.task).toBe('frost-days');
    for (const parts of [spending.byRole, spending.byPurpose])
      expect(parts.reduce((sum, it) => sum + it.usage.inputTokens, 0)).toBe(spending.total.usage.inputTokens);
    expect(spending.byRole.map(({ role }) => role)).toEqual(
      expect.arrayContaining(['perceiver', 'executor', 'scorer']),
    );
    expect(spending.byPurpose.map(({ purpose }) => purpose)).toEqual(['Work', 'Gates', 'Memory']);
    expect(spending.otherModels.map(({ model }) => model).toSorted()).toEqual(Object.values(DEFAULT_MODELS).toSorted());
    const all = await retainer('cost', '--data', data);
    expect(all.code).toBe(0);
    for (const task of tasks) expect(all.stdout).toContain(task);
    const explained = await retainer('explain', 'frost-days', '--data', data);
    const text = await retainer('cost', 'frost-days', '--data', data);
    expect(explained.stdout).toContain(text.stdout.slice(text.stdout.indexOf('by purpose')).trimEnd());
    expect((await retainer('cost', 'snow', '--data', data)).code).toBe(1);
  });

  verifies('run:requests-begin-alike', 'whoever asks a model in a run', async () => {
    const requests = (await shown('--kind', 'ModelRequested')) as readonly (Shown & { readonly payload: Asked })[];
    const beginnings = new Map<string, Set<string>>();
    for (const { runId, payload } of requests) {
      const { model, role, tools, system, messages } = payload.request;
      const names = tools.map(({ name }) => name);
      expect(names).toEqual(names.toSorted());
      const key = `${runId} ${model}`;
      if (role === 'perceiver') expect(tools).toEqual([]);
      else beginnings.set(key, (beginnings.get(key) ?? new Set()).add(JSON.stringify([tools, system[0]])));
      const criterion = /criterion 1[^:]*: (.*)/.exec(system[0]?.text ?? '')?.[1] ?? '';
      // What a report tells of unmet criteria is an outcome.
      if (JSON.stringify(messages).includes('given up after')) continue;
      expect(JSON.stringify({ system, messages }).split(JSON.stringify(criterion).slice(1, -1))).toHaveLength(2);
    }
    expect([...beginnings.values()].map((all) => all.size)).toEqual([...beginnings].map(() => 1));
  });

  verifies('cli:offline', 'works on a read-only copy and writes nothing', async () => {
    const copy = await copyOf('copy');
    for (const entry of await readdir(copy, { recursive: true })) {
      const path = join(copy, entry);
      await chmod(path, (await stat(path)).isDirectory() ? 0o555 : 0o444);
    }
    const before = await stateOf(copy);
    for (const args of [['explain', 'wettest-month', '--full'], ['replay', 'wettest-month'], ['approve']]) {
      expect((await retainer(...args, '--data', copy)).code).toBe(0);
    }
    expect((await retainer('journal', 'verify', copy)).code).toBe(0);
    expect(await stateOf(copy)).toEqual(before);
    for (const entry of ['', ...(await readdir(copy, { recursive: true }))]) await chmod(join(copy, entry), 0o755);
  });
});

describe('retainer replay', () => {
  for (const task of tasks) {
    verifies('cli:replay-byte-equal', `finds ${task} byte-equal`, async () => {
      const { stdout, code } = await retainer('replay', task, '--data', data, '-o', 'json');
      expect(code).toBe(0);
      const replay = JSON.parse(stdout) as { isByteEqual: boolean; machines: readonly { decisions: number }[] };
      expect(replay.isByteEqual).toBe(true);
      expect(Math.min(...replay.machines.map(({ decisions }) => decisions))).toBeGreaterThan(0);
    });
  }

  verifies('cli:replay-byte-equal', 'names the first decision that hangs on an altered answer', async () => {
    const finished = await shown('--store', 'cycle', '--run', 'wettest', '--kind', 'ToolFinished');
    const [{ seq } = { seq: -1 }] = finished;
    const { stdout, code } = await retainer(
      'replay',
      'wettest',
      '--data',
      data,
      '--alter',
      `${seq}:outcome.text=all is well`,
    );
    expect(code).toBe(5);
    expect(stdout).toMatch(
      /first divergence: store cycle, sequence \d+, ModelRequested, at request\.messages\[\d+\]\.content\[\d+\]\.text/,
    );
    expect(stdout).toContain(`decided on the input at sequence ${seq}`);
    expect(stdout).toMatch(/decided: .*all is well/);
  });

  it('says so when nothing hangs on what was altered', async () => {
    const [{ seq } = { seq: -1 }] = await shown('--store', 'cycle', '--run', 'wettest', '--kind', 'ModelAnswered');
    const { stdout, code } = await retainer(
      'replay',
      'wettest',
      '--data',
      data,
      '--alter',
      `${seq}:answer.latencyMs=1`,
    );
    expect(code).toBe(0);
    expect(stdout).toContain('no decision depends on the altered records');
  });

  it('refuses an alteration of what is not there', async () => {
    const absent = await retainer('replay', 'wettest', '--data', data, '--alter', '999999:x=1');
    expect(absent).toMatchObject({ code: 1, stderr: expect.stringContaining('no record cycle/999999') });
  });

  verifies('cli:replay-changed-character', 'shows which verdicts another character would have given', async () => {
    const mild = join(root.path, 'mild.yaml');
    const character = await readFile(join(examplesPath, 'character.yaml'), 'utf8');
    await writeFile(mild, character.replace(/ +- id: source-data-is-read-only\n( {8,}.*\n)+/, ''));
    const { stdout, code } = await retainer('replay', 'rewrite', '--data', data, '--character', mild);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /recorded: Reject by authority\.never\/source-data-is-read-only\n +now: +a new score would be needed/,
    );
    const same = await retainer(
      'replay',
      'rewrite',
      '--data',
      data,
      '--character',
      join(examplesPath, 'character.yaml'),
    );
    expect(same.stdout).toContain(' 0 would differ');
  });

  verifies('cli:replay-changed-control', 'shows the first round that other thresholds would have ended', async () => {
    const under = (...settings: readonly string[]): ReturnType<typeof retainer> =>
      retainer('replay', 'compare', '--data', data, ...settings.flatMap((it) => ['--set', it]));
    const near = await under('control.thresholds.delta=1');
    expect(near.code).toBe(0);
    expect(near.stdout).toMatch(/round 1:\n +recorded: ChangePath .*\n +now: +Success \(cell 9 Success\)/);
    expect(near.stdout).toContain('round 1 would be steered differently');
    const same = await under('control.thresholds.delta=0.3');
    expect(same.stdout).toContain('the steering of every round would be the same');
    const wrong = await under('control.thresholds.delt=1');
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('fields: epsilon, delta, rho, theta') });
  });
});

/** Flips one bit in the middle of a line that is in the middle of the store. */
async function damage(copy: string, store: string): Promise<{ readonly file: string; readonly line: number }> {
  const directory = join(copy, 'journal', store);
  const [name = ''] = (await readdir(directory)).toSorted();
  const bytes = await readFile(join(directory, name));
  const at = Math.floor(bytes.length / 2);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  await chmod(join(directory, name), 0o644);
  await writeFile(join(directory, name), bytes);
  return { file: name, line: bytes.subarray(0, at).filter((byte) => byte === 10).length + 1 };
}

describe('retainer journal', () => {
  it('verifies a whole record, store by store', async () => {
    const { stdout, code } = await retainer('journal', 'verify', data);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^cycle +\d+ records .* head \d+ [0-9a-f]{12} +whole$/m);
    expect(stdout).toMatch(/MB\/s/);
    expect(stdout).toContain('verified');
  });

  verifies('audit:verdicts-recomputed', 'finds a verdict that was exchanged in a copy with a right chain', async () => {
    const whole = await retainer('journal', 'verify', data);
    expect(whole.stdout).toMatch(/; [1-9]\d* verdicts of gates recomputed$/m);
    const copy = await copyOf('exchanged');
    const decided = await shown('--store', 'cycle', '--run', 'rewrite', '--kind', 'GateDecided');
    const { seq } = decided.at(-1) ?? { seq: -1 };
    rewriteRecord(join(copy, 'journal'), 'cycle', seq, (record) => ({
      ...record,
      payload: { ...record.payload, rule: 'effect-class/9' },
    }));
    const noticed = await retainer('journal', 'verify', copy);
    expect(noticed.code).toBe(8);
    expect(noticed.stdout).toMatch(/store cycle, sequence \d+: HeadMissing: /);
    // Where the store ended is noted elsewhere, too: whoever exchanges records rewrites all of it.
    forgetTestimony(join(copy, 'journal'));
    const { stdout, code } = await retainer('journal', 'verify', copy);
    expect(code).toBe(5);
    expect(stdout).toMatch(
      new RegExp(
        `store cycle, sequence ${seq}: VerdictMismatch: gate .*: recorded \\w+ by effect-class/9, recomputed `,
      ),
    );
  });

  verifies('audit:other-rules', 'tells what other rules of the gates had decided, and where', async () => {
    const copy = await copyOf('other-rules');
    const decided = await shown('--store', 'cycle', '--run', 'rewrite', '--kind', 'GateDecided');
    const [configured] = await shown('--store', 'agent', '--kind', 'Configured');
    const { seq } = decided.at(-1) ?? { seq: -1 };
    const journal = join(copy, 'journal');
    rewriteRecord(journal, 'cycle', seq, (record) => ({ ...record, payload: { ...record.payload, reason: 'Older.' } }));
    rewriteRecord(journal, 'agent', configured?.seq ?? -1, (record) => ({
      ...record,
      payload: { ...record.payload, gateRules: 0 },
    }));
    forgetTestimony(journal);
    const { stdout, code } = await retainer('journal', 'verify', copy);
    expect(stdout).toContain(`store cycle, sequence ${seq}: rules 0 and deciders ${DECIDERS}, this program has `);
    expect(stdout).toContain('1 cycle recorded under another version of the gate rules');
    expect(stdout).not.toContain('Older.');
    expect(code).toBe(0);
  });

  verifies('cli:verify-locates-damage', 'finds one flipped bit, by file, line and sequence', async () => {
    const copy = await copyOf('flipped');
    const { file, line } = await damage(copy, 'cycle');
    const { stdout, code } = await retainer('journal', 'verify', copy);
    expect(code).toBe(5);
    expect(stdout).toMatch(
      new RegExp(`journal/cycle/${file.replaceAll('.', '\\.')}:${line}: store cycle, sequence \\d+: `),
    );
    expect(stdout).toContain('damaged');
    const explained = await retainer('explain', 'rewrite', '--data', copy);
    expect(explained.code).toBe(5);
    expect(explained.stderr).toMatch(/^retainer: .*store cycle, sequence \d+.*run "retainer journal verify"\n$/);
    const run = await retainer('run', '-f', examplesPath, '--data', copy);
    expect([4, 5]).toContain(run.code);
    expect(run.stderr).not.toMatch(/^ +at /m);
  });

  verifies('cli:repair-only-when-told', 'shows a repair, changes nothing, and does it with --yes', async () => {
    const copy = await copyOf('repaired');
    await damage(copy, 'cycle');
    const before = await stateOf(copy);
    const plan = await retainer('journal', 'repair', copy);
    expect(plan.code).toBe(5);
    expect(plan.stdout).toContain('nothing was changed');
    expect(await stateOf(copy)).toEqual(before);
    const done = await retainer('journal', 'repair', copy, '--yes');
    expect(done.stdout).toContain('was dropped and recorded as lost');
    expect(done.code).toBe(0);
    expect(await readdir(join(copy, 'journal', 'damaged'))).toHaveLength(1);
    const verified = await retainer('journal', 'verify', copy);
    expect(verified.code).toBe(6);
    expect(verified.stdout).toMatch(
      /^store cycle, sequence (\d+) to \1: given up by human:\S+ on \d{4}-\d\d-\d\d: repaired after damage \(order \d+; .*runs there: [a-z-]+/m,
    );
    const runs = await shown('--kind', 'RunAdmitted');
    const codes = await Promise.all(
      runs.map(async ({ runId = '' }) => (await retainer('explain', runId, '--data', copy)).stdout),
    );
    expect(codes.filter((text) => text.includes('records of this run may be lost: store cycle'))).toHaveLength(1);
  });

  verifies(
    'cli:damage-has-its-words',
    'replays nothing without a store, marks the story, and repairs nothing',
    async () => {
      const copy = await copyOf('no-cycle-at-all');
      await rm(join(copy, 'journal/cycle'), { recursive: true });
      expect((await retainer('replay', 'frost-days', '--data', copy)).code).toBe(7);
      const explained = await retainer('explain', 'frost-days', '--data', copy);
      expect(explained.code).toBe(7);
      expect(explained.stdout).toContain('the record is not whole (a store is missing)');
      const plan = await retainer('journal', 'repair', copy, '--yes');
      expect(plan.code).toBe(5);
      expect(plan.stdout).toContain('needs a person: nothing of this store is left');
    },
  );

  it('shows records by store, run, kind and time', async () => {
    const admitted = await shown('--store', 'run', '--kind', 'RunAdmitted');
    expect(admitted.map(({ runId }) => tasks.find((task) => runId?.startsWith(task)))).toEqual(tasks);
    const future = await retainer('journal', 'show', data, '--from', '2999-01-01');
    expect(future).toMatchObject({ code: 0, stdout: '' });
    const wrong = await retainer('journal', 'show', data, '--from', 'yesterday');
    expect(wrong.code).toBe(1);
  });

  it('refuses what is no journal', async () => {
    expect((await retainer('journal', 'verify', join(root.path, 'nowhere'))).code).toBe(1);
  });
});
