/**
 * Composition root of an agent without a cluster: journal, model, gate, tools, sandbox and runtime, on one data directory.
 *
 * DATA/journal   the record (only `journal/` writes there)
 * DATA/workspace the agent's files, `/workspace` in its sandbox
 * DATA/spool     commands that other programs leave
 * DATA/outbox    replies, one file per delivery
 * DATA/cache     what can be made again from the record
 * DATA/sandbox   finished code runs, by idempotency key
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { IMMUTABLE_TASK_FIELDS, type Task } from '@retainer/contract/api/task';
import { characterDigest } from '@retainer/contract/manifest/character-digest';
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import type { Clock } from '@retainer/contract/std/clock';
import { sha256Hex } from '@retainer/contract/std/hash';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { settingsOf } from './agent-settings.ts';
import { assembleRunSpec, type AgentDefinition } from './assemble/run-spec.ts';
import { OutboxDelivery } from './deliver/outbox-delivery.ts';
import { compileGate } from './gate/compile-gate.ts';
import { matchesName } from './gate/glob.ts';
import type { Gate } from './gate/verdict.ts';
import { costOf } from './infer/price.ts';
import { redactor, type SecretValue } from './infer/secrets.ts';
import { parseVerdicts } from './infer/verdicts.ts';
import { LockHeldError, openJournal } from './journal/open-journal.ts';
import type { Journal, JournalRecord } from './journal/journal.ts';
import { AgentRuntime } from './loop/agent-runtime.ts';
import type { DeliveryPort, ModelPort, SandboxPort } from './loop/ports.ts';
import { ProjectionCache } from './loop/projection-cache.ts';
import { agentStores } from './loop/stores.ts';
import { systemClock } from './loop/system-clock.ts';
import { createBubblewrapSandbox } from './sandbox/bubblewrap-sandbox.ts';
import { createExecutor } from './tools/execute.ts';
import { superviseUpkeep } from './supervise-upkeep.ts';
import { createRegistry, type ToolRegistry } from './tools/registry.ts';

export interface OpenAgentOptions {
  readonly definition: AgentDefinition;
  readonly dataDirectory: string;
  readonly model: ModelPort;
  /** Values that must never reach the record. */
  readonly secrets: readonly SecretValue[];
  /** Sees every record once it is durable. */
  readonly onRecord?: (record: JournalRecord) => void;
  /** The agent cannot go on: a bug, or a journal that takes no more. Called at most once. */
  readonly onFault: (error: unknown) => void;
  readonly onNotice?: (notice: string) => void;
  readonly clock?: Clock;
  readonly sandbox?: SandboxPort;
  readonly delivery?: DeliveryPort;
}

export interface OpenedAgent {
  readonly runtime: AgentRuntime;
  readonly journal: Journal;
  /** How code is isolated, or why it cannot run. */
  readonly sandbox: { readonly isIsolated: boolean; readonly description: string };
  /**
   * Takes a Task. The same Task (name and work) is taken once, whenever it comes again.
   *
   * @returns the run that works on it, and whether it is a new one
   */
  submitTask(task: Task, source: string): Promise<{ readonly runId: string; readonly isNew: boolean }>;
  /** Stops effects, syncs and closes the record. */
  close(): Promise<void>;
}

/**
 * @returns the agent at work, everything that was under way taken up; or why it cannot start, one sentence each
 * @throws LockHeldError  another process holds the data directory: it may be tried again later
 * @throws when its record cannot be read or takes nothing more; the data directory is free again then
 */
export async function openAgent(options: OpenAgentOptions): Promise<Result<OpenedAgent, readonly string[]>> {
  const { definition, dataDirectory } = options;
  const digest = characterDigest(definition.character.spec);
  const gate = compileGate(definition.character.spec, digest);
  if (!gate.ok) return gate;
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
    code: settings.sandbox,
    ...(settings.fetch === undefined ? {} : { fetch: settings.fetch }),
  });
  const onFault = faultHandler(options, journal, () => runtime);
  const runtime: AgentRuntime = makeRuntime({ options, journal, sandbox, registry, gate: gate.value, onFault });
  const stop = new AbortController();
  let upkeep = Promise.resolve();
  const close = async (): Promise<void> => {
    stop.abort();
    await upkeep;
    // A cache that cannot be written costs a slower start and nothing else.
    await runtime.saveCache().catch(() => undefined);
    await runtime.stop();
    await journal.close();
  };
  try {
    await mkdir(join(dataDirectory, 'workspace'), { recursive: true });
    await recordConfiguration(journal, options, { characterDigest: digest, languages });
    await runtime.start();
  } catch (error) {
    await close();
    throw error;
  }
  upkeep = superviseUpkeep({ ...options, clock: options.clock ?? systemClock, journal, runtime, onFault }, stop.signal);
  return ok({
    runtime,
    journal,
    sandbox: isolation.ok
      ? { isIsolated: true, description: isolation.value.description }
      : { isIsolated: false, description: `${isolation.error.reason} ${isolation.error.fix}` },
    submitTask: (task, source) => submitTask({ options, runtime, registry, characterDigest: digest }, task, source),
    close,
  });
}

/**
 * What becomes of a fault. A full volume is waited out: nothing acknowledged is lost, the work stops, and is taken up from the
 * record when there is space. Anything else ends the agent, and is told once.
 */
function faultHandler(
  options: OpenAgentOptions,
  journal: Journal,
  runtime: () => AgentRuntime,
): (error: unknown) => void {
  let isTold = false;
  return (error) => {
    if (journal.modeCause === 'DiskFull') {
      void runtime().stop();
      return;
    }
    if (isTold) return;
    isTold = true;
    options.onFault(error);
  };
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
      }),
    );
  } catch (error) {
    if (error instanceof LockHeldError) throw error;
    return err([error instanceof Error ? error.message : String(error)]);
  }
}

/** The same journal; whoever watches sees each record once it is durable, and cannot harm it. */
function observed(journal: Journal, { onRecord, onNotice }: OpenAgentOptions): Journal {
  if (onRecord === undefined) return journal;
  const tell = (record: JournalRecord): void => {
    try {
      onRecord(record);
    } catch (error) {
      // The record stands: an observer's bug must not look like a failed append.
      onNotice?.(`a record could not be shown: ${String(error)}`);
    }
  };
  const append: Journal['append'] = async (records) => {
    const appended = await journal.append(records);
    for (const record of appended) tell(record);
    return appended;
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
  readonly onFault: (error: unknown) => void;
}

function makeRuntime({ options, journal, sandbox, registry, gate, onFault }: Made): AgentRuntime {
  const { dataDirectory, model, secrets } = options;
  const settings = settingsOf(options.definition.agent);
  const clock = options.clock ?? systemClock;
  const workspaceDirectory = join(dataDirectory, 'workspace');
  const runtime = new AgentRuntime({
    journal,
    model,
    clock,
    config: { gate, catalog: registry },
    delivery: options.delivery ?? new OutboxDelivery(join(dataDirectory, 'outbox')),
    redact: redactor(secrets),
    costUsd: (modelId, usage) => costOf(usage, modelId, settings.prices),
    parseStructured: parseVerdicts,
    cache: new ProjectionCache(join(dataDirectory, 'cache')),
    makeExecutor: (memory) =>
      createExecutor({
        registry,
        gate,
        clock,
        workspaceDirectory,
        sandbox,
        ...memory,
        outputCharacters: settings.toolOutputCharacters,
        toolTimeoutMs: settings.toolTimeoutMs,
      }),
    onFault,
    ...(options.onNotice === undefined ? {} : { onNotice: options.onNotice }),
  });
  journal.onDegraded((reason) => options.onNotice?.(`the record takes nothing more: ${reason}`));
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
  // What may change while a Task runs does not make it another Task.
  const work = canonicalJson(Object.fromEntries(IMMUTABLE_TASK_FIELDS.map((field) => [field, task.spec[field]])));
  const originId = `task:${task.metadata.namespace}/${task.metadata.name}:${task.metadata.uid ?? sha256Hex(work)}`;
  const runId = runIdOf(task.metadata.name, originId);
  const { allow, deny } = definition.agent.spec.tools;
  const isAllowed = (name: string): boolean =>
    allow.some((it) => matchesName(it, name)) && !deny.some((it) => matchesName(it, name));
  const { deadline } = task.spec.constraints;
  const spec = assembleRunSpec(definition, task, {
    runId,
    characterDigest,
    toolNames: registry.names.filter(isAllowed),
    deadlineMs: deadline === undefined ? undefined : Date.parse(deadline),
    facts: runtime.facts(),
  });
  const isNew = await runtime.accept(originId, source, { type: 'StartRun', spec });
  return { runId, isNew };
}

/** Of the origin's hash: a trillion to one that two pieces of work of one name meet. */
const runIdDigits = 10;

/** Readable, and the same for the same origin. */
function runIdOf(taskName: string, originId: string): string {
  return `${taskName.slice(0, 40)}-${sha256Hex(originId).slice(0, runIdDigits)}`;
}
