/**
 * Composition root of an agent: journal, model, gate, tools, sandbox and runtime on one data directory. The caller supplies what
 * differs on a cluster: sandbox, delivery, the writer's number.
 *
 * DATA/journal   the record (only `journal/` writes there)
 * DATA/workspace the agent's files, `/workspace` in its sandbox
 * DATA/spool     commands that other programs leave
 * DATA/outbox    replies, one file per delivery
 * DATA/cache     data that can be derived again from the record
 * DATA/sandbox   finished code runs, by idempotency key
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { allowsTool } from '@retainer/contract/api/agent-tools';
import type { Task } from '@retainer/contract/api/task';
import { characterDigest } from '@retainer/contract/manifest/character-digest';
import type { Clock } from '@retainer/contract/std/clock';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { settingsOf } from './loop/agent-settings.ts';
import { assembleRunSpec, type AgentDefinition } from '@retainer/mind/run/admit/run-spec';
import { standingSeeds, type SeedFile } from './boot/seed-workspace.ts';
import { makePrivate } from './input/private-directory.ts';
import { OutboxDelivery } from './deliver/outbox-delivery.ts';
import type { Publisher } from './bus/bus.ts';
import { DECIDERS } from '@retainer/mind/cycle/deciders';
import { GATE_RULES_VERSION } from '@retainer/mind/gate/rules-version';
import { compileGate } from '@retainer/mind/gate/compile-gate';
import type { Gate } from '@retainer/mind/gate/gate';
import { costOf, mostPerToken } from './infer/price.ts';
import { redactor, secretFinder, type SecretValue } from './infer/secrets.ts';
import { parseStructuredKind } from './infer/structured-kinds.ts';
import { LockHeldError, NewerRecordError, openJournal } from '@retainer/journal/open-journal';
import type { Journal, JournalRecord } from '@retainer/journal/journal';
import { AgentRuntime } from './loop/agent-runtime.ts';
import type { DeliveryPort, ModelPort, SandboxPort } from './ports/ports.ts';
import { programVersion } from './boot/program-version.ts';
import { ProjectionCache } from './loop/projection-cache.ts';
import { Pause } from './loop/pause.ts';
import { agentStores } from './loop/stores.ts';
import { unheard } from './bus/open-bus.ts';
import { systemClock } from '@retainer/contract/std/system-clock';
import { createBubblewrapSandbox } from './sandbox/local/bubblewrap-sandbox.ts';
import { createExecutor } from './tools/execute.ts';
import type { FetchNetwork } from './tools/fetch-page.ts';
import { superviseUpkeep, VOLUME_FULL } from './upkeep/supervise-upkeep.ts';
import { runIdOfTask, taskOrigin } from './input/task-identity.ts';
import { createRegistry, knownTools, type ToolRegistry } from './tools/registry.ts';
import { standingFiles } from './tools/workspace-snapshot.ts';

export interface OpenAgentOptions {
  readonly definition: AgentDefinition;
  readonly dataDirectory: string;
  readonly model: ModelPort;
  /** Values that must never reach the record. */
  readonly secrets: readonly SecretValue[];
  /** Sees every record when it is durable. */
  readonly onRecord?: (record: JournalRecord) => void;
  /** The agent cannot continue: a bug, or a journal that takes no more. Called at most once. */
  readonly onFault: (error: unknown) => void;
  readonly onNotice?: (notice: string) => void;
  readonly clock?: Clock;
  readonly sandbox?: SandboxPort;
  /** The network of `fetch_url`; the system's by default. */
  readonly fetchNetwork?: FetchNetwork;
  /** Receives the roles' messages; by default nobody. Opened once the agent holds its directory, closed with it. */
  readonly bus?: () => Promise<Publisher>;
  /** Files below `outbox/` by default. */
  readonly delivery?: DeliveryPort | ((agent: DeliveringAgent) => DeliveryPort);
  /** The files that the manifests put into the workspace. The caller copies them (`seedWorkspace`). Absent: none. */
  readonly seeds?: readonly SeedFile[];
  /** The name of the environment for memory: experience from one environment does not count in another. `local` by default. */
  readonly environment?: string;
  /** Number of this writer, when an outside authority assigns it. */
  readonly epoch?: number;
  /** Called for each append: its duration, and whether it was acknowledged. */
  readonly onAppend?: (durationMs: number, isOk: boolean) => void;
}

/** Closed to other users of the machine at each start, also where an earlier version left them open. */
const PRIVATE_DIRECTORIES = ['workspace', 'spool', 'outbox'];

/** The default environment in memory. */
const LOCAL_ENVIRONMENT = 'local';

export interface DeliveringAgent {
  readonly journal: Pick<Journal, 'append'>;
  openRuns(): ReturnType<AgentRuntime['openRuns']>;
}

export interface OpenedAgent {
  readonly runtime: AgentRuntime;
  readonly journal: Journal;
  readonly concurrentRunsMax: number;
  /** How code is isolated, or why it cannot run. */
  readonly sandbox: { readonly isIsolated: boolean; readonly description: string };
  /** Takes a Task (name and work) once, however often it comes. @returns its run, and whether it is new */
  submitTask(task: Task, source: string): Promise<{ readonly runId: string; readonly isNew: boolean }>;
  /** Stops all effects while any reason holds; commands wait meanwhile. */
  readonly pause: Pick<Pause, 'begin' | 'end'>;
  /** Stops effects, syncs and closes the record. */
  close(): Promise<void>;
}

/**
 * @returns the agent at work, with all earlier work resumed; or why it cannot start, one sentence each
 * @throws LockHeldError  another process holds the data directory: the caller may try again later
 * @throws when its record cannot be read or takes nothing more; the data directory is free again then
 */
export async function openAgent(options: OpenAgentOptions): Promise<Result<OpenedAgent, readonly string[]>> {
  const { agent, character } = options.definition;
  const gate = compileGate(character.spec, characterDigest(character.spec), knownTools, agent.spec.gates);
  return gate.ok ? openGatedAgent(options, gate.value) : gate;
}

/** Like `openAgent`, with a given gate. It measures what an attack would do without the character's gate. */
export async function openGatedAgent(
  options: OpenAgentOptions,
  gate: Gate,
): Promise<Result<OpenedAgent, readonly string[]>> {
  const { definition, dataDirectory } = options;
  const digest = gate.characterDigest;
  const sandbox =
    options.sandbox ??
    createBubblewrapSandbox({ resultDirectory: join(dataDirectory, 'sandbox'), redact: redactor(options.secrets) });
  const [opened, isolation] = await Promise.all([openStores(options), sandbox.probe()]);
  if (!opened.ok) return opened;
  const journal = observed(opened.value, options);
  const languages = isolation.ok ? isolation.value.languages : [];
  const settings = settingsOf(definition.agent);
  const registry = createRegistry({
    sandboxLanguages: isolation.ok ? languages : isolation.error,
    code: { ...settings.sandbox, startTimeoutMs: sandbox.startTimeoutMs ?? 0 },
    ...(settings.fetch === undefined ? {} : { fetch: settings.fetch }),
    ...(options.fetchNetwork === undefined ? {} : { fetchNetwork: options.fetchNetwork }),
  });
  const clock = options.clock ?? systemClock;
  const bus = await openedBus(options);
  const onFault = faultHandler(options, journal, () => pause);
  const runtime: AgentRuntime = makeRuntime({ options, journal, sandbox, registry, gate, bus, onFault });
  const pause: Pause = new Pause(() => runtime, onFault);
  const stop = new AbortController();
  let upkeep = Promise.resolve();
  const close = async (): Promise<void> => {
    stop.abort();
    await upkeep;
    // A cache that cannot be written costs a slower start and nothing else.
    await runtime.saveCache().catch(() => undefined);
    await runtime.stop();
    await bus.close();
    await journal.close();
  };
  try {
    await Promise.all(PRIVATE_DIRECTORIES.map((name) => makePrivate(join(dataDirectory, name))));
    await recordConfiguration(journal, options, { characterDigest: digest, languages });
    await runtime.start();
  } catch (error) {
    await close();
    if (error instanceof NewerRecordError) return err([error.message]);
    throw error;
  }
  upkeep = superviseUpkeep({ ...options, clock, journal, runtime, pause, onFault }, stop.signal);
  return ok({
    runtime,
    journal,
    concurrentRunsMax: definition.agent.spec.limits.concurrentRuns,
    sandbox: isolation.ok
      ? { isIsolated: true, description: isolation.value.description }
      : { isIsolated: false, description: `${isolation.error.reason} ${isolation.error.fix}` },
    pause,
    submitTask: (task, source) => submitTask({ options, runtime, registry, characterDigest: digest }, task, source),
    close,
  });
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

async function openStores(options: OpenAgentOptions): Promise<Result<Journal, readonly string[]>> {
  const { metadata } = options.definition.agent;
  try {
    return ok(
      await openJournal({
        directory: join(options.dataDirectory, 'journal'),
        stores: agentStores,
        agentUid: `${metadata.namespace}/${metadata.name}`,
        redact: redactor(options.secrets),
        clock: options.clock ?? systemClock,
        ...(options.epoch === undefined ? {} : { epoch: options.epoch }),
      }),
    );
  } catch (error) {
    if (error instanceof LockHeldError) throw error;
    return err([error instanceof Error ? error.message : String(error)]);
  }
}

/** The same journal with an observer. The observer sees each record when it is durable, and cannot harm the append. */
function observed(journal: Journal, { onRecord, onNotice, onAppend, clock = systemClock }: OpenAgentOptions): Journal {
  if (onRecord === undefined && onAppend === undefined) return journal;
  const tell = (record: JournalRecord): void => {
    try {
      onRecord?.(record);
    } catch (error) {
      // The record is durable: an observer's bug must not look like a failed append.
      onNotice?.(`a record could not be shown: ${String(error)}`);
    }
  };
  const append: Journal['append'] = async (records) => {
    const startMs = clock.monotonicMs();
    let isOk = false;
    try {
      const appended = await journal.append(records);
      isOk = true;
      for (const record of appended) tell(record);
      return appended;
    } finally {
      onAppend?.(clock.monotonicMs() - startMs, isOk);
    }
  };
  return new Proxy(journal, {
    get(target, property) {
      if (property === 'append') return append;
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

interface Made {
  readonly options: OpenAgentOptions;
  readonly journal: Journal;
  readonly sandbox: SandboxPort;
  readonly registry: ToolRegistry;
  readonly gate: Gate;
  readonly bus: Publisher;
  readonly onFault: (error: unknown) => void;
}

/** Bytes of the nonce in the marks around untrusted texts. */
const NONCE_BYTES = 16;

function makeRuntime({ options, journal, sandbox, registry, gate, bus, onFault }: Made): AgentRuntime {
  const { dataDirectory, model, secrets } = options;
  const settings = settingsOf(options.definition.agent);
  const clock = options.clock ?? systemClock;
  const workspaceDirectory = join(dataDirectory, 'workspace');
  const holdsSecret = secretFinder(secrets);
  const delivery = options.delivery ?? new OutboxDelivery(join(dataDirectory, 'outbox'));
  const runtime: AgentRuntime = new AgentRuntime({
    journal,
    model,
    clock,
    config: { gate, catalog: registry },
    oversight: settings,
    delivery: typeof delivery === 'function' ? delivery({ journal, openRuns: () => runtime.openRuns() }) : delivery,
    redact: redactor(secrets),
    holdsSecret,
    drawNonce: () => randomBytes(NONCE_BYTES).toString('hex'),
    lookAround: (task) => standingFiles(workspaceDirectory, task),
    costUsd: (modelId, usage) => costOf(usage, modelId, settings.prices),
    parseStructured: parseStructuredKind,
    bus,
    cache: new ProjectionCache(join(dataDirectory, 'cache')),
    standingSeeds: () => standingSeeds(workspaceDirectory, options.seeds ?? []),
    makeExecutor: (memory) =>
      createExecutor({
        registry,
        gate,
        clock,
        workspaceDirectory,
        sandbox,
        ...memory,
        holdsSecret,
        outputCharacters: settings.toolOutputCharacters,
        toolTimeoutMs: settings.toolTimeoutMs,
      }),
    version: programVersion(),
    onFault,
    ...(options.onNotice === undefined ? {} : { onNotice: options.onNotice }),
  });
  journal.onDegraded((reason) => options.onNotice?.(`the journal accepts no more records: ${reason}`));
  return runtime;
}

async function recordConfiguration(
  journal: Journal,
  { definition, model }: OpenAgentOptions,
  found: { readonly characterDigest: string; readonly languages: readonly string[] },
): Promise<void> {
  const payload = {
    characterDigest: found.characterDigest,
    character: definition.character,
    agent: definition.agent,
    skills: definition.skills,
    sandboxLanguages: found.languages,
    gateRules: GATE_RULES_VERSION,
    deciders: DECIDERS,
    model: model.name,
  };
  await journal.append([
    { store: 'agent', kind: 'Configured', principal: 'operator', payload: JSON.parse(JSON.stringify(payload)) },
  ]);
}

interface Submission {
  readonly options: OpenAgentOptions;
  readonly runtime: AgentRuntime;
  readonly registry: ToolRegistry;
  readonly characterDigest: string;
}

async function submitTask(
  { options, runtime, registry, characterDigest }: Submission,
  task: Task,
  source: string,
): Promise<{ readonly runId: string; readonly isNew: boolean }> {
  const { definition } = options;
  const originId = taskOrigin(task);
  const runId = runIdOfTask(task);
  const { deadline } = task.spec.constraints;
  const spec = assembleRunSpec(definition, task, {
    runId,
    characterDigest,
    tools: registry.specs(registry.names.filter((name) => allowsTool(definition.agent.spec.tools, name))),
    deadlineMs: deadline === undefined ? undefined : Date.parse(deadline),
    environment: options.environment ?? LOCAL_ENVIRONMENT,
    provider: options.model.name === 'scripted' ? 'Scripted' : 'Anthropic',
    priceOf: (model) => mostPerToken(model, definition.agent.spec.models.prices),
    facts: runtime.facts(),
    session: runtime.session(),
  });
  const isNew = await runtime.accept(originId, source, { type: 'StartRun', spec });
  return { runId, isNew };
}
