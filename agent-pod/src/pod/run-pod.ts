/**
 * Runs one agent in its pod until SIGTERM: mounted documents, Lease, journal, Tasks.
 *
 * I1  No effect without the Lease: the pod acquires it before it opens the journal, and pauses the work while it is not held.
 * I2  While the API server is unreachable, the pod waits at the start and works on later, until its Lease expires.
 * I3  If another pod takes the Lease, the process ends and writes nothing more.
 */
import { join } from 'node:path';
import { proxySecrets } from '@retainer/contract/std/proxies';
import type { ConditionReason } from '@retainer/contract/api/conditions';
import type { Clock } from '@retainer/contract/std/clock';
import type { Log } from '@retainer/contract/std/log';
import { AGENT_EXIT_CODES } from '@retainer/contract/wire/agent-exit';
import { TAP_SOCKET } from '@retainer/contract/wire/bus/tap';
import { connect } from '@retainer/kube/connect';
import { untilAborted } from '@retainer/kube/deadline';
import { EventRecorder } from '@retainer/kube/events';
import { HttpsClient } from '@retainer/kube/https-client';
import type { AgentDefinition } from '@retainer/mind/run/admit/run-spec';
import { BootError } from '../boot/boot-error.ts';
import { readBoot } from '../boot/read-boot.ts';
import { modelFault, readModelSettings } from '../boot/read-model-settings.ts';
import { mountedSecrets, readSecret } from '../boot/read-secrets.ts';
import { mountedSeeds } from '../boot/mounted-seeds.ts';
import type { Publisher } from '../bus/bus.ts';
import type { RedisAddress } from '../bus/redis-address.ts';
import type { PodConfig } from '../config.ts';
import type { DeliveredNotice } from '../deliver/notice-delivery.ts';
import type { TaskStatusDelivery } from '../deliver/task-status.ts';
import { compileGate } from '@retainer/mind/gate/compile-gate';
import { openModel, patienceOf } from '../infer/open-model.ts';
import type { SecretValue } from '../infer/secrets.ts';
import type { JournalRecord } from '@retainer/journal/journal';
import { LockHeldError } from '@retainer/journal/open-journal';
import { Reachability } from '../lease/reachability.ts';
import type { ModelPort } from '../ports/ports.ts';
import { supervise } from '../loop/supervisor.ts';
import { openAgent, type OpenedAgent } from '../open-agent.ts';
import { openSharedBus, openWatchedBus } from '../bus/open-bus.ts';
import { backupNote, podBackup } from './pod-backup.ts';
import { podJobs } from './pod-jobs.ts';
import { mailEvent, podMail, podMailServers } from './pod-mail.ts';
import { podLease, type PodLease } from './pod-lease.ts';
import { errorKind } from '../loop/error-place.ts';
import { noticeEvent, waitEvent } from './pod-notices.ts';
import { podRedis } from './pod-redis.ts';
import { podSandbox, type PodSandbox } from './pod-sandbox.ts';
import { servePod, type PodServers, type PodState } from './pod-servers.ts';
import { openTasks, taskDelivery, type TaskParts } from './pod-tasks.ts';
import { seedWorkspace, type SeedFile } from '../boot/seed-workspace.ts';
import { knownTools } from '../parts/catalog.ts';
import { untilParked } from './until-parked.ts';

/** Ends the process with an exit code. */
export class PodEnd extends Error {
  override readonly name = 'PodEnd';
  readonly code: number;
  readonly reason: ConditionReason<'Agent'> | undefined;

  constructor(code: number, message: string, reason?: ConditionReason<'Agent'>) {
    super(message);
    this.code = code;
    this.reason = reason;
  }
}

export interface PodProcess {
  readonly clock: Clock;
  readonly log: Log;
  /** SIGTERM. */
  readonly signal: AbortSignal;
}

/** Part of the grace period for closing the journal and releasing the Lease. */
const CLOSING_MS = 5_000;

/** An API server that is away must not keep the agent from its work. */
const NAMING_MS = 2_000;

const LEASE_LOST = 'LeaseLost';
const FAULT = 'Fault';

/** Resolves after SIGTERM, when everything is closed. @throws BootError, PodEnd */
export async function runPod(config: PodConfig, program: PodProcess): Promise<void> {
  const state: PodState = {
    waitingFor: 'mounted documents read',
    isDraining: false,
    agent: undefined,
    jobs: undefined,
    mail: undefined,
    isLeaseHeld: () => false,
    isApiServerReachable: () => false,
    serving: undefined,
    waitingTasks: () => 0,
  };
  const servers = await servePod(config, state, program.clock);
  program.log({ level: 'info', message: 'the agent starts', ports: servers.ports });
  try {
    await new Pod(config, program, state, servers).run();
  } finally {
    await servers.close();
  }
}

interface Mounted {
  readonly definition: AgentDefinition;
  readonly model: ModelPort;
  readonly secrets: readonly SecretValue[];
  /** Of the server that turns texts into vectors. */
  readonly embeddingKey: string | undefined;
  readonly seeds: readonly SeedFile[];
  /** Undefined if the bus stays inside this process. */
  readonly redis: RedisAddress | undefined;
}

interface Opened {
  readonly agent: OpenedAgent;
  readonly delivery: TaskStatusDelivery;
}

class Pod {
  readonly #config: PodConfig;
  readonly #program: PodProcess;
  readonly #state: PodState;
  readonly #servers: PodServers;
  readonly #reachability: Reachability;
  /** Aborted with the error that ends the process. */
  readonly #failed = new AbortController();
  /** Emits `record` for each durable record. */
  readonly #recorded = new EventTarget();

  constructor(config: PodConfig, program: PodProcess, state: PodState, servers: PodServers) {
    this.#config = config;
    this.#program = program;
    this.#state = state;
    this.#servers = servers;
    this.#reachability = new Reachability((isReachable) =>
      program.log(
        isReachable
          ? { level: 'info', message: 'the API server answers' }
          : { level: 'warn', message: 'the API server does not answer: work continues until the Lease expires' },
      ),
    );
  }

  async run(): Promise<void> {
    const mounted = await this.#readMounts();
    const client = await this.#connect();
    this.#state.isApiServerReachable = () => this.#reachability.isReachable;
    const ending = new AbortController();
    const held = new AbortController();
    const lease = this.#lease(client, held);
    this.#state.isLeaseHeld = () => lease.isHeld;
    this.#state.waitingFor = 'no Lease yet: the API server does not answer, or another pod holds the Lease';
    const holding = lease.run(ending.signal);
    try {
      await this.#untilAborted(held.signal);
      if (!this.#program.signal.aborted) await this.#work(mounted, client, lease);
    } finally {
      ending.abort();
      await holding;
      client.close();
    }
  }

  async #readMounts(): Promise<Mounted> {
    const { mounts, digests, dataDirectory } = this.#config;
    const { clock, log } = this.#program;
    const definition = await readBoot({ bootDirectory: mounts.boot, skillsDirectory: mounts.skills, digests });
    const { spec } = definition.agent;
    const gate = compileGate(definition.character.spec, digests.character, knownTools, spec.gates);
    if (!gate.ok) throw new BootError('CharacterInvalid', gate.error.join('; '));
    const settings = await readModelSettings(definition.agent.spec, mounts);
    const surroundings = { clock, random: Math.random, proxies: this.#config.proxies };
    const model = await openModel({ ...settings, ...patienceOf(spec.models) }, surroundings);
    if (!model.ok) throw modelFault(settings, model.error);
    const seeds = await mountedSeeds(mounts.workspaceSeeds, spec.workspace.seeds);
    const { copied, refused } = await seedWorkspace(join(dataDirectory, 'workspace'), seeds);
    if (copied.length > 0) log({ level: 'info', message: 'files were created in the workspace', files: copied.length });
    if (refused.length > 0)
      log({ level: 'warn', message: 'files of seeds would lie outside the workspace', files: refused.length });
    const apiKey = settings.provider === 'Anthropic' ? [{ name: 'api-key', value: settings.apiKey }] : [];
    const redis = await podRedis(spec, mounts.bus);
    const secrets = [...apiKey, ...(redis?.secrets ?? []), ...(await mountedSecrets(mounts.secrets))];
    const { apiKeySecretRef: ref } = spec.memory.embedding;
    const embeddingKey =
      ref === undefined ? undefined : await readSecret(mounts.secrets, ref, 'spec.memory.embedding.apiKeySecretRef');
    return { definition, model: model.value, secrets, embeddingKey, seeds, redis: redis?.address };
  }

  async #connect(): Promise<HttpsClient> {
    const { service, kubeconfig, agent } = this.#config;
    if (service === undefined && kubeconfig === undefined) {
      const message = 'neither KUBERNETES_SERVICE_HOST nor KUBECONFIG is set: set one of them';
      throw new BootError('ReconcileFailed', message);
    }
    const paths = kubeconfig === undefined ? [] : [kubeconfig];
    return new HttpsClient({
      connection: await connect({ service, kubeconfig: { paths } }),
      clock: this.#program.clock,
      userAgent: `retainer-agent (${agent.namespace}/${agent.name})`,
      // Draining aborts requests, which says nothing about the API server.
      onAnswer: ({ code }) => (this.#state.isDraining ? undefined : this.#reachability.answered(code)),
    });
  }

  #lease(client: HttpsClient, held: AbortController): PodLease {
    return podLease({
      config: this.#config,
      client,
      clock: this.#program.clock,
      log: this.#program.log,
      onHeld: () => {
        held.abort();
        // While draining, a regained Lease must not start the work again.
        if (!this.#state.isDraining) this.#state.agent?.pause.end(LEASE_LOST);
      },
      onLost: (loss) => {
        this.#state.agent?.pause.begin(LEASE_LOST);
        if (loss.type === 'TakenOver')
          this.#fail(new PodEnd(AGENT_EXIT_CODES.anotherWriter, 'another pod holds the Lease of this agent'));
      },
      backup: () => {
        const figures = this.#state.agent?.backup();
        return figures === undefined ? undefined : backupNote(figures);
      },
      jobs: () => this.#state.jobs?.note(),
      mail: () => this.#state.mail?.note(),
    });
  }

  async #work(mounted: Mounted, client: HttpsClient, lease: PodLease): Promise<void> {
    const { clock, log } = this.#program;
    const { digests, pod } = this.#config;
    const controller = 'retainer.dev/agent';
    const events = new EventRecorder({
      ...{ client, clock, random: Math.random, controller, instance: pod.name },
      untilReachable: (signal) => this.#reachability.untilReachable(signal),
    });
    const parts: TaskParts = {
      config: this.#config,
      client,
      clock,
      reachability: this.#reachability,
      events,
      characterDigest: digests.character,
      onNotice: (notice) => log({ level: 'warn', message: 'notice', notice }),
    };
    const sandbox = podSandbox({ ...parts, definition: mounted.definition, secrets: mounted.secrets });
    const closing = new AbortController();
    const beside = [sandbox.run(closing.signal), events.run(closing.signal)].map((work) => this.#guarded(work));
    const opened = await this.#open(mounted, parts, { epoch: lease.epoch, sandbox });
    const { agent } = opened;
    // Before it is ready: the operator looks then, and nothing else makes it look.
    const naming = lease.name(agent.individual, closing.signal);
    await Promise.race([naming, clock.sleep(NAMING_MS)]);
    this.#state.agent = agent;
    this.#state.jobs = podJobs(agent.runtime, mounted.definition.agent.spec, clock);
    this.#state.mail = podMail({
      health: () => agent.mailHealth(),
      known: () => agent.runtime.parts.known().mail,
      begun: () => agent.runtime.known.runs.ids,
    });
    this.#state.serving = sandbox.sandbox.serving;
    if (!lease.isHeld) agent.pause.begin(LEASE_LOST);
    const { isIsolated } = agent.sandbox;
    log({
      level: 'info',
      message: 'the agent is at work',
      individual: agent.individual,
      epoch: lease.epoch,
      codeRuns: isIsolated,
    });
    await this.#takeTasks(parts, opened);
    log({ level: 'info', message: 'the agent drains' });
    const timeoutMs = this.#config.graceMs - CLOSING_MS;
    await untilParked({ agent, recorded: this.#recorded, clock, timeoutMs });
    await agent.close();
    closing.abort();
    await Promise.all([...beside, naming]);
  }

  /** Resolves after SIGTERM, when no more Tasks are taken. */
  async #takeTasks(parts: TaskParts, { agent, delivery }: Opened): Promise<void> {
    const { clock, log } = this.#program;
    const tasks = openTasks(parts, agent, delivery);
    this.#state.waitingTasks = () => tasks.watch.waiting;
    const wake = (): void => tasks.watch.wake();
    this.#recorded.addEventListener('record', wake);
    const intake = new AbortController();
    const taking = supervise(tasks.watch.component(), clock, intake.signal, {
      onRestart: (name, error) => log({ level: 'warn', message: 'a part restarts', part: name, why: errorKind(error) }),
      onGivenUp: (_name, error) => this.#fail(error),
    });
    const beside = [tasks.run(intake.signal), taking].map((work) => this.#guarded(work));
    try {
      await this.#untilAborted(this.#program.signal);
    } finally {
      this.#state.isDraining = true;
      intake.abort();
      this.#recorded.removeEventListener('record', wake);
    }
    await Promise.all(beside);
  }

  async #open(
    { definition, model, secrets, embeddingKey, seeds, redis }: Mounted,
    parts: TaskParts,
    { epoch, sandbox }: { readonly epoch: number; readonly sandbox: PodSandbox },
  ): Promise<Opened> {
    const { metrics } = this.#servers;
    let delivery: TaskStatusDelivery | undefined;
    const mailServers = podMailServers(this.#config, definition.agent.spec, this.#program.clock);
    const opening = openAgent({
      definition,
      model,
      secrets: [...secrets, ...proxySecrets(this.#config.proxies)],
      proxies: this.#config.proxies,
      ...(embeddingKey === undefined ? {} : { embeddingKey }),
      backup: podBackup(this.#config, definition.agent.spec.memory),
      seeds,
      epoch,
      environment: 'cluster',
      spoolWriters: 'PodsExec',
      dataDirectory: this.#config.dataDirectory,
      clock: this.#program.clock,
      sandbox: sandbox.sandbox,
      ...(mailServers === undefined ? {} : { mailServers }),
      delivery: (agent) => (delivery = taskDelivery(parts, agent)),
      bus: () => this.#openBus(redis, parts.onNotice),
      onRecord: (record) => {
        metrics.count(record);
        this.#tellRecord(record, parts.events);
        this.#recorded.dispatchEvent(new Event('record'));
      },
      onAppend: (durationMs, isOk) => metrics.appended(durationMs / 1000, isOk),
      onFault: (error) => this.#fail(error),
      onNotice: parts.onNotice,
      onNoticeDelivered: (notice) => this.#tell(notice, parts.events),
    });
    const opened = await opening.catch((error: unknown) => {
      throw error instanceof LockHeldError
        ? new PodEnd(AGENT_EXIT_CODES.anotherWriter, 'another process holds the volume of this agent')
        : error;
    });
    if (!opened.ok) throw new PodEnd(AGENT_EXIT_CODES.bug, opened.error.join('; '), 'JournalCorrupt');
    if (delivery === undefined) throw new Error('openAgent makes its delivery before it resolves');
    return { agent: opened.value, delivery };
  }

  #tell(notice: DeliveredNotice, events: TaskParts['events']): void {
    const { deliveryId, outcome, target } = notice;
    this.#program.log({ level: 'info', message: 'a notice for a person is in the outbox', deliveryId, outcome });
    const job = this.#state.agent?.runtime.parts.known().jobs.byId.get(target);
    events.record(noticeEvent(this.#config.agent, notice, job));
  }

  #tellRecord(record: JournalRecord, events: TaskParts['events']): void {
    const { agent } = this.#state;
    const wait = agent === undefined ? undefined : waitEvent(this.#config.agent, record, agent.runtime);
    const told = wait ?? mailEvent(this.#config.agent, record);
    if (told !== undefined) events.record(told);
  }

  #openBus(redis: RedisAddress | undefined, onNotice: (notice: string) => void): Promise<Publisher> {
    const { agent, pod, dataDirectory } = this.#config;
    const { clock } = this.#program;
    if (redis === undefined) return openWatchedBus({ socketPath: join(dataDirectory, TAP_SOCKET), clock, onNotice });
    const name = `${agent.namespace}/${agent.name}`;
    return openSharedBus({ address: redis, agent: name, consumer: pod.name, clock, onNotice });
  }

  /** Resolves also on SIGTERM. @throws the error that ends the process */
  async #untilAborted(signal: AbortSignal): Promise<void> {
    await Promise.race([untilAborted(signal), untilAborted(this.#program.signal), untilAborted(this.#failed.signal)]);
    this.#failed.signal.throwIfAborted();
  }

  #guarded(work: Promise<void>): Promise<void> {
    return work.catch((error: unknown) => this.#fail(error));
  }

  /** Stops all effects and ends the process. The journal has the unfinished work. */
  #fail(error: unknown): void {
    this.#state.agent?.pause.begin(FAULT);
    this.#failed.abort(error);
  }
}
