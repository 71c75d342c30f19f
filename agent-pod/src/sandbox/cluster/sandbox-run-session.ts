/** One run in a sandbox pod, from its SandboxRun to its result; new, or resumed after a crash. */
import { backoffMs, type BackoffPolicy } from '@retainer/contract/std/backoff';
import { FIELD_MANAGERS } from '@retainer/contract/api/names';
import { RUNNER_JSON_BYTES_MAX } from '@retainer/contract/wire/runner';
import { ApiError, ConnectionError } from '@retainer/kube/api-error';
import type { KubeObject } from '@retainer/kube/kube-object';
import { resources } from '@retainer/kube/resources';
import type { SandboxResult, WorkspaceTurn } from '../../ports/sandbox-run.ts';
import type { RunRooms } from '../run-room.ts';
import { SandboxRefusal } from '../sandbox-refusal.ts';
import { workspaceArchive, type WorkspaceArchive } from './sandbox-run-archive.ts';
import { RunnerRefusal, RunnerUnreachable, SandboxRunClient } from './sandbox-run-client.ts';
import type { SandboxRunIntent, SandboxRunIntents } from './sandbox-run-intent.ts';
import { sandboxRunObject, type PodRequest, type Reachable } from './sandbox-run-object.ts';
import { SandboxRunOutput } from './sandbox-run-output.ts';
import { cancelled, endOf, lost } from './sandbox-run-end.ts';
import { SandboxRunPlace, type SandboxRunPlaceParts } from './sandbox-run-place.ts';
import { runRequestOf } from './sandbox-run-request.ts';
import { takeBack, type Decided } from './sandbox-run-take-back.ts';

export interface SandboxRunSessionParts extends SandboxRunPlaceParts {
  readonly startTimeoutMs: number;
  readonly stagingDirectory: string;
  readonly intents: SandboxRunIntents;
  readonly rooms: RunRooms;
  /** The runner confirmed the start, by this process or an earlier one. @param startedAtMs  milliseconds since 1970 */
  readonly onStarted?: (client: SandboxRunClient, startedAtMs: number) => void;
}

const retries: BackoffPolicy = { initialMs: 100, factor: 2, ceilingMs: 5000, jitterRatio: 0.3 };
/** After the code's deadline, for its last output and its files. */
const RESULT_GRACE_MS = 60_000;
const CLEAR_TIMEOUT_MS = 5000;
/** For the operator to see that a released runner has ended, and to delete its SandboxRun: ten times what that takes. */
const RELEASE_MS = 30_000;
/** A file may change while it is sent. */
const SEND_ATTEMPTS = 3;

const keptWorkspace: WorkspaceTurn = { leave: (step) => step(), leaveInOrder: (step) => step() };

type LostEnd = Parameters<SandboxRunOutput['result']>[0];

interface ReachedRunner {
  readonly client: SandboxRunClient;
  readonly proxyUrl: string | undefined;
}

export class SandboxRunSession {
  readonly #parts: SandboxRunSessionParts;
  #intent: SandboxRunIntent;
  #client: SandboxRunClient | undefined;
  readonly #place: SandboxRunPlace;
  #turn: WorkspaceTurn = keptWorkspace;

  constructor(parts: SandboxRunSessionParts, intent: SandboxRunIntent) {
    this.#parts = parts;
    this.#intent = intent;
    this.#place = new SandboxRunPlace(parts, intent.name);
  }

  /** @throws SandboxRefusal  nothing ran, unless the message says that this is unknown */
  async runNew(request: PodRequest, signal: AbortSignal): Promise<SandboxResult> {
    this.#turn = request.turn ?? keptWorkspace;
    const { clock, startTimeoutMs } = this.#parts;
    const timeout = new AbortController();
    const start = AbortSignal.any([signal, timeout.signal]);
    void clock.sleep(startTimeoutMs, start).then(
      () => timeout.abort(new Error('start')),
      () => undefined,
    );
    let hasStarted = false;
    let why = 'the API server does not answer';
    const note = (text: string): void => {
      why = text;
    };
    try {
      const client = await this.#begin(request, start, note);
      hasStarted = true;
      timeout.abort(new Error('started'));
      return await this.#follow(client, signal);
    } catch (error) {
      if (signal.aborted) return cancelled;
      if (hasStarted || error instanceof SandboxRefusal || !timeout.signal.aborted) throw error;
      throw new SandboxRefusal(`code cannot be started now: after ${startTimeoutMs} ms ${why}`, { cause: error });
    } finally {
      timeout.abort(new Error('over'));
    }
  }

  /** Undefined if nothing ran, or its result is lost. */
  async resume(stop?: AbortSignal, turn = keptWorkspace): Promise<SandboxResult | undefined> {
    if (!this.#intent.mayHaveRun) return undefined;
    this.#turn = turn;
    const never = new AbortController();
    const timeoutMs = this.#intent.limits.timeoutMs + RESULT_GRACE_MS;
    const timer = new AbortController();
    const signal = stop === undefined ? never.signal : AbortSignal.any([never.signal, stop]);
    void this.#parts.clock.sleep(timeoutMs, timer.signal).then(
      () => never.abort(new Error('time')),
      () => undefined,
    );
    try {
      const found = await turn.leave(() => this.#place.untilReachable(signal, () => undefined));
      if (found.type === 'Over') return undefined;
      return await this.#follow(await this.#connect(found), signal);
    } catch (error) {
      // The runner started nothing, or the time is over.
      if (error instanceof SandboxRefusal || signal.aborted) return undefined;
      throw error;
    } finally {
      timer.abort(new Error('over'));
    }
  }

  /**
   * Ends the sandbox. A runner that agrees tells the operator so, which deletes the object: one write, where an end and a deletion
   * would be two. Otherwise the agent deletes it at once.
   */
  async clearAway(): Promise<void> {
    const signal = AbortSignal.timeout(CLEAR_TIMEOUT_MS);
    const isReleased = await this.#stopRunner(signal);
    if (!isReleased || !this.#intent.mayHaveRun) return this.#delete(signal);
    void this.#deleteLater();
  }

  async #stopRunner(signal: AbortSignal): Promise<boolean> {
    try {
      await this.#client?.stop(signal);
      return this.#client !== undefined;
    } catch {
      return false;
    }
  }

  /** An agent that dies meanwhile leaves the intent, and its next start sweeps; so it does with what fails here. */
  async #deleteLater(): Promise<void> {
    await this.#place.untilGone(RELEASE_MS);
    await this.#delete(AbortSignal.timeout(CLEAR_TIMEOUT_MS)).catch(() => undefined);
  }

  /** Deletes the object, if it is there. If that fails, marks the intent as finished for a later sweep. */
  async #delete(signal: AbortSignal): Promise<void> {
    const { client, owner, intents } = this.#parts;
    const { idempotencyKey, name, publicKey } = this.#intent;
    const key = { namespace: owner.namespace, name };
    try {
      const object = await client.get(resources.sandboxRuns, key, { signal });
      const { uid } = object?.metadata ?? {};
      if (uid !== undefined && isOurs(object, publicKey))
        await client.delete(resources.sandboxRuns, key, { uid }, { signal });
      await intents.remove(idempotencyKey);
    } catch (error) {
      if (!(error instanceof ApiError || error instanceof ConnectionError)) throw error;
      await this.#save({ isFinished: true });
    }
  }

  /** Others use the workspace meanwhile: a pod may take minutes to start. */
  async #reach(request: PodRequest, signal: AbortSignal, note: (why: string) => void): Promise<ReachedRunner> {
    if (Buffer.byteLength(JSON.stringify(runRequestOf(request))) > RUNNER_JSON_BYTES_MAX)
      throw new SandboxRefusal(`script and input are more than ${RUNNER_JSON_BYTES_MAX} bytes: write them to files`);
    const object = sandboxRunObject(this.#parts.owner, request, this.#intent);
    await this.#persist(signal, () => this.#create(object, signal));
    note('no operator has answered');
    const found = await this.#place.untilReachable(signal, note);
    if (found.type === 'Over') throw new SandboxRefusal(`the sandbox was refused (${found.reason}): ${found.message}`);
    note('its sandbox does not answer');
    const client = await this.#connect(found);
    await this.#claim(client, found, signal);
    return { client, proxyUrl: found.proxyUrl };
  }

  async #begin(request: PodRequest, signal: AbortSignal, note: (why: string) => void): Promise<SandboxRunClient> {
    const { client, proxyUrl } = await this.#turn.leave(() => this.#reach(request, signal, note));
    await this.#send(client, request, signal);
    await this.#save({ mayHaveRun: true, startedAtMs: this.#parts.clock.nowMs() });
    note('its sandbox does not answer, and whether the code began is not known');
    const withProxy = { ...runRequestOf(request), ...(proxyUrl === undefined ? {} : { proxyUrl }) };
    await this.#persist(signal, () => client.run(withProxy, signal));
    return client;
  }

  async #create(object: KubeObject, signal: AbortSignal): Promise<void> {
    const { client, owner } = this.#parts;
    try {
      await client.create(resources.sandboxRuns, object, { signal, fieldManager: FIELD_MANAGERS.agentSandbox });
    } catch (error) {
      if (!(error instanceof ApiError) || isPassing(error)) throw error;
      if (error.reason !== 'AlreadyExists')
        throw new SandboxRefusal(`the API server refuses SandboxRun ${object.metadata.name}: ${error.message}`);
      // It may be ours, from an attempt whose answer was lost.
      const { namespace } = owner;
      const existing = await client.get(resources.sandboxRuns, { namespace, name: object.metadata.name }, { signal });
      if (!isOurs(existing, this.#intent.publicKey))
        throw new SandboxRefusal(`SandboxRun ${object.metadata.name} exists and has another key: delete it`);
    }
  }

  async #connect({ host, port, podUid }: Reachable): Promise<SandboxRunClient> {
    await this.#save({ epoch: this.#intent.epoch + 1 });
    const { privateKey, epoch } = this.#intent;
    this.#client = new SandboxRunClient({ host, port, podUid, privateKey, epoch });
    return this.#client;
  }

  async #claim(client: SandboxRunClient, { claim, podUid }: Reachable, signal: AbortSignal): Promise<void> {
    if (claim === undefined) return;
    await this.#persist(signal, () => client.claim({ podUid, publicKey: this.#intent.publicKey, ...claim }, signal));
  }

  async #send(client: SandboxRunClient, request: PodRequest, signal: AbortSignal): Promise<void> {
    let carriesLinks = true;
    for (let attempt = 1; ; attempt += 1) {
      const seen = { ...request, ...(await request.lookAgain?.()) };
      const archive = await workspaceArchive(seen, carriesLinks);
      await this.#save(sentOf(archive, seen));
      const refusal = await this.#sendOnce(client, archive, signal);
      if (refusal === undefined) return;
      // A runner that is older than links.
      if (refusal === 'ArchiveMalformed') carriesLinks = false;
      if (attempt === SEND_ATTEMPTS)
        throw new SandboxRefusal('files of the workspace keep changing while they are sent: try again');
    }
  }

  /** Undefined: it was taken. Else why another attempt may be. */
  async #sendOnce(
    client: SandboxRunClient,
    archive: WorkspaceArchive,
    signal: AbortSignal,
  ): Promise<'DigestMismatch' | 'ArchiveMalformed' | undefined> {
    try {
      await this.#persist(signal, () => client.sendFiles(archive, signal));
      return undefined;
    } catch (error) {
      if (!(error instanceof SandboxRefusal)) throw error;
      if (hasReason(error.cause, 'DigestMismatch')) return 'DigestMismatch';
      if (archive.hasLinks && hasReason(error.cause, 'ArchiveMalformed')) return 'ArchiveMalformed';
      throw error;
    }
  }

  /** Reads events until the result, over any number of connections. */
  async #follow(client: SandboxRunClient, signal: AbortSignal): Promise<SandboxResult> {
    const over = new AbortController();
    const late = new AbortController();
    void this.#parts.clock.sleep(this.#intent.limits.timeoutMs + RESULT_GRACE_MS, over.signal).then(
      () => late.abort(new Error('late')),
      () => undefined,
    );
    try {
      return await this.#followUntil(client, signal, late.signal);
    } finally {
      over.abort(new Error('over'));
    }
  }

  /** @param late  aborts when the sandbox's time is over */
  async #followUntil(client: SandboxRunClient, signal: AbortSignal, late: AbortSignal): Promise<SandboxResult> {
    const output = new SandboxRunOutput(this.#intent.limits.outputBytes);
    const lostEnd = await this.#turn.leaveInOrder(() => this.#readAll(client, output, { signal, late }));
    if (lostEnd !== undefined) return output.result(lostEnd);
    const isServed = this.#intent.ports !== undefined;
    const taken = isServed ? {} : await this.#takeBack(client, signal, AbortSignal.any([signal, late]));
    return output.result({ end: 'Exited', exitCode: 0, durationMs: 0, ...taken });
  }

  /** Reads until the code has ended. @returns  how it ended, if its sandbox can no longer be asked */
  async #readAll(
    client: SandboxRunClient,
    output: SandboxRunOutput,
    { signal, late }: { readonly signal: AbortSignal; readonly late: AbortSignal },
  ): Promise<LostEnd | undefined> {
    const { clock } = this.#parts;
    const startedMs = clock.monotonicMs();
    const either = AbortSignal.any([signal, late]);
    for (let failures = 0; output.ended === undefined;) {
      const before = output.next;
      const isLost = await this.#read(client, output, either);
      if (output.ended !== undefined || !isLost) continue;
      if (signal.aborted) return cancelled;
      failures = output.next > before ? 0 : failures + 1;
      const durationMs = Math.round(clock.monotonicMs() - startedMs);
      const over = await this.#place.askWhetherOver(signal);
      if (over !== undefined) return endOf(over, durationMs);
      if (late.aborted) return { ...lost, durationMs };
      await clock.sleep(backoffMs(retries, failures, Math.random()), either).catch(() => undefined);
    }
    return undefined;
  }

  /** True if the connection may have ended before the run. @throws SandboxRefusal  nothing runs there */
  async #read(client: SandboxRunClient, output: SandboxRunOutput, signal: AbortSignal): Promise<boolean> {
    const { clock, onStarted } = this.#parts;
    try {
      for await (const event of client.output(output.next, signal)) {
        if (output.next === 0) onStarted?.(client, this.#intent.startedAtMs ?? clock.nowMs());
        output.add(event);
      }
      return true;
    } catch (error) {
      if (error instanceof RunnerRefusal && error.reason === 'NotRunning')
        throw new SandboxRefusal('nothing runs in the sandbox', { cause: error });
      if (error instanceof RunnerUnreachable || error instanceof RunnerRefusal) return true;
      throw error;
    }
  }

  /** What came back, or why nothing did. */
  async #takeBack(
    client: SandboxRunClient,
    signal: AbortSignal,
    either: AbortSignal,
  ): Promise<Pick<SandboxResult, 'changes' | 'reason'>> {
    const { clock, stagingDirectory, rooms } = this.#parts;
    const { runId, added, workspaceDirectory, readOnlyPaths, keptPaths = [], hiddenPaths = [] } = this.#intent;
    const { sentPaths, sentMarks } = this.#intent;
    const protectedPaths = [...readOnlyPaths, ...keptPaths, ...hiddenPaths];
    const sent = { workspaceDirectory, protectedPaths, sentPaths, sentMarks };
    const onDecided = ({ added: adds, leftOut }: Decided): Promise<void> =>
      this.#save({ decided: { added: { ...adds, scratch: [...adds.scratch] }, leftOut: [...leftOut] } });
    const room = rooms.of(runId, added);
    for (let failures = 0; ; failures += 1) {
      try {
        const plan = { ...sent, stagingDirectory, room, decided: this.#intent.decided, onDecided };
        const taken = await takeBack(await client.files(either), plan);
        return taken.ok ? { changes: taken.value } : { reason: `its files did not come back: ${taken.error}` };
      } catch (error) {
        if (error instanceof RunnerRefusal && error.reason !== 'SequenceTooLow')
          return { reason: `its files did not come back: ${error.message}` };
        if (!(error instanceof RunnerUnreachable || error instanceof RunnerRefusal)) throw error;
        if (either.aborted || (await this.#place.askWhetherOver(signal)) !== undefined)
          return { reason: 'its files did not come back: the sandbox is gone' };
        await clock.sleep(backoffMs(retries, failures, Math.random()), either).catch(() => undefined);
      }
    }
  }

  /** Retries temporary failures until the signal aborts. @throws SandboxRefusal  a permanent failure */
  async #persist(signal: AbortSignal, attempt: () => Promise<void>): Promise<void> {
    for (let failures = 0; ; failures += 1) {
      try {
        return await attempt();
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof RunnerRefusal && error.reason !== 'SequenceTooLow')
          throw new SandboxRefusal(`the sandbox refuses: ${error.message}`, { cause: error });
        const mayPass =
          error instanceof RunnerUnreachable || error instanceof RunnerRefusal || error instanceof ConnectionError;
        if (!mayPass && !(error instanceof ApiError && isPassing(error))) throw error;
        await this.#parts.clock.sleep(backoffMs(retries, failures, Math.random()), signal).catch(() => undefined);
        signal.throwIfAborted();
      }
    }
  }

  async #save(change: Partial<SandboxRunIntent>): Promise<void> {
    this.#intent = { ...this.#intent, ...change };
    await this.#parts.intents.write(this.#intent);
  }
}

function sentOf(
  { paths, marks, hiddenPaths }: WorkspaceArchive,
  { keptPaths = [] }: Pick<PodRequest, 'keptPaths'>,
): Pick<SandboxRunIntent, 'sentPaths' | 'sentMarks' | 'hiddenPaths' | 'keptPaths'> {
  return { sentPaths: [...paths], sentMarks: [...marks], hiddenPaths: [...hiddenPaths], keptPaths: [...keptPaths] };
}

function isPassing({ status }: ApiError): boolean {
  return status === 429 || status >= 500;
}

function hasReason(error: unknown, reason: string): boolean {
  return error instanceof RunnerRefusal && error.reason === reason;
}

function isOurs(object: KubeObject | undefined, publicKey: string): boolean {
  const spec = object?.['spec'];
  return typeof spec === 'object' && spec !== null && 'runnerPublicKey' in spec && spec.runnerPublicKey === publicKey;
}
