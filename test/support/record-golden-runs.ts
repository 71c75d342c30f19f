/**
 * Records runs below `test/golden/runs`, each as its scenario says: with the built program, a scripted model, and people whose part
 * is played. By hand, once for each: `npm run build && npx tsx --conditions=source test/support/record-golden-runs.ts NAME…`
 *
 * What is recorded is never recorded anew; see the README there.
 */
import { access, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, hostname, userInfo } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
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
import { repositoryRoot } from './repository-files.ts';
import { retainer, startRetainer, type Started } from './retainer-command.ts';

/** The same on every machine, should a path ever get into a record. */
const RECORDED_IN = '/tmp/retainer-golden';
const LOOK_AGAIN_MS = 50;
/** Far above what any step of a scenario takes. */
const STEP_MS_MAX = 60_000;
/** Reserve of space and lock of the process that wrote: no part of the record. */
const LEFT_OUT: ReadonlySet<string> = new Set(['ballast', 'lock']);

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
    await untilFound(path, () => access(join(this.#data, 'workspace', path)).then(isSo));
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
  if (await access(join(golden, 'journal')).then(isSo, isNotSo))
    throw new Error(`${name} is recorded already, and is never recorded anew`);
  const scenario = Scenario.parse(parse(await readFile(join(golden, 'scenario.yaml'), 'utf8')));
  const scratch = join(RECORDED_IN, name);
  await rm(scratch, { recursive: true, force: true });
  const beside = resolve(golden, scenario.manifests);
  const manifests = (await access(beside).then(isSo, isNotSo)) ? beside : resolve(repositoryRoot, scenario.manifests);
  await cp(manifests, join(scratch, 'manifests'), { recursive: true });
  const recording = new Recording(scratch);
  for (const step of scenario.steps) await recording.play(step);
  await keep(join(scratch, 'data'), golden);
}

const isSo = (): boolean => true;
const isNotSo = (): boolean => false;

async function keep(data: string, golden: string): Promise<void> {
  const journal = join(data, 'journal');
  for (const entry of await readdir(journal, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || LEFT_OUT.has(entry.name)) continue;
    const bytes = await readFile(path);
    // The journal packs its blobs itself.
    refuseTraces(path, (entry.name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString());
    const packed = `${join(golden, path.slice(data.length))}.gz`;
    await mkdir(dirname(packed), { recursive: true });
    await writeFile(packed, gzipSync(bytes, { level: 9 }));
  }
  for (const { task } of await listRuns(await openRecords(data))) {
    const { code, stdout, stderr } = await retainer('explain', task, '--data', data);
    if (code !== 0) throw new Error(stderr);
    refuseTraces(`the story of ${task}`, stdout);
    await writeFile(join(golden, `explain-${task}.txt`), stdout);
  }
}

/** What would say on which machine and by whom it was recorded. */
function refuseTraces(path: string, text: string): void {
  const { username } = userInfo();
  const traces = [RECORDED_IN, repositoryRoot, homedir(), hostname(), `human:${username}`, `"by":"${username}"`];
  const found = traces.filter((it) => text.includes(it));
  if (found.length > 0) throw new Error(`${path} holds ${found.join(', ')}`);
}

for (const name of process.argv.slice(2)) {
  await record(name);
  process.stdout.write(`recorded ${name}\n`);
}
