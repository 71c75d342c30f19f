/**
 * One runner: its state, its claimant, its run. Knows nothing of HTTP.
 *
 * I1  The runner refuses a request whose signature is not the claimant's, or whose sequence is not above all earlier ones.
 * I2  Every step is taken once (see `runner-state.ts`), and one after the other.
 * I3  At the end of its run the runner writes the termination message before it tells anybody.
 */
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { Claim, FrameHeader, RunnerEnd, RunRequest } from '@retainer/contract/wire/runner';
import { PACKAGES_DIRECTORY } from '@retainer/contract/wire/program-start';
import { CodeProcess } from './code-process.ts';
import type { RunnerConfig } from './config.ts';
import { EventLog } from './event-log.ts';
import type { Fault } from './fault.ts';
import { receiveFiles, type ReceivedFiles } from './files-in.ts';
import { changedFiles } from './files-out.ts';
import { launchOf, SCRIPT_NAMES } from './launch.ts';
import type { EndCause } from './run-end.ts';
import { threadsInAll } from './process-count.ts';
import { moveRunner, type Moved, type RunnerMove, type RunnerState } from './runner-state.ts';
import { bodyDigest, checkClaim, checkRequest, type RequestFacts } from './signed-request.ts';

const SCRIPT_DIRECTORY = '.script';
/** Threads that Node may still start, in addition to the present ones. */
const SPARE_THREADS = 4;

export class Runner {
  readonly #config: RunnerConfig;
  #state: RunnerState;
  #sequence = 0;
  #isReceiving = false;
  #received: ReceivedFiles = new Map();
  #request: RunRequest | undefined;
  #log: EventLog | undefined;
  #code: CodeProcess | undefined;
  #running: Promise<void> = Promise.resolve();
  #end: RunnerEnd | undefined;
  #stopReason: string | undefined;

  constructor(config: RunnerConfig) {
    this.#config = config;
    this.#state =
      config.claimantKey === undefined
        ? { phase: 'Idle' }
        : { phase: 'Claimed', claimId: '', publicKey: config.claimantKey };
  }

  get phase(): RunnerState['phase'] {
    return this.#state.phase;
  }

  /** Output and end of the run; undefined before it. */
  get log(): EventLog | undefined {
    return this.#log;
  }

  /** Verifies that the claimant signed the request. Uses up its sequence. */
  authorize(request: RequestFacts): Result<{ readonly digest: string }, Fault> {
    const { publicKey } = this.#state.phase === 'Idle' || this.#state.phase === 'Stopped' ? {} : this.#state;
    if (publicKey === undefined) return conflict('NotClaimed', 'nobody has claimed this runner');
    return this.#authorizeBy(publicKey, request);
  }

  /** For warm runners: accepts the claimant in the claim, after a check of the operator's signature. */
  claim(claim: Claim, request: RequestFacts, digest: string): Result<undefined, Fault> {
    const { operatorKey, podUid } = this.#config;
    if (operatorKey === undefined) return conflict('ClaimedAtStart', 'this runner has a fixed claimant');
    const checked = checkClaim(claim, { operatorKey, podUid });
    if (!checked.ok) return checked;
    const { runUid, publicKey } = claim;
    const move = { type: 'Claim', claimId: `${runUid} ${publicKey}`, publicKey } as const;
    const moved = moveRunner(this.#state, move);
    if (!moved.ok) return conflict('ClaimedAlready', moved.error);
    const authorized = this.#authorizeBy(publicKey, request);
    if (!authorized.ok) return authorized;
    if (authorized.value.digest !== digest) return digestFault;
    this.#state = moved.value.state;
    return ok(undefined);
  }

  /** @param body  its digest is checked here */
  async receive(body: AsyncIterable<Uint8Array>, digest: string): Promise<Result<undefined, Fault>> {
    const moved = this.#judge({ type: 'Fill', digest }, 'FilesAlready');
    if (!moved.ok) return moved;
    if (moved.value.isRepeated) return ok(undefined);
    if (this.#isReceiving) return conflict('FilesComing', 'files are being received');
    this.#isReceiving = true;
    try {
      const received = await receiveFiles(body, this.#config.workDirectory, digest);
      if (!received.ok) return received;
      const again = this.#judge({ type: 'Fill', digest }, 'FilesAlready');
      if (!again.ok) return again;
      this.#received = received.value;
      this.#state = again.value.state;
      return ok(undefined);
    } finally {
      this.#isReceiving = false;
    }
  }

  /** Begins the run, and returns at once. */
  start(request: RunRequest, digest: string): Result<undefined, Fault> {
    if ((request.command === undefined) === (request.script === undefined))
      return err({ status: 400, reason: 'Malformed', message: 'exactly one of command and script must be given' });
    if (request.script !== undefined && bodyDigest(request.script.text) !== request.script.digest)
      return err({
        status: 400,
        reason: 'DigestMismatch',
        message: 'the digest of the script differs from script.digest',
      });
    const moved = this.#judge({ type: 'Run', digest }, 'RunAlready');
    if (!moved.ok) return moved;
    if (moved.value.isRepeated) return ok(undefined);
    this.#state = moved.value.state;
    this.#request = request;
    this.#log = new EventLog(request.limits.outputBytes);
    this.#running = this.#run(request, this.#log);
    return ok(undefined);
  }

  /** After the end. */
  async changes(): Promise<Result<readonly FrameHeader[], Fault>> {
    if (this.#state.phase !== 'Ended') return conflict('NotEnded', 'files are given after the end of the run');
    const { workDirectory, scratchBytes } = this.#config;
    const takesLinks = this.#request?.takesLinks === true;
    return changedFiles({ workDirectory, received: this.#received, takesLinks }, scratchBytes);
  }

  /** Port of mode Serve; undefined if none has that name, or nothing runs. */
  servedPort(name: string): number | undefined {
    if (this.#state.phase !== 'Running') return undefined;
    return this.#request?.ports.find((port) => port.name === name)?.port;
  }

  /** Whether the run named such a port, in any phase. */
  hasPort(name: string): boolean {
    return this.#request?.ports.some((port) => port.name === name) === true;
  }

  /**
   * Kills the run and waits until it is dead. All later requests are refused.
   *
   * @param isReleased  the claimant asked for it, and wants nothing more
   */
  async stop(reason: string, isReleased = false): Promise<void> {
    const wasClaimed = this.#state.phase !== 'Idle';
    const moved = moveRunner(this.#state, { type: 'Stop' });
    if (moved.ok) this.#state = moved.value.state;
    this.#stopReason = reason;
    this.#code?.stop({ end: 'Killed', reason });
    await this.#running;
    const end = this.#end ?? { end: wasClaimed ? 'Stopped' : 'NotClaimed', truncated: false, durationMs: 0 };
    if (isReleased) await this.#tell({ ...end, released: true });
    else if (this.#end === undefined) await this.#tell(end);
  }

  async #run(request: RunRequest, log: EventLog): Promise<void> {
    const startedMs = performance.now();
    const cause = await this.#execute(request, log).catch((): EndCause => ({
      end: 'Killed',
      exitCode: 137,
      reason: 'the code could not be started',
    }));
    const durationMs = Math.round(performance.now() - startedMs);
    const { end, exitCode } = cause;
    await this.#tell({ end, exitCode, truncated: log.droppedBytes > 0, durationMs });
    const moved = moveRunner(this.#state, { type: 'End' });
    if (moved.ok) this.#state = moved.value.state;
    log.end({ type: 'Ended', ...cause, droppedBytes: log.droppedBytes, durationMs });
  }

  async #execute(request: RunRequest, log: EventLog): Promise<EndCause> {
    const { workDirectory, tmpDirectory, scratchBytes, maxRunMs, userSandboxes = 1 } = this.#config;
    const scriptDirectory = join(tmpDirectory, SCRIPT_DIRECTORY);
    await rm(scriptDirectory, { recursive: true, force: true });
    await mkdir(scriptDirectory, { recursive: true });
    await symlink(join(workDirectory, PACKAGES_DIRECTORY), join(scriptDirectory, PACKAGES_DIRECTORY));
    if (request.script !== undefined)
      await writeFile(join(scriptDirectory, SCRIPT_NAMES[request.script.language]), request.script.text);
    const ownThreads = (process.pid === 1 ? threadsInAll() : await threadCount()) + SPARE_THREADS;
    const { processes } = request.limits;
    const threadsMax = processes + ownThreads;
    // Beyond the share of one sandbox the runner counts processes itself.
    const userThreadsMax = threadsMax * userSandboxes;
    this.#code = new CodeProcess({
      launch: launchOf(request, { workDirectory, tmpDirectory, scriptDirectory, scratchBytes, userThreadsMax }),
      stdin: request.stdin,
      workDirectory,
      tmpDirectory,
      scratchBytes,
      processes: { ownMax: processes, allMax: threadsMax },
      timeoutMs: Math.min(request.timeoutMs, maxRunMs),
      log,
    });
    if (this.#stopReason !== undefined) this.#code.stop({ end: 'Killed', reason: this.#stopReason });
    return this.#code.run();
  }

  #authorizeBy(publicKey: string, request: RequestFacts): Result<{ readonly digest: string }, Fault> {
    const checked = checkRequest(request, { podUid: this.#config.podUid, publicKey });
    if (!checked.ok) return checked;
    const { sequence, digest } = checked.value;
    if (sequence <= this.#sequence)
      return err({ status: 401, reason: 'SequenceTooLow', message: 'the sequence is not above the last one' });
    this.#sequence = sequence;
    return ok({ digest });
  }

  #judge(move: RunnerMove, reason: string): Result<Moved, Fault> {
    const moved = moveRunner(this.#state, move);
    return moved.ok ? moved : conflict(reason, moved.error);
  }

  /** The operator reads the message once the container has ended; a machine that keeps none does not make it fail. */
  async #tell(end: RunnerEnd): Promise<void> {
    this.#end = end;
    await writeFile(this.#config.terminationLog, JSON.stringify(end)).catch(() => undefined);
  }
}

/** The body differs from the signed one. */
export const digestFault = err<Fault>({
  status: 400,
  reason: 'DigestMismatch',
  message: 'the digest of the body differs from the signed one',
});

async function threadCount(): Promise<number> {
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '');
  return Number(/^Threads:\s+(\d+)$/m.exec(status)?.[1] ?? 0);
}

function conflict(reason: string, message: string): { readonly ok: false; readonly error: Fault } {
  return err({ status: 409, reason, message });
}
