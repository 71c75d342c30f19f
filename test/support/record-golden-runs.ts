/**
 * Records runs below `test/golden/runs`, each as its scenario says: with the built program, a scripted model, and people whose part
 * is played. By hand, once for each: `npm run build && npx tsx --conditions=source test/support/record-golden-runs.ts NAME…`
 * With `--from DIR` it keeps the record of that data directory instead, such as one of `npm run live`.
 *
 * What is recorded is never recorded anew; see the README there.
 */
import { access, cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { z } from 'zod';
import { leaveCommand } from '@retainer/agent-pod/input/spool';
import {
  listRuns,
  openQuestions,
  openRecords,
  pendingApprovals,
  recordsOfRun,
} from '@retainer/agent-pod/review/run-records';
import { goldenRunsDirectory } from './golden-runs.ts';
import { isThere, keepGoldenRun } from './keep-golden-run.ts';
import { repositoryRoot } from './repository-files.ts';
import { retainer, startRetainer, type Started } from './retainer-command.ts';

/** The same on every machine, should a path ever get into a record. */
const RECORDED_IN = '/tmp/retainer-golden';
const LOOK_AGAIN_MS = 50;
/** Far above what any step of a scenario takes. */
const STEP_MS_MAX = 60_000;

const of = z.object({ task: z.string() });
const saidBy = of.extend({ by: z.string() });
const Step = z.union([
  z.enum(['start', 'interrupt', 'kill']),
  z.strictObject({ ends: z.int() }),
  z.strictObject({ recorded: of.extend({ kind: z.string(), holds: z.string().default('') }) }),
  /** A file of the workspace is there. */
  z.strictObject({ written: z.string() }),
  z.strictObject({ decide: saidBy.extend({ decision: z.enum(['Approve', 'Deny']), reason: z.string() }) }),
  z.strictObject({ answer: saidBy.extend({ text: z.string() }) }),
  z.strictObject({ cancel: saidBy.extend({ reason: z.string() }) }),
  z.strictObject({ override: saidBy.extend({ reason: z.string() }) }),
]);
type Step = z.infer<typeof Step>;

const Scenario = z.strictObject({
  about: z.string(),
  /** A directory beside the scenario, or of the repository. */
  manifests: z.string(),
  steps: z.array(Step).min(1),
});

class Recording {
  readonly #data: string;
  readonly #manifests: string;
  #program: Started | undefined;

  constructor(directory: string) {
    this.#data = join(directory, 'data');
    this.#manifests = join(directory, 'manifests');
  }

  async play(step: Step): Promise<void> {
    if (step === 'start') this.#program = startRetainer(['run', '-f', this.#manifests, '--data', this.#data]);
    else if (step === 'interrupt') this.#running().child.kill('SIGINT');
    else if (step === 'kill') await this.#kill();
    else if ('ends' in step) await this.#ends(step.ends);
    else if ('recorded' in step) await this.#recorded(step.recorded);
    else if ('written' in step) await this.#written(step.written);
    else if ('decide' in step) await this.#decide(step.decide);
    else if ('answer' in step) await this.#answer(step.answer);
    else if ('cancel' in step) await this.#cancel(step.cancel);
    else await this.#override(step.override);
  }

  #running(): Started {
    if (this.#program === undefined) throw new Error('the scenario has started nothing');
    return this.#program;
  }

  async #kill(): Promise<void> {
    const { child, ended } = this.#running();
    child.kill('SIGKILL');
    await ended;
  }

  async #ends(expected: number): Promise<void> {
    const { code, stdout, stderr } = await this.#running().ended;
    if (code !== expected) throw new Error(`it ended with ${code}, not ${expected}:\n${stderr}\n${stdout}`);
  }

  async #recorded({ task, kind, holds }: { task: string; kind: string; holds: string }): Promise<void> {
    await untilFound(`${kind} of ${task}`, async () => {
      const reader = await openRecords(this.#data);
      const records = await recordsOfRun(reader, await this.#runOf(task));
      return records.find((it) => it.kind === kind && JSON.stringify(it.payload).includes(holds));
    });
  }

  async #written(path: string): Promise<void> {
    await untilFound(path, () => access(join(this.#data, 'workspace', path)).then(() => true));
  }

  async #runOf(task: string): Promise<string> {
    const runs = await listRuns(await openRecords(this.#data));
    return runs.find((it) => it.task === task)?.runId ?? '';
  }

  async #decide({ task, ...decision }: Extract<Step, { decide: unknown }>['decide']): Promise<void> {
    const { requestId, argumentsDigest } = await untilFound(`a request of ${task}`, async () => {
      const pending = await pendingApprovals(await openRecords(this.#data));
      const runId = await this.#runOf(task);
      return pending.find((it) => it.runId === runId);
    });
    await leaveCommand(this.#data, { type: 'DecideApproval', requestId, argumentsDigest, ...decision });
  }

  async #answer({ task, by, text }: Extract<Step, { answer: unknown }>['answer']): Promise<void> {
    const { runId, questionId } = await untilFound(`a question of ${task}`, async () =>
      (await openQuestions(await openRecords(this.#data))).find((it) => it.task === task),
    );
    await leaveCommand(this.#data, { type: 'AnswerQuestion', runId, questionId, text, by });
  }

  async #cancel({ task, by, reason }: Extract<Step, { cancel: unknown }>['cancel']): Promise<void> {
    await leaveCommand(this.#data, { type: 'CancelRun', runId: await this.#runOf(task), by, reason });
  }

  async #override({ task, by, reason }: Extract<Step, { override: unknown }>['override']): Promise<void> {
    const where = ['-f', this.#manifests, '--data', this.#data];
    const { code, stdout, stderr } = await retainer('override', task, ...where, '--by', by, '--reason', reason);
    if (code !== 0) throw new Error(stderr);
    await writeFile(join(this.#manifests, `${task}-again.json`), stdout);
  }
}

async function untilFound<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  for (const deadlineMs = Date.now() + STEP_MS_MAX; Date.now() < deadlineMs; await pause(LOOK_AGAIN_MS)) {
    // The directory is not there before the program made it.
    const found = await look().catch(() => undefined);
    if (found !== undefined) return found;
  }
  throw new Error(`${what} never came`);
}

async function record(name: string): Promise<void> {
  const golden = join(goldenRunsDirectory, name);
  const scenario = Scenario.parse(parse(await readFile(join(golden, 'scenario.yaml'), 'utf8')));
  const scratch = join(RECORDED_IN, name);
  await rm(scratch, { recursive: true, force: true });
  const beside = resolve(golden, scenario.manifests);
  const manifests = (await isThere(beside)) ? beside : resolve(repositoryRoot, scenario.manifests);
  await cp(manifests, join(scratch, 'manifests'), { recursive: true });
  const recording = new Recording(scratch);
  for (const step of scenario.steps) await recording.play(step);
  await keepGoldenRun(join(scratch, 'data'), golden, RECORDED_IN);
}

const {
  values: { from },
  positionals: names,
} = parseArgs({ allowPositionals: true, options: { from: { type: 'string' } } });
if (from !== undefined && names.length !== 1) throw new Error('--from keeps one data directory, under one name');
for (const name of names) {
  await (from === undefined ? record(name) : keepGoldenRun(resolve(from), join(goldenRunsDirectory, name)));
  process.stdout.write(`recorded ${name}\n`);
}
