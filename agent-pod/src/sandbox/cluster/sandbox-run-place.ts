/** Where the sandbox of one run is: its SandboxRun, watched and asked for. */
import type { Clock } from '@retainer/contract/std/clock';
import { ApiError, ConnectionError } from '@retainer/kube/api-error';
import type { KubeClient } from '@retainer/kube/kube-client';
import type { KubeObject } from '@retainer/kube/kube-object';
import { resources } from '@retainer/kube/resources';
import { SandboxRefusal } from '../sandbox-refusal.ts';
import { gone } from './sandbox-run-end.ts';
import { viewSandboxRun, type Over, type Reachable, type SandboxRunOwner } from './sandbox-run-object.ts';

/** The agent's one watch on its SandboxRuns. */
export interface SandboxRunWatch {
  /**
   * Calls back with the object, if known, and after each change; with undefined after its deletion. May be late or silent, so
   * callers also poll.
   *
   * @returns  ends the callbacks
   */
  watchRun(name: string, onChange: (object: KubeObject | undefined) => void): () => void;
}

export interface SandboxRunPlaceParts {
  readonly owner: SandboxRunOwner;
  readonly client: KubeClient;
  readonly watch: SandboxRunWatch;
  readonly clock: Clock;
}

/** Polling covers changes that the watch misses. */
const ASK_EVERY_MS = 10_000;

export class SandboxRunPlace {
  readonly #parts: SandboxRunPlaceParts;
  readonly #name: string;

  /** @param name  of the SandboxRun */
  constructor(parts: SandboxRunPlaceParts, name: string) {
    this.#parts = parts;
    this.#name = name;
  }

  /** The operator's first view other than `Waiting`. */
  async untilReachable(
    signal: AbortSignal,
    note: (why: string) => void,
  ): Promise<(Reachable & { type: 'Reachable' }) | Over> {
    for await (const object of this.#changes(signal)) {
      const view = object === undefined ? gone : viewSandboxRun(object);
      if (view.type !== 'Waiting') return view;
      note(view.why);
    }
    throw new SandboxRefusal('the run was cancelled before it began');
  }

  /** The object now and after each change, from watch and polling. Throws when the signal aborts. */
  async *#changes(signal: AbortSignal): AsyncGenerator<KubeObject | undefined> {
    const { watch, clock } = this.#parts;
    const told: (KubeObject | undefined)[] = [];
    let wake: () => void = () => undefined;
    const unwatch = watch.watchRun(this.#name, (object) => {
      // Keeps only the newest. A deletion triggers polling, since the watch may be behind.
      told.splice(0, told.length, ...(object === undefined ? [] : [object]));
      wake();
    });
    try {
      while (!signal.aborted) {
        const asked = told.length > 0 ? told : await this.#ask(signal);
        yield* asked.splice(0, asked.length);
        if (told.length > 0) continue;
        const pause = new AbortController();
        wake = () => pause.abort(new Error('change'));
        await clock.sleep(ASK_EVERY_MS, AbortSignal.any([signal, pause.signal])).catch(() => undefined);
      }
      signal.throwIfAborted();
    } finally {
      unwatch();
    }
  }

  async #ask(signal: AbortSignal): Promise<(KubeObject | undefined)[]> {
    const { client, owner } = this.#parts;
    const key = { namespace: owner.namespace, name: this.#name };
    try {
      return [await client.get(resources.sandboxRuns, key, { signal })];
    } catch (error) {
      if (!(error instanceof ApiError || error instanceof ConnectionError)) throw error;
      return [];
    }
  }

  /** Resolves once its object is gone, or after so long. */
  async untilGone(waitMs: number): Promise<void> {
    const { watch, clock } = this.#parts;
    const endMs = clock.monotonicMs() + waitMs;
    const told = new AbortController();
    const unwatch = watch.watchRun(this.#name, (object) => {
      if (object === undefined) told.abort(new Error('gone'));
    });
    try {
      while (!told.signal.aborted && clock.monotonicMs() < endMs) {
        await clock.sleep(ASK_EVERY_MS, told.signal).catch(() => undefined);
        if (told.signal.aborted) return;
        const asked = await this.#ask(AbortSignal.timeout(ASK_EVERY_MS));
        if (asked.length > 0 && asked[0] === undefined) return;
      }
    } finally {
      unwatch();
    }
  }

  /** Undefined while it goes on, or while nobody knows. */
  async askWhetherOver(signal: AbortSignal): Promise<Over | undefined> {
    const asked = await this.#ask(signal);
    if (asked.length === 0) return undefined;
    const [object] = asked;
    if (object === undefined) return gone;
    const view = viewSandboxRun(object);
    return view.type === 'Over' ? view : undefined;
  }
}
