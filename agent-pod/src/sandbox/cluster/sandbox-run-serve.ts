/**
 * Runs code that serves ports in a sandbox pod, from a SandboxRun of mode Serve. Implements `ServingPort`.
 *
 * I1  Like a run, it begins once per key: intent and key pair are on disk before the agent creates the SandboxRun, and
 *     `mayHaveRun` before the request to run. A restarted process finds what still serves, and clears away the rest.
 * I2  The agent forwards nothing after the deadline, whatever the sandbox does.
 * I3  At most `servedMax` at once, including those begun by earlier processes.
 *
 * Its files never come back.
 *
 * Source: design 7 (Serve); springdrift 11.
 */
import { join } from 'node:path';
import { sha256Hex } from '@retainer/contract/std/hash';
import type { SandboxResult } from '../../ports/sandbox-run.ts';
import type {
  ServedAnswer,
  ServedConnection,
  ServedPlace,
  ServedRequest,
  ServeRequest,
  ServeStart,
  Serving,
  ServingPort,
} from '../../ports/serving-port.ts';
import { ResultStore } from '../result-store.ts';
import { SandboxRefusal } from '../sandbox-refusal.ts';
import type { SandboxRunClient } from './sandbox-run-client.ts';
import { newKeyPair, SandboxRunIntents, type SandboxRunIntent } from './sandbox-run-intent.ts';
import { sandboxRunName } from './sandbox-run-object.ts';
import { forwardServed, upgradeServed } from './sandbox-run-serve-exchange.ts';
import { SandboxRunSession, type SandboxRunSessionParts } from './sandbox-run-session.ts';

export interface SandboxRunServingOptions extends Omit<SandboxRunSessionParts, 'intents' | 'onStarted'> {
  /** Private to the agent. */
  readonly directory: string;
  readonly servedMax: number;
  readonly redact: ((text: string) => string) | undefined;
}

/** Wait for a first answer from a port before the caller learns that none answered. */
const ANSWER_WAIT_MS = 12_000;
const ASK_PORT_EVERY_MS = 200;
/** Digits of the key's hash, as in the name of its SandboxRun. */
const ID_DIGITS = 20;
/** The runner's status for a port without a listener. */
const NOT_ANSWERING = 502;

interface Entry {
  readonly key: string;
  readonly id: string;
  readonly ports: Serving['ports'];
  /** Aborted to end the code. */
  readonly stop: AbortController;
  /** Aborted to end all traffic through the ports. */
  readonly closed: AbortController;
  /** Resolves when the runner confirms the start. */
  readonly started: Promise<void>;
  /** Undefined if nothing ran, or the result is lost. */
  readonly ended: Promise<SandboxResult | undefined>;
  /** Set at the start. */
  live?: { readonly client: SandboxRunClient; readonly deadlineMs: number };
}

export class SandboxRunServing implements ServingPort {
  readonly #options: SandboxRunServingOptions;
  readonly #results: ResultStore;
  readonly #intents: SandboxRunIntents;
  readonly #entries = new Map<string, Entry>();
  readonly #turns = new Map<string, Promise<ServeStart | undefined>>();

  constructor(options: SandboxRunServingOptions) {
    this.#options = options;
    this.#results = new ResultStore(join(options.directory, 'serve-results'), options.redact);
    this.#intents = new SandboxRunIntents(join(options.directory, 'serve-intents'));
  }

  /** Resumes what earlier processes began, and clears away what never ran. Call once, before serving. */
  async takeUp(): Promise<void> {
    await this.#results.sweep(this.#options.clock.nowMs());
    for (const intent of await this.#intents.list()) this.#resume(intent);
  }

  async serve(request: ServeRequest, signal: AbortSignal): Promise<ServeStart> {
    const key = request.idempotencyKey;
    const start = await this.#once(key, async () => (await this.#known(key)) ?? (await this.#begin(request, signal)));
    if (start === undefined) throw new SandboxRefusal('an earlier attempt of it was lost; it is not repeated');
    return start;
  }

  lookup(idempotencyKey: string): Promise<ServeStart | undefined> {
    return this.#once(idempotencyKey, () => this.#known(idempotencyKey));
  }

  async stop(id: string): Promise<boolean> {
    const entry = this.#entries.get(id);
    if (entry === undefined) return false;
    close(entry);
    entry.stop.abort(new Error('stopped'));
    await entry.ended.catch(() => undefined);
    return true;
  }

  list(): readonly Serving[] {
    return [...this.#entries.values()].flatMap((entry) => this.#serving(entry) ?? []);
  }

  async forward(to: ServedPlace, request: ServedRequest, signal: AbortSignal): Promise<ServedAnswer | undefined> {
    const found = this.#find(to);
    if (found === undefined) return undefined;
    return forwardServed(found.client, to.name, request, AbortSignal.any([signal, found.closed]));
  }

  async upgrade(
    to: ServedPlace,
    request: ServedRequest,
    signal: AbortSignal,
  ): Promise<ServedAnswer | ServedConnection | undefined> {
    const found = this.#find(to);
    if (found === undefined) return undefined;
    return upgradeServed(found.client, to.name, request, AbortSignal.any([signal, found.closed]));
  }

  #find({ id, name }: ServedPlace): { readonly client: SandboxRunClient; readonly closed: AbortSignal } | undefined {
    const entry = this.#entries.get(id);
    const isOpen = entry !== undefined && this.#serving(entry)?.ports.some((port) => port.name === name) === true;
    return isOpen && entry.live !== undefined ? { client: entry.live.client, closed: entry.closed.signal } : undefined;
  }

  #serving({ id, ports, live, closed }: Entry): Serving | undefined {
    if (live === undefined || closed.signal.aborted) return undefined;
    const { deadlineMs } = live;
    return this.#options.clock.nowMs() < deadlineMs ? { id, ports, deadlineMs } : undefined;
  }

  async #once(key: string, begin: () => Promise<ServeStart | undefined>): Promise<ServeStart | undefined> {
    const before = this.#turns.get(key);
    if (before !== undefined) return before;
    const turn = begin().finally(() => this.#turns.delete(key));
    this.#turns.set(key, turn);
    return turn;
  }

  async #known(key: string): Promise<ServeStart | undefined> {
    const entry = this.#entries.get(idOf(key));
    if (entry !== undefined) return this.#startOf(entry);
    const result = await this.#results.read(key);
    return result === undefined ? undefined : { type: 'Ended', result };
  }

  async #begin(request: ServeRequest, signal: AbortSignal): Promise<ServeStart | undefined> {
    const { owner, servedMax } = this.#options;
    const { idempotencyKey, ports, workspaceDirectory, readOnlyPaths, limits } = request;
    if ((await this.#intents.read(idempotencyKey)) !== undefined) return undefined;
    const ids = [...this.#entries.keys()];
    if (ids.length >= servedMax)
      throw new SandboxRefusal(`not more than ${servedMax} may keep ports open at once: stop one of ${ids.join(', ')}`);
    const intent: SandboxRunIntent = {
      ...{ idempotencyKey, name: sandboxRunName(owner.name, idempotencyKey), ...newKeyPair() },
      ...{ workspaceDirectory, readOnlyPaths: [...readOnlyPaths], limits: { ...limits }, ports: [...ports] },
      ...{ mayHaveRun: false, sentPaths: [], epoch: 0, isFinished: false },
    };
    const entry = this.#enter(intent, async (session, stop) => {
      await this.#intents.write(intent);
      return session.runNew(request, stop);
    });
    const giveUp = (): void => entry.stop.abort(signal.reason);
    signal.addEventListener('abort', giveUp, { once: true });
    if (signal.aborted) giveUp();
    try {
      return await this.#startOf(entry);
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  #resume(intent: SandboxRunIntent): void {
    this.#enter(intent, (session, stop) => (intent.isFinished ? Promise.resolve(undefined) : session.resume(stop)));
  }

  /** Keeps an entry while the code serves. */
  #enter(
    intent: SandboxRunIntent,
    work: (session: SandboxRunSession, stop: AbortSignal) => Promise<SandboxResult | undefined>,
  ): Entry {
    const { idempotencyKey: key, ports = [], limits } = intent;
    const [stop, closed] = [new AbortController(), new AbortController()];
    let tellStarted: () => void = () => undefined;
    const started = new Promise<void>((resolve) => {
      tellStarted = resolve;
    });
    const onStarted = (client: SandboxRunClient, startedAtMs: number): void => {
      entry.live = { client, deadlineMs: startedAtMs + limits.timeoutMs };
      void this.#closeInTime(entry, entry.live.deadlineMs);
      tellStarted();
    };
    const session = new SandboxRunSession({ ...this.#options, intents: this.#intents, onStarted }, intent);
    const run = async (): Promise<SandboxResult | undefined> => {
      try {
        const result = await work(session, stop.signal);
        if (result !== undefined) await this.#results.write(key, result);
        return result;
      } finally {
        close(entry);
        await session.clearAway();
        this.#entries.delete(entry.id);
      }
    };
    // Deferred, because the work needs the entry below.
    const ended = Promise.resolve().then(run);
    const entry: Entry = { key, id: idOf(key), ports, stop, closed, started, ended };
    // Those who wait get the error; otherwise the next lookup finds the run unknown.
    ended.catch(() => undefined);
    this.#entries.set(entry.id, entry);
    return entry;
  }

  async #closeInTime(entry: Entry, deadlineMs: number): Promise<void> {
    const { clock } = this.#options;
    await clock.sleep(Math.max(deadlineMs - clock.nowMs(), 0), entry.closed.signal).catch(() => undefined);
    close(entry);
  }

  /** Resolves when a port answers, none answers in time, or the run is over. */
  async #startOf(entry: Entry): Promise<ServeStart | undefined> {
    const ended = entry.ended.then((result) => ({ result }));
    // It may fail long after the caller has an answer.
    ended.catch(() => undefined);
    const began = await Promise.race([ended, entry.started]);
    const over = began ?? (await this.#firstOf(entry, ended));
    if (typeof over === 'object') return over.result === undefined ? undefined : { type: 'Ended', result: over.result };
    const serving = this.#serving(entry);
    if (serving !== undefined) return { type: 'Serving', serving, isAnswering: over };
    const { result } = await ended;
    return result === undefined ? undefined : { type: 'Ended', result };
  }

  async #firstOf<T>(entry: Entry, ended: Promise<T>): Promise<T | boolean> {
    const { clock } = this.#options;
    const give = new AbortController();
    const timer = AbortSignal.any([give.signal, entry.closed.signal]);
    const waited = clock.sleep(ANSWER_WAIT_MS, timer).then(
      () => false,
      () => false,
    );
    try {
      const answered = this.#untilAnswering(entry, timer);
      const first = await Promise.race([ended, waited, answered]);
      // Closed ports mean that the run ends.
      return entry.closed.signal.aborted ? await ended : first;
    } finally {
      give.abort(new Error('known'));
    }
  }

  async #untilAnswering(entry: Entry, signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      for (const { name } of entry.ports) if (await isAnswering(entry, name, signal)) return true;
      await this.#options.clock.sleep(ASK_PORT_EVERY_MS, signal).catch(() => undefined);
    }
    return false;
  }
}

async function isAnswering({ live }: Entry, name: string, signal: AbortSignal): Promise<boolean> {
  if (live === undefined) return false;
  const question = { method: 'GET', path: '/', headers: {}, body: new Uint8Array() };
  const answer = await forwardServed(live.client, name, question, signal).catch(() => undefined);
  answer?.body.destroy();
  return answer !== undefined && answer.status !== NOT_ANSWERING;
}

function close(entry: Entry): void {
  if (!entry.closed.signal.aborted) entry.closed.abort(new Error('it serves no more'));
}

function idOf(idempotencyKey: string): string {
  return sha256Hex(idempotencyKey).slice(0, ID_DIGITS);
}
