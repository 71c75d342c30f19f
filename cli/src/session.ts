/** The agent during a `run`: started, watched, and closed whatever happens. */
import { EventEmitter } from 'node:events';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { configMapFile } from '@retainer/contract/manifest/config-map';
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { JournalClosedError, LockHeldError } from '@retainer/journal/open-journal';
import { openModel, patienceOf, type ModelSettings } from '@retainer/agent-pod/infer/open-model';
import { openAgent, type OpenAgentOptions, type OpenedAgent } from '@retainer/agent-pod/open-agent';
import { openSharedBus, redisAddress } from '@retainer/agent-pod/bus/open-bus';
import { systemClock } from '@retainer/contract/std/system-clock';
import { listRuns, openRecords, recordsOfRun } from '@retainer/agent-pod/review/run-records';
import { mailServersOf } from './mail-servers.ts';
import { manifestSeeds } from './manifest-seeds.ts';
import { chooseModel, type ModelChoice, type ModelFlag } from './choose-model.ts';
import type { Environment } from './config.ts';
import { exitCodes } from './exit-codes.ts';
import { readAuthorities, readGitCredentials } from './git-credentials.ts';
import { leftRun } from './left-run.ts';
import { TerminalPerson } from './terminal-person.ts';
import { isInForeground, untilForeground } from './terminals.ts';
import { JobsAtWork } from './jobs-at-work.ts';
import { liveProgress, type LiveProgress } from './live-progress.ts';
import { applyManifestDecisions } from './manifest-decisions.ts';
import type { Output } from './output.ts';
import { askCancel, unlessTurnedAway, type LeftRun } from './run-task.ts';
import type { TaskRunnerOptions } from './run-tasks.ts';
import { askCommand, type PersonAsk } from './person-asks.ts';
import { refuse } from './refuse.ts';
import type { Selection } from './select-agent.ts';
import { damageOf, verifyRecord } from './verify-record.ts';

export interface SessionOptions {
  readonly flags: { readonly model?: ModelFlag; readonly watch?: true };
  readonly environment: Environment;
  readonly output: Output;
  readonly selection: Selection;
  readonly dataDirectory: string;
  /** Ctrl-C. */
  readonly signal: AbortSignal;
}

export interface Session {
  readonly agent: OpenedAgent;
  readonly choice: ModelChoice;
  readonly output: Output;
  readonly jobs: JobsAtWork;
  /** Aborted by Ctrl-C, or when the agent cannot go on. */
  readonly signal: AbortSignal;
  readonly running: Omit<TaskRunnerOptions, 'board' | 'staysUp' | 'onIdle'>;
  /** Applies decisions of changed manifests, and reports changes that take effect only after a restart. */
  takeChanges(selection: Selection): Promise<void>;
  /** @returns the exit code if the agent could not go on */
  close(): Promise<number | undefined>;
}

/** @returns the session, or the exit code when the agent cannot start; the output holds the reasons */
export async function startSession(options: SessionOptions): Promise<Session | number> {
  const { output, selection, dataDirectory, environment } = options;
  const bus = busOf(options);
  if (!bus.ok) return refuse(output, bus.error);
  const git = await readGitCredentials(environment);
  if (!git.ok) return refuse(output, git.error);
  const model = await chosenModel(options);
  if (!model.ok) return refuse(output, model.error);
  const { definition } = selection;
  const mail = await mailOf(options);
  const progress = liveProgress(output, performance.now(), definition.agent.spec.limits.concurrentRuns > 1);
  const jobs = new JobsAtWork({
    ...{ output, isEnabled: definition.agent.spec.scheduler.enabled, staysUp: options.flags.watch === true },
  });
  await learnRecord(dataDirectory, progress, jobs);
  const fault = new AbortController();
  const requested = new EventEmitter();
  const onFault = (error: unknown): void => {
    output.error(`the agent stopped on an error: ${failureText(error)}`);
    fault.abort();
  };
  const opened = await opening(dataDirectory, () =>
    openAgent({
      definition,
      dataDirectory,
      seeds: manifestSeeds(selection),
      model: model.value.port,
      secrets: environment.secrets,
      proxies: environment.proxies,
      ...(environment.embeddingKey === undefined ? {} : { embeddingKey: environment.embeddingKey }),
      onRecord: (record) => {
        progress.show(record);
        jobs.take(record);
        if (record.kind === 'ApprovalRequested' || record.kind === 'QuestionAsked') requested.emit('request');
        if (peopleChanges.has(record.kind)) requested.emit('people');
      },
      ...bus.value,
      ...mail,
      backup: backupOf(environment),
      onFault,
      onNotice: (notice) => output.note(notice, 'Warning'),
    }),
  );
  if (!opened.ok) {
    progress.stop();
    return refuse(output, opened.error.reasons, opened.error.code);
  }
  jobs.attach(opened.value);
  await keepSchedules(opened.value, selection.tasks, output);
  const tasks = { current: selection.tasks };
  let decided = Promise.resolve();
  const decide = (): void => {
    decided = takeDecisions(opened.value, tasks.current, output).catch((error: unknown) => {
      if (!options.signal.aborted) onFault(error);
    });
  };
  requested.on('request', decide);
  decide();
  const people = peopleOf(options, opened.value, () => decided);
  // The state follows the record within the same turn.
  requested.on('people', () => setImmediate(people.look));
  people.look();
  const { choice } = model.value;
  return sessionOf(options, { agent: opened.value, choice, progress, fault: fault.signal, tasks, people, jobs });
}

/** While the agent stays up. What is wrong with its mail keeps it from no other work. */
async function mailOf({
  flags,
  selection,
  environment,
  output,
}: SessionOptions): Promise<Pick<OpenAgentOptions, 'mailServers'>> {
  if (flags.watch !== true) return {};
  const servers = await mailServersOf(selection, environment);
  if (!servers.ok) output.note(`the agent has no mail: ${servers.error}`, 'Warning');
  return servers.ok && servers.value !== undefined ? { mailServers: servers.value } : {};
}

/** The end of a large first commit is worth waiting for; Ctrl-C does not. */
const CLOSING_COMMIT_MS = 30_000;

function backupOf(environment: Environment): NonNullable<OpenAgentOptions['backup']> {
  return {
    closingMs: CLOSING_COMMIT_MS,
    proxies: environment.proxies,
    credentials: async () => {
      const found = await readGitCredentials(environment);
      if (!found.ok) throw new Error(found.error);
      return found.value;
    },
    authorities: () => readAuthorities(environment.authoritiesFile),
  };
}

/** Records after which work begins or ends to wait for a person. */
const peopleChanges: ReadonlySet<string> = new Set([
  'ApprovalRequested',
  'ApprovalDecided',
  'QuestionAsked',
  'QuestionAnswered',
  'QuestionExpired',
  'TimeExpired',
  'CycleEnded',
]);

interface People {
  /** Call it when what waits may have changed. */
  readonly look: () => void;
  readonly stop: () => void;
  readonly left?: NonNullable<TaskRunnerOptions['left']>;
}

/** A person at the terminal is asked. With nobody there, a command that does not stay leaves what waits. */
function peopleOf(options: SessionOptions, agent: OpenedAgent, decided: () => Promise<void>): People {
  const { environment, output, dataDirectory, flags } = options;
  const { hasTerminal, userName: name, uid } = environment;
  if (!hasTerminal) {
    const left = (runId: string, signal: AbortSignal): Promise<LeftRun> =>
      leftRun({ agent, dataDirectory, decided }, runId, AbortSignal.any([signal, options.signal]));
    return { look: () => undefined, stop: () => undefined, ...(flags.watch === true ? {} : { left }) };
  }
  const terminal = {
    ...{ input: process.stdin, prompts: process.stderr, user: { name, uid } },
    foreground: { isOurs: isInForeground, untilOurs: untilForeground },
    command: (ask: PersonAsk) => askCommand(ask, dataDirectory),
  };
  const person = new TerminalPerson(agent.runtime, terminal, output);
  const tell = (error: unknown): void => output.note(`the decision was not taken: ${String(error)}`, 'Warning');
  return { look: () => void person.look().catch(tell), stop: () => person.stop() };
}

/** With a Redis URL, the roles' messages use its stream. */
function busOf({ environment, output, selection }: SessionOptions): Result<Pick<OpenAgentOptions, 'bus'>, string> {
  if (environment.redisUrl === undefined) return ok({});
  const found = redisAddress(environment.redisUrl);
  if (!found.ok) return err(`RETAINER_REDIS_URL: ${found.error}`);
  const address = found.value;
  const { namespace, name } = selection.definition.agent.metadata;
  const onNotice = (notice: string): void => output.note(notice, 'Warning');
  const agent = `${namespace}/${name}`;
  return ok({ bus: () => openSharedBus({ address, agent, consumer: 'local', clock: systemClock, onNotice }) });
}

interface Parts {
  readonly agent: OpenedAgent;
  readonly choice: ModelChoice;
  readonly progress: LiveProgress;
  readonly fault: AbortSignal;
  /** From the last reading of the manifests. */
  readonly tasks: { current: Selection['tasks'] };
  readonly people: People;
  readonly jobs: JobsAtWork;
}

function sessionOf(options: SessionOptions, parts: Parts): Session {
  const { agent, choice, progress, fault, tasks, people, jobs } = parts;
  const { output, selection, signal } = options;
  const stopped = AbortSignal.any([signal, fault]);
  return {
    agent,
    choice,
    output,
    jobs,
    signal: stopped,
    running: {
      agent,
      jobs,
      concurrentMax: selection.definition.agent.spec.limits.concurrentRuns,
      signal: stopped,
      ...(people.left === undefined ? {} : { left: people.left }),
      onStart: (task, runId, how) => {
        if (how === 'Resumed') output.note(`${task}: run ${runId} continues from its record`, 'Warning');
        if (how === 'Recorded')
          output.note(`${task}: run ${runId} finished earlier; shown from the record, not run again`);
      },
      onStranger: (_task, runId) => output.note(`run ${runId} of an earlier start continues, too`, 'Warning'),
    },
    takeChanges: async (changed) => {
      tasks.current = changed.tasks;
      await keepSchedules(agent, changed.tasks, output);
      await takeDecisions(agent, tasks.current, output);
      if (canonicalJson(changed.definition) === canonicalJson(selection.definition)) return;
      output.note('the Agent, its character or a skill has changed: restart to use the change', 'Warning');
    },
    close: async () => {
      progress.stop();
      people.stop();
      await agent.close();
      return fault.aborted ? exitCodes.failed : undefined;
    },
  };
}

/** Tasks with a schedule are jobs, and so are those that had one and are cancelled or run once by now. */
async function keepSchedules(agent: OpenedAgent, tasks: Selection['tasks'], output: Output): Promise<void> {
  for (const task of tasks) {
    const kept = await unlessTurnedAway(() => agent.schedule(task));
    if (kept.ok) continue;
    const { name } = task.metadata;
    return output.note(`${name}: its schedule was not taken; the next start takes it: ${kept.error}`, 'Warning');
  }
}

/** Applies people's decisions in the manifests to open work. */
async function takeDecisions(agent: OpenedAgent, tasks: Selection['tasks'], output: Output): Promise<void> {
  const taken = await unlessTurnedAway(async () => {
    await applyManifestDecisions(agent, tasks);
    for (const task of tasks) if (task.spec.cancel) await askCancel(agent, task);
  });
  if (!taken.ok)
    output.note(
      `answers, approvals and cancellations in the manifests were not read; they are read at the next change of a file: ${taken.error}`,
      'Warning',
    );
}

async function chosenModel({
  flags,
  environment,
  selection,
}: SessionOptions): Promise<
  Result<{ readonly choice: ModelChoice; readonly port: Parameters<typeof openAgent>[0]['model'] }, readonly string[]>
> {
  const { models } = selection.definition.agent.spec;
  const { apiKey, baseURL } = environment;
  const choice = chooseModel({ models, hasKey: apiKey !== undefined, baseURL, flag: flags.model });
  if (!choice.ok) return err([choice.error]);
  const settings = await settingsOf(choice.value, selection, apiKey ?? '');
  if (!settings.ok) return settings;
  const port = await openModel(
    { ...settings.value, ...patienceOf(models) },
    { clock: systemClock, random: Math.random, proxies: environment.proxies },
  );
  return port.ok ? ok({ choice: choice.value, port: port.value }) : port;
}

async function settingsOf(
  choice: ModelChoice,
  { definition, agentFile, configMaps }: Selection,
  apiKey: string,
): Promise<Result<ModelSettings, readonly string[]>> {
  if (choice.provider === 'Anthropic') {
    const { baseURL, addressName } = choice;
    const names = addressName === undefined ? {} : { names: { address: addressName } };
    return ok({ provider: 'Anthropic', apiKey, ...(baseURL === undefined ? {} : { baseURL }), ...names });
  }
  const { script = '', scriptConfigMapRef } = definition.agent.spec.models;
  const configMap = configMaps.get(scriptConfigMapRef?.name ?? '');
  const file = configMap === undefined ? undefined : configMapFile(configMap, script);
  if (file !== undefined) {
    const scriptText = Buffer.from(file.text, file.encoding).toString();
    return ok({ provider: 'Scripted', scriptText, scriptName: `ConfigMap/${scriptConfigMapRef?.name}: ${script}` });
  }
  // A pipe of the shell, as `-f <(kustomize build)`, stands beside nothing.
  const scriptName = join(agentFile.startsWith('/dev/') ? '.' : dirname(agentFile), script);
  try {
    return ok({ provider: 'Scripted', scriptText: await readFile(scriptName, 'utf8'), scriptName });
  } catch {
    return err([`${agentFile}: spec.models.script: the file ${scriptName} cannot be read`]);
  }
}

/** The journal's own errors name the remedy; any other error is a bug and needs its stack. */
function failureText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error instanceof JournalClosedError ? error.message : (error.stack ?? error.message);
}

/** The live lines of an open run need its earlier records; what is next follows from all records of jobs. */
async function learnRecord(dataDirectory: string, progress: LiveProgress, jobs: JobsAtWork): Promise<void> {
  const reader = await openRecords(dataDirectory).catch(() => undefined);
  if (reader === undefined) return;
  for await (const record of reader.read('job')) jobs.learn(record);
  for (const run of await listRuns(reader)) {
    if (run.isClosed) continue;
    for (const record of await recordsOfRun(reader, run.runId)) {
      progress.learn(record);
      if (record.store === 'run') jobs.learn(record);
    }
  }
}

interface OpeningFault {
  readonly reasons: readonly string[];
  readonly code: number;
}

async function opening(
  dataDirectory: string,
  open: () => ReturnType<typeof openAgent>,
): Promise<Result<OpenedAgent, OpeningFault>> {
  try {
    const opened = await open();
    if (opened.ok) return opened;
    // A record that the agent refuses has the code that `journal verify` gives it.
    const damage = damageOf(await verifyRecord(join(dataDirectory, 'journal'), { blobs: false }));
    return err({ reasons: opened.error, code: damage?.code ?? exitCodes.usage });
  } catch (error) {
    if (!(error instanceof LockHeldError)) throw error;
    return err({ reasons: [`another process uses this data directory: ${error.message}`], code: exitCodes.held });
  }
}
