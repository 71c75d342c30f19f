/**
 * Composition root of an agent: journal, model, gate, tools, sandbox and runtime on one data directory. The caller supplies what
 * differs on a cluster: sandbox, delivery, the writer's number.
 *
 * DATA/journal   the record (only `journal/` writes there)
 * DATA/workspace the agent's files, `/workspace` in its sandbox
 * DATA/spool     commands that other programs leave
 * DATA/outbox    replies, one file per delivery
 * DATA/git       the second copy of record, workspace and configuration
 * DATA/cache     data that can be derived again from the record
 * DATA/sandbox   finished code runs, by idempotency key
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Task } from '@retainer/contract/api/task';
import { characterDigest } from '@retainer/contract/manifest/character-digest';
import type { Clock } from '@retainer/contract/std/clock';
import { noProxies, type ProxySettings } from '@retainer/contract/std/proxies';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { submitTask, type Admission } from './admit-runs.ts';
import { archivistOf } from './asked-models.ts';
import { backupOf, recordCopies } from './backup-of-agent.ts';
import { settingsOf, type AgentSettings } from './loop/agent-settings.ts';
import { Bell } from './loop/bell.ts';
import { characterInForce } from './loop/character-in-force.ts';
import type { AgentDefinition } from '@retainer/mind/run/admit/run-spec';
import { presentSeeds, type SeedFile } from './boot/seed-workspace.ts';
import { makePrivate } from './input/private-directory.ts';
import { takeSpool, type SpoolWriters } from './input/spool.ts';
import { deliveryOf, type DeliveryOptions } from './delivery-of-agent.ts';
import type { Publisher } from './bus/bus.ts';
import { compileGate } from '@retainer/mind/gate/compile-gate';
import type { Gate } from '@retainer/mind/gate/gate';
import { costOf } from './infer/price.ts';
import { redactor, secretFinder, type SecretValue } from './infer/secrets.ts';
import { parseStructured } from './infer/structured.ts';
import { JournalClosedError, NewerRecordError } from '@retainer/journal/open-journal';
import type { Journal, JournalRecord } from '@retainer/journal/journal';
import { AgentRuntime } from './loop/agent-runtime.ts';
import type { Place } from '@retainer/mind/assemble/curator/view';
import type { JobRunsPort } from './ports/job-runs.ts';
import type { DeliveryPort, ModelPort, SandboxPort } from './ports/ports.ts';
import { programVersion } from './boot/program-version.ts';
import { ProjectionCache } from './loop/projection-cache.ts';
import { Pause } from './loop/pause.ts';
import type { JobPlan } from '@retainer/mind/parts/jobs/plan-jobs';
import { preambleOf } from './loop/preamble.ts';
import type { RecentEvents } from './loop/recent-events.ts';
import { SteadyClock } from './loop/steady-clock.ts';
import { unheard } from './bus/open-bus.ts';
import { systemClock } from '@retainer/contract/std/system-clock';
import { jobRunsOf, planAt, registerSchedule } from './jobs-of-agent.ts';
import { meaningOfAgent } from './meaning-of-agent.ts';
import { openStores } from './open-stores.ts';
import { placeOf } from './place-of-agent.ts';
import { hearing } from './hear-records.ts';
import { MailBell, openMail, type MailOptions, type OpenedMail } from './open-mail.ts';
import type { MailHealth, MailPort, MailServers } from './ports/mail.ts';
import { compareLastRuns } from './review/last-runs.ts';
import { clearScratch } from './sandbox/clear-scratch.ts';
import { createBubblewrapSandbox } from './sandbox/local/bubblewrap-sandbox.ts';
import { createExecutor } from './tools/execute.ts';
import { networkThrough, type FetchNetwork } from './tools/fetch-page.ts';
import type { BackupFigures, BackupSettings } from './upkeep/backup-watch.ts';
import { spoolOf, superviseUpkeep, VOLUME_FULL } from './upkeep/supervise-upkeep.ts';
import { recordedLife, type RecordedLife } from './review/individual.ts';
import { recordStart } from './loop/record-start.ts';
import { catalog, createRegistry, knownToolsIn } from './parts/catalog.ts';
import type { ToolRegistry } from './tools/registry.ts';
import type { ToolDescriptor, ToolSettings } from './tools/tool.ts';
import { presentFiles } from './tools/workspace-snapshot.ts';

export interface OpenAgentOptions extends DeliveryOptions {
  readonly definition: AgentDefinition;
  readonly model: ModelPort;
  /** Values that must never reach the record. */
  readonly secrets: readonly SecretValue[];
  /** Of the server that turns texts into vectors. Absent: it asks for none, or there is no server. */
  readonly embeddingKey?: string;
  /** Sees every record when it is durable. */
  readonly onRecord?: (record: JournalRecord) => void;
  /** The agent cannot continue: a bug, or a journal that takes no more. Called at most once. */
  readonly onFault: (error: unknown) => void;
  readonly onNotice?: (notice: string) => void;
  readonly clock?: Clock;
  readonly sandbox?: SandboxPort;
  /** The servers of its mail. Absent: it has none, whatever the Agent says. */
  readonly mailServers?: MailServers;
  /** Tools beside the catalog's. */
  readonly tools?: readonly ToolDescriptor[];
  /** The way to pages and to the server of vectors; none by default. */
  readonly proxies?: ProxySettings;
  /** The network of `fetch_url`; the system's by default. */
  readonly fetchNetwork?: FetchNetwork;
  /** Receives the roles' messages; by default nobody. Opened once the agent holds its directory, closed with it. */
  readonly bus?: () => Promise<Publisher>;
  /** The files that the manifests put into the workspace. The caller copies them (`seedWorkspace`). Absent: none. */
  readonly seeds?: readonly SeedFile[];
  /** The name of the environment for memory: experience from one environment does not count in another. `local` by default. */
  readonly environment?: string;
  /** Who can leave commands in DATA/spool: users of this machine by default. */
  readonly spoolWriters?: SpoolWriters;
  /** Number of this writer, when an outside authority assigns it. */
  readonly epoch?: number;
  /** Called for each append: its duration, and whether it was acknowledged. */
  readonly onAppend?: (durationMs: number, isOk: boolean) => void;
  /** Absent: no second copy is made. */
  readonly backup?: BackupSettings;
}

type Clocked = OpenAgentOptions & { readonly clock: SteadyClock };

function networkOf({ fetchNetwork, proxies = noProxies }: OpenAgentOptions): FetchNetwork {
  return fetchNetwork ?? networkThrough(proxies);
}

/** Closed to other users of the machine at each start, even if an earlier version left them open. */
const PRIVATE_DIRECTORIES = ['workspace', 'spool', 'outbox'];

/** The default environment in memory. */
const LOCAL_ENVIRONMENT = 'local';

export interface OpenedAgent {
  /** Its name for life, a UUID: the same wherever its volume goes. */
  readonly individual: string;
  readonly runtime: AgentRuntime;
  readonly journal: Journal;
  readonly concurrentRunsMax: number;
  /** How code is isolated, or why it cannot run. */
  readonly sandbox: { readonly isIsolated: boolean; readonly description: string };
  /** Takes a Task (name and work) once, however often it comes. @returns its run, and whether it is new */
  submitTask(task: Task, source: string): Promise<{ readonly runId: string; readonly isNew: boolean }>;
  /** Keeps the schedule of a Task from now on. @returns the id of its job */
  schedule(task: Task): Promise<string>;
  /** What jobs come to at a moment, milliseconds since 1970. Undefined while the agent may begin nothing. */
  jobPlan(nowMs: number): JobPlan | undefined;
  /** Stops all effects while any reason holds; commands wait meanwhile. */
  readonly pause: Pick<Pause, 'begin' | 'end'>;
  /** Undefined if no second copy is made. */
  backup(): BackupFigures | undefined;
  /** Undefined if it has no mail. */
  mailHealth(): MailHealth | undefined;
  /** Stops effects, syncs and closes the record, and copies it a last time. */
  close(): Promise<void>;
}

/**
 * @returns the agent at work, with all earlier work resumed; or why it cannot start, one sentence each
 * @throws LockHeldError  another process holds the data directory: the caller may try again later
 * @throws when its record cannot be read or takes nothing more; the data directory is free again then
 */
export async function openAgent(options: OpenAgentOptions): Promise<Result<OpenedAgent, readonly string[]>> {
  const { agent, character } = options.definition;
  const gate = compileGate(
    character.spec,
    characterDigest(character.spec),
    knownToolsIn(toolsOf(options)),
    agent.spec.gates,
  );
  return gate.ok ? openGatedAgent(options, gate.value) : gate;
}

function toolsOf({ tools }: OpenAgentOptions): readonly ToolDescriptor[] {
  return tools === undefined ? catalog : [...catalog, ...tools];
}

/** Like `openAgent`, with a given gate. It measures what an attack would do without the character's gate. */
export async function openGatedAgent(
  given: OpenAgentOptions,
  gate: Gate,
): Promise<Result<OpenedAgent, readonly string[]>> {
  // One clock for all that is recorded: a step of the machine's clock comes to all of it at once.
  const clock = new SteadyClock(given.clock ?? systemClock);
  const options = { ...given, clock };
  const { definition, dataDirectory } = options;
  const sandbox = options.sandbox ?? sandboxHere(options);
  const backup = backupOf(options);
  const [jobBell, workBell, mailBell] = [new Bell(), new Bell(), new MailBell()];
  const events: RecentEvents = [];
  const heard = hearing({ backup, events, jobBell, workBell, mailBell, onRecord: options.onRecord });
  const [opened, isolation] = await Promise.all([openStores({ ...options, onRecord: heard }), sandbox.probe()]);
  if (!opened.ok) return opened;
  const journal = opened.value;
  const languages = isolation.ok ? isolation.value.languages : [];
  const settings = settingsOf(definition.agent);
  const place = placeOf(definition.agent, settings, languages, sandbox);
  const registry = createRegistry(offeredOf(options, { settings, isolation, place, sandbox }), toolsOf(options));
  const bus = await openedBus(options);
  const onFault = faultHandler(options, journal, () => pause);
  const mail = await mailOf(options, { journal, bus, mailBell, runtime: () => runtime });
  const delivery = deliveryOf(options, { journal, openRuns: () => runtime.openRuns() }, mail?.delivery);
  const made = { options, journal, sandbox, registry, gate, bus, onFault, place, events, delivery, mail: mail?.port };
  const runtime: AgentRuntime = makeRuntime(made);
  const pause: Pause = new Pause(() => runtime, onFault);
  let life: RecordedLife & { readonly individual: string };
  const stop = new AbortController();
  let upkeep = Promise.resolve();
  const close = async (): Promise<void> => {
    stop.abort();
    await upkeep;
    // A cache that cannot be written costs a slower start and nothing else.
    await runtime.saveCache().catch(() => undefined);
    await runtime.stop();
    await mail?.close();
    await bus.close();
    await journal.close();
    await backup?.close();
  };
  try {
    await Promise.all(PRIVATE_DIRECTORIES.map((name) => makePrivate(join(dataDirectory, name))));
    life = await recordStart(journal, await recordedLife(journal), options, {
      characterDigest: gate.characterDigest,
      languages,
      place,
    });
    await runtime.start();
    if (backup !== undefined) recordCopies(backup, runtime, clock);
    await takeSpool(spoolOf({ ...options, journal, runtime }));
  } catch (error) {
    await close();
    if (error instanceof NewerRecordError) return err([error.message]);
    throw error;
  }
  const admission: Admission = {
    ...{ definition, model: options.model, environment: options.environment ?? LOCAL_ENVIRONMENT },
    ...{ runtime, registry, characterDigest: gate.characterDigest, restoredFrom: life.restoredFrom },
  };
  const isWritable = (): boolean => journal.mode === 'Writable';
  const jobs = jobRunsOf({ admission, clock, delivery, bell: jobBell, isWritable, onNotice: options.onNotice });
  const kept = { ...settings, ...options, clock, journal, runtime, pause, backup, onFault, jobs, workBell };
  upkeep = superviseUpkeep({ ...kept, agent: definition.agent.spec, mail: mail?.tended(admission) }, stop.signal);
  return ok({
    ...{ individual: life.individual, runtime, journal, pause, close, ...doorsOf(admission, jobs) },
    concurrentRunsMax: definition.agent.spec.limits.concurrentRuns,
    sandbox: isolationText(isolation),
    backup: () => backup?.figures(),
    mailHealth: () => mail?.port.health(),
  });
}

interface Around extends Pick<MailOptions, 'mailBell' | 'runtime'> {
  readonly journal: Journal;
  readonly bus: Publisher;
}

/** Where it fails, the data directory is free again. */
async function mailOf(options: Clocked, { bus, ...around }: Around): Promise<OpenedMail | undefined> {
  try {
    return await openMail({ ...options, ...around, agent: options.definition.agent });
  } catch (error) {
    await Promise.all([bus.close(), around.journal.close()]);
    throw error;
  }
}

/** By which work comes in. */
function doorsOf(admission: Admission, jobs: JobRunsPort): Pick<OpenedAgent, 'submitTask' | 'schedule' | 'jobPlan'> {
  return {
    submitTask: (task, source) => submitTask(admission, task, source),
    schedule: (task) => registerSchedule(admission, task),
    jobPlan: (nowMs) => planAt(admission, jobs, nowMs),
  };
}

function isolationText(isolation: Awaited<ReturnType<SandboxPort['probe']>>): OpenedAgent['sandbox'] {
  if (isolation.ok) return { isIsolated: true, description: isolation.value.description };
  return { isIsolated: false, description: `${isolation.error.reason} ${isolation.error.fix}` };
}

function sandboxHere({ dataDirectory, secrets }: OpenAgentOptions): SandboxPort {
  return createBubblewrapSandbox({ resultDirectory: join(dataDirectory, 'sandbox'), redact: redactor(secrets) });
}

interface Offered {
  readonly settings: AgentSettings;
  readonly isolation: Awaited<ReturnType<SandboxPort['probe']>>;
  readonly place: Place;
  readonly sandbox: SandboxPort;
}

/** What tools are told of the Agent and its sandbox. */
function offeredOf(options: OpenAgentOptions, { settings, isolation, place, sandbox }: Offered): ToolSettings {
  return {
    sandboxLanguages: isolation.ok ? isolation.value.languages : isolation.error,
    code: { ...settings.sandbox, memory: place.memory, startTimeoutMs: sandbox.startTimeoutMs ?? 0 },
    ...(settings.fetch === undefined ? {} : { fetch: settings.fetch }),
    fetchNetwork: networkOf(options),
    jobs: settings.jobs,
    ...(settings.mail === undefined ? {} : { mail: settings.mail }),
    replanThreshold: settings.replanThreshold,
  };
}

/**
 * Handles faults. On a full volume the agent waits: nothing acknowledged is lost, the work stops, and continues from
 * the record when there is space. Any other fault ends the agent and is reported once.
 */
function faultHandler(options: OpenAgentOptions, journal: Journal, pause: () => Pause): (error: unknown) => void {
  let isTold = false;
  return (error) => {
    if (journal.modeCause === 'DiskFull') {
      pause().begin(VOLUME_FULL);
      return;
    }
    if (isTold) return;
    isTold = true;
    options.onFault(error);
  };
}

async function openedBus({ bus }: OpenAgentOptions): Promise<Publisher> {
  return bus === undefined ? unheard : bus();
}

interface Made {
  /** Undefined: the agent has no mail. */
  readonly mail: MailPort | undefined;
  readonly options: Clocked;
  readonly journal: Journal;
  readonly sandbox: SandboxPort;
  readonly registry: ToolRegistry;
  readonly gate: Gate;
  readonly bus: Publisher;
  readonly place: Place;
  readonly events: RecentEvents;
  readonly delivery: DeliveryPort;
  readonly onFault: (error: unknown) => void;
}

/** Bytes of the nonce in the marks around untrusted texts. */
const NONCE_BYTES = 16;

function makeRuntime(made: Made): AgentRuntime {
  const { options, journal, sandbox, registry, gate, bus, onFault, place, events, delivery } = made;
  const { dataDirectory, model, secrets } = options;
  const settings = settingsOf(options.definition.agent);
  const { clock } = options;
  const workspaceDirectory = join(dataDirectory, 'workspace');
  const holdsSecret = secretFinder(secrets);
  const { embedding } = options.definition.agent.spec.memory;
  const { onNotice, proxies, embeddingKey: apiKey } = options;
  const meaning = meaningOfAgent(embedding, { dataDirectory, apiKey, clock, proxies, onNotice });
  const runtime: AgentRuntime = new AgentRuntime({
    journal,
    model,
    clock,
    config: { gate, catalog: registry },
    character: characterInForce(options.definition, gate, journal, () =>
      compareLastRuns(journal, options.definition.character, clock),
    ),
    oversight: settings,
    delivery,
    redact: redactor(secrets),
    factHalfLifeDays: options.definition.agent.spec.memory.halfLifeDays.facts,
    recall: settings.recall,
    tend: settings.tend,
    archivist: archivistOf(options.definition.agent, model),
    codeMax: sandbox.besideMax ?? 1,
    holdsSecret,
    drawNonce: () => randomBytes(NONCE_BYTES).toString('hex'),
    lookAround: (task) => presentFiles(workspaceDirectory, task),
    costUsd: (modelId, usage) => costOf(usage, modelId, settings.prices),
    parseStructured,
    bus,
    cache: new ProjectionCache(join(dataDirectory, 'cache')),
    ...(meaning === undefined ? {} : { meaning }),
    clearScratch: (scratch) => clearScratch(workspaceDirectory, scratch),
    presentSeeds: () => presentSeeds(workspaceDirectory, options.seeds ?? []),
    makeExecutor: (memory) =>
      createExecutor({
        registry,
        gate,
        clock,
        workspaceDirectory,
        sandbox,
        ...memory,
        mail: () => made.mail,
        holdsSecret,
        outputCharacters: settings.toolOutputCharacters,
        toolTimeoutMs: settings.toolTimeoutMs,
      }),
    version: programVersion(),
    preamble: preambleOf(options.definition.agent, place, programVersion()),
    events,
    onFault,
    ...(options.onNotice === undefined ? {} : { onNotice: options.onNotice }),
  });
  journal.onDegraded((reason) => {
    options.onNotice?.(`the journal accepts no more records: ${reason}`);
    // Whoever was refused may only try again: nothing but a new start ends a storage error.
    if (journal.modeCause === 'StorageError')
      onFault(new JournalClosedError(`the journal takes no records: ${reason}`));
  });
  return runtime;
}
