/**
 * The sandbox of an agent on a cluster. The operator makes a pod for each script, from a SandboxRun.
 * Implements `SandboxPort`.
 *
 * I1  Key pair and intent are on disk before the agent creates the SandboxRun. So `lookup` finds every run after a crash, and
 *     continues it.
 * I2  A key runs at most once. `mayHaveRun` is on disk before the request to run.
 * I3  The result is on disk before the agent ends the sandbox.
 * I4  The agent trusts nothing from a sandbox: every answer is bounded, and only `takeBack` brings files back.
 *
 * While the API server is away, runs with a sandbox continue. Runs without one wait; when the start takes too long, they are
 * refused and nothing has run.
 *
 * Each run works on a copy of the workspace, and its changes come back at its end. Meanwhile others may change the workspace (see
 * `WorkspaceTurn`); what they changed stays, and the result names it as a conflict.
 *
 * Source: design 7 (sandbox transport); reliability-security 3.
 */
import { mkdir, rm, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@retainer/contract/std/clock';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { FIELD_MANAGERS } from '@retainer/contract/api/names';
import { ApiError } from '@retainer/kube/api-error';
import type { KubeClient } from '@retainer/kube/kube-client';
import { resources } from '@retainer/kube/resources';
import type { SandboxPort, SandboxUnavailable } from '../../ports/ports.ts';
import type { SandboxLanguage, SandboxRequest, SandboxResult, WorkspaceTurn } from '../../ports/sandbox-run.ts';
import { ResultStore } from '../result-store.ts';
import { RunRooms } from '../run-room.ts';
import { SandboxRefusal } from '../sandbox-refusal.ts';
import { newKeyPair, SandboxRunIntents, type SandboxRunIntent } from './sandbox-run-intent.ts';
import { sandboxRunName, sandboxRunObject, type SandboxRunOwner } from './sandbox-run-object.ts';
import { SandboxRunServing } from './sandbox-run-serve.ts';
import type { SandboxRunWatch } from './sandbox-run-place.ts';
import { SandboxRunSession } from './sandbox-run-session.ts';

export interface SandboxRunSandboxOptions {
  readonly owner: SandboxRunOwner;
  readonly client: KubeClient;
  readonly watch: SandboxRunWatch;
  readonly clock: Clock;
  /** Undefined: the Agent may not run code. */
  readonly sandboxNamespace: string | undefined;
  /** Allowed by the Agent. */
  readonly languages: readonly SandboxLanguage[];
  /** Created if missing. Private to the agent, on the workspace's volume, never inside the workspace. */
  readonly directory: string;
  /** Removes secrets from stored output. */
  readonly redact?: (text: string) => string;
  /** From the request to the start of the code, with scheduling and image pull. Defaults to {@link START_TIMEOUT_MS}. */
  readonly startTimeoutMs?: number;
  /** Runs at the same time. Defaults to 1. */
  readonly besideMax?: number;
  /** Limit on concurrent servings. Absent or 0: the Agent may serve nothing. */
  readonly servedMax?: number;
}

/** A pod starts within seconds; pulling an image or adding a node takes longer. */
export const START_TIMEOUT_MS = 120_000;

/** Neither starts nor checks anything: call `probe` first. */
export function createSandboxRunSandbox(options: SandboxRunSandboxOptions): SandboxPort {
  return new SandboxRunSandbox(options);
}

const unavailable = {
  disabled: {
    reason: 'the Agent’s sandbox is disabled',
    fix: 'set spec.sandbox.enabled to true',
  },
  forbidden: {
    reason: 'the agent may not create SandboxRuns',
    fix: 'check the Agent’s Role and its condition Ready',
  },
} as const satisfies Readonly<Record<string, SandboxUnavailable>>;

class SandboxRunSandbox implements SandboxPort {
  readonly obeysManifest = true;
  readonly startTimeoutMs: number;
  readonly besideMax: number;
  readonly serving?: SandboxRunServing;
  readonly #options: SandboxRunSandboxOptions;
  readonly #results: ResultStore;
  readonly #intents: SandboxRunIntents;
  readonly #rooms = new RunRooms();
  readonly #running = new Map<string, Promise<SandboxResult | undefined>>();

  constructor(options: SandboxRunSandboxOptions) {
    this.#options = options;
    this.startTimeoutMs = options.startTimeoutMs ?? START_TIMEOUT_MS;
    this.besideMax = options.besideMax ?? 1;
    this.#results = new ResultStore(join(options.directory, 'results'), options.redact);
    this.#intents = new SandboxRunIntents(join(options.directory, 'intents'));
    const { servedMax = 0, redact, sandboxNamespace } = options;
    if (servedMax === 0 || sandboxNamespace === undefined) return;
    const { startTimeoutMs } = this;
    const stagingDirectory = this.#stagingDirectory();
    this.serving = new SandboxRunServing({
      ...{ ...options, servedMax, redact, startTimeoutMs, stagingDirectory },
      rooms: this.#rooms,
    });
  }

  /** Succeeds if the API server does not answer, because every run asks again. */
  async probe(): Promise<
    Result<{ readonly description: string; readonly languages: readonly SandboxLanguage[] }, SandboxUnavailable>
  > {
    const { sandboxNamespace, client, owner, languages, clock } = this.#options;
    if (sandboxNamespace === undefined) return err(unavailable.disabled);
    await this.#results.sweep(clock.nowMs());
    await this.#sweepStaging();
    void this.#sweepFinished();
    await this.serving?.takeUp();
    const request = { ...probeRequest, language: languages[0] ?? 'bash' };
    const object = sandboxRunObject(owner, request, {
      name: sandboxRunName(owner.name, probeRequest.idempotencyKey),
      publicKey: newKeyPair().publicKey,
    });
    const description = `SandboxRuns, in pods of namespace ${sandboxNamespace}`;
    try {
      await client.create(resources.sandboxRuns, object, {
        fieldManager: FIELD_MANAGERS.agentSandbox,
        isDryRun: true,
      });
    } catch (error) {
      if (error instanceof ApiError && error.status === 403) return err(unavailable.forbidden);
      if (error instanceof ApiError && error.status < 500 && error.status !== 429 && error.status !== 409)
        return err({ reason: `the API server refuses SandboxRuns: ${error.message}`, fix: 'install the CRDs again' });
    }
    return ok({ description, languages });
  }

  /** @throws SandboxRefusal  nothing ran, or an earlier attempt of the same key was lost */
  async run(request: SandboxRequest, signal: AbortSignal): Promise<SandboxResult> {
    const result = await this.#once(request.idempotencyKey, () => this.#runNew(request, signal));
    if (result === undefined) throw new SandboxRefusal('an earlier attempt of this run was lost; it is not repeated');
    return result;
  }

  /** Also resumes a run begun by this or an earlier process, and waits for its end. */
  async lookup(idempotencyKey: string, signal?: AbortSignal, turn?: WorkspaceTurn): Promise<SandboxResult | undefined> {
    return this.#once(idempotencyKey, async () => {
      const known = await this.#known(idempotencyKey);
      if (known !== undefined) return known;
      const intent = await this.#intents.read(idempotencyKey);
      return intent === undefined ? undefined : this.#resume(intent, signal, turn);
    });
  }

  async #once(key: string, begin: () => Promise<SandboxResult | undefined>): Promise<SandboxResult | undefined> {
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    const run = begin().finally(() => this.#running.delete(key));
    this.#running.set(key, run);
    return run;
  }

  async #runNew(request: SandboxRequest, signal: AbortSignal): Promise<SandboxResult | undefined> {
    const { idempotencyKey, workspaceDirectory, runId, added, limits } = request;
    const known = await this.#known(idempotencyKey);
    if (known !== undefined) return known;
    const begun = await this.#intents.read(idempotencyKey);
    if (begun !== undefined) return this.#resume(begun, signal, request.turn);
    if (this.#options.sandboxNamespace === undefined)
      throw new SandboxRefusal(`${unavailable.disabled.reason}: ${unavailable.disabled.fix}`);
    const intent: SandboxRunIntent = {
      idempotencyKey,
      name: sandboxRunName(this.#options.owner.name, idempotencyKey),
      ...newKeyPair(),
      workspaceDirectory,
      ...(runId === undefined ? {} : { runId }),
      ...(added === undefined ? {} : { added }),
      readOnlyPaths: [...request.readOnlyPaths],
      keptPaths: [...(request.keptPaths ?? [])],
      limits: { ...limits },
      mayHaveRun: false,
      sentPaths: [],
      epoch: 0,
      isFinished: false,
    };
    await this.#intents.write(intent);
    const session = await this.#session(intent);
    try {
      return await this.#keep(idempotencyKey, await session.runNew(request, signal));
    } finally {
      await session.clearAway();
    }
  }

  /** The kept result. An agent that was killed right after keeping it left the object and its key, so they go first. */
  async #known(idempotencyKey: string): Promise<SandboxResult | undefined> {
    const result = await this.#results.read(idempotencyKey);
    const left = result && (await this.#intents.read(idempotencyKey));
    if (left !== undefined) await (await this.#session(left)).clearAway();
    return result;
  }

  async #resume(
    intent: SandboxRunIntent,
    signal: AbortSignal | undefined,
    turn: WorkspaceTurn | undefined,
  ): Promise<SandboxResult | undefined> {
    const session = await this.#session(intent);
    try {
      const result = intent.isFinished ? undefined : await session.resume(signal, turn);
      return result === undefined ? undefined : await this.#keep(intent.idempotencyKey, result);
    } finally {
      await session.clearAway();
    }
  }

  async #keep(idempotencyKey: string, result: SandboxResult): Promise<SandboxResult> {
    await this.#results.write(idempotencyKey, result);
    return result;
  }

  async #session(intent: SandboxRunIntent): Promise<SandboxRunSession> {
    const { owner, client, watch, clock } = this.#options;
    const { startTimeoutMs } = this;
    const rooms = this.#rooms;
    const staging = this.#stagingDirectory();
    await mkdir(staging, { recursive: true, mode: 0o700 });
    return new SandboxRunSession(
      { ...{ owner, client, watch, clock, startTimeoutMs, rooms }, stagingDirectory: staging, intents: this.#intents },
      intent,
    );
  }

  #stagingDirectory(): string {
    return join(this.#options.directory, 'staging');
  }

  /** Removes archives that a killed agent left half unpacked. */
  async #sweepStaging(): Promise<void> {
    if (this.#running.size > 0) return;
    const staging = this.#stagingDirectory();
    for (const name of await readdir(staging).catch(() => []))
      await rm(join(staging, name), { recursive: true, force: true });
  }

  /** Deletes objects whose deletion failed, or was not reached, at the end of their run. */
  async #sweepFinished(): Promise<void> {
    for (const intent of await this.#intents.list().catch(() => [])) {
      if (this.#running.has(intent.idempotencyKey)) continue;
      if (intent.isFinished || (await this.#results.read(intent.idempotencyKey)) !== undefined)
        await (await this.#session(intent)).clearAway().catch(() => undefined);
    }
  }
}

const probeRequest: SandboxRequest = {
  idempotencyKey: 'probe',
  language: 'bash',
  script: 'true',
  stdin: '',
  workspaceDirectory: '/',
  readOnlyPaths: [],
  limits: { timeoutMs: 1000, memoryBytes: 0, processes: 1, outputBytes: 1024, fileBytes: 1024 },
};
