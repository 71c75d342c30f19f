/**
 * The holders of sandboxes. By this memory no run gets two sandboxes, no sandbox gets two runs, and no Agent exceeds its
 * share, however far the caches lag.
 *
 * I1  A holder is entered before anything is written. It is removed only when the API server itself showed that nothing of it
 *     is left.
 * I2  A run that ever held a sandbox never gets another one; a sandbox that was ever given is never given again.
 * I3  Before this process judges the first run of an Agent, the ledger loads that Agent from the API server, not from caches.
 *
 * Nothing here awaits: no other pass can run between reading and entering.
 */
import { forgetOldest } from '@retainer/contract/std/forget-oldest';
import { keyText, type KubeObject, type ObjectKey } from '@retainer/kube/kube-object';

export interface Holder {
  readonly runUid: string;
  readonly run: ObjectKey;
  readonly namespace: string;
  /** What kept the namespace closed when the run got its place; absent if an earlier version of the operator gave it. */
  readonly ground?: string;
  /** Rendered Job of a cold run, so that a repeated attempt writes the same; absent if an earlier process wrote it. */
  readonly job?: KubeObject;
  /** Pod of a warm run. */
  readonly pod?: { readonly name: string; readonly uid: string };
}

/** Runs and sandboxes remembered after their end: many times the lag of any cache. */
const REMEMBERED_MAX = 20_000;

export class SandboxRunLedger {
  /** By `namespace/name` of the Agent, then by uid of the run. */
  readonly #agents = new Map<string, Map<string, Holder>>();
  readonly #agentOfRun = new Map<string, string>();
  /** Uids by `namespace/name` of the run: several if a name was used again. */
  readonly #uidsOfRun = new Map<string, Set<string>>();
  /** Runs that held a sandbox, oldest first. */
  readonly #past = new Set<string>();
  /** Uids of pods given to runs, oldest first. */
  readonly #given = new Set<string>();
  /** Pools whose pods no further run gets. */
  readonly #retiring = new Set<string>();

  isSeeded(agent: string): boolean {
    return this.#agents.has(agent);
  }

  /** Enters the API server's state of this Agent: the holders of sandboxes, and the runs that are over or were given one. */
  seed(agent: string, known: { readonly holders: readonly Holder[]; readonly past: readonly string[] }): void {
    if (this.#agents.has(agent)) return;
    this.#agents.set(agent, new Map());
    for (const uid of known.past) remember(this.#past, uid);
    for (const holder of known.holders) this.enter(agent, holder);
  }

  holders(agent: string): readonly Holder[] {
    return [...(this.#agents.get(agent)?.values() ?? [])];
  }

  holder(runUid: string): Holder | undefined {
    return this.#agents.get(this.#agentOfRun.get(runUid) ?? '')?.get(runUid);
  }

  /** Holders of all runs that have, or had, this name. */
  holdersNamed(run: ObjectKey): readonly Holder[] {
    return [...(this.#uidsOfRun.get(keyText(run)) ?? [])].flatMap((uid) => this.holder(uid) ?? []);
  }

  /** Whether the run holds, or ever held, a sandbox. */
  isKnown(runUid: string): boolean {
    return this.#past.has(runUid);
  }

  isGiven(podUid: string): boolean {
    return this.#given.has(podUid);
  }

  enter(agent: string, holder: Holder): void {
    const holders = this.#agents.get(agent) ?? new Map<string, Holder>();
    this.#agents.set(agent, holders);
    holders.set(holder.runUid, holder);
    this.#agentOfRun.set(holder.runUid, agent);
    const uids = this.#uidsOfRun.get(keyText(holder.run)) ?? new Set();
    this.#uidsOfRun.set(keyText(holder.run), uids.add(holder.runUid));
    remember(this.#past, holder.runUid);
    if (holder.pod !== undefined) remember(this.#given, holder.pod.uid);
  }

  /** Nothing of its sandbox is left. */
  release(runUid: string): void {
    const name = keyText(this.holder(runUid)?.run ?? { namespace: '', name: '' });
    const uids = this.#uidsOfRun.get(name);
    uids?.delete(runUid);
    if (uids?.size === 0) this.#uidsOfRun.delete(name);
    this.#agents.get(this.#agentOfRun.get(runUid) ?? '')?.delete(runUid);
    this.#agentOfRun.delete(runUid);
  }

  /** Undoes the entry of a run for which nothing was written. */
  withdraw(runUid: string): void {
    const podUid = this.holder(runUid)?.pod?.uid;
    this.release(runUid);
    this.#past.delete(runUid);
    if (podUid !== undefined) this.#given.delete(podUid);
  }

  /** Stops giving pods of this pool. @returns whether none of them is in use; a Job's pods begin with its name */
  retire(pool: string): boolean {
    this.#retiring.add(pool);
    return ![...this.#agents.values()].some((runs) =>
      [...runs.values()].some(({ pod }) => pod?.name.startsWith(`${pool}-`)),
    );
  }

  isRetiring(pool: string): boolean {
    return this.#retiring.has(pool);
  }

  /** The pool is gone, or current again. */
  reinstate(pool: string): void {
    this.#retiring.delete(pool);
  }
}

function remember(set: Set<string>, uid: string): void {
  set.delete(uid);
  set.add(uid);
  forgetOldest(set, REMEMBERED_MAX);
}
