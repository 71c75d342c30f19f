/**
 * One life of a journal on a simulated disk: appends, rotations, kills, power cuts and openings in the order a seed gives, and
 * beside it the plain list of what was acknowledged.
 *
 * Invariants after every crash (reliability-security 1): all acknowledged durable records are there, in order, in a valid
 * chain; nothing is invented; at most what was not acknowledged is lost; opening twice changes nothing more.
 */
import { z } from 'zod';
import type { FileSystem } from '@retainer/journal/file-system';
import type { Journal, JournalRecord } from '@retainer/journal/journal';
import { noLock } from '../support/journal/no-lock.ts';
import { defineStores, openJournal } from '@retainer/journal/open-journal';
import { verifyJournal } from '@retainer/journal/verify';
import { SimClock } from '../support/journal/sim-clock.ts';
import { SimFileSystem } from '../support/journal/sim-file-system.ts';
import type { Random } from '../support/journal/sim-nodes.ts';

export const simulatedDirectory = '/journal';

export const simulatedStores = defineStores([
  { name: 'deeds', durability: 'durable', kinds: { Deed: { version: 1, schema: z.object({ id: z.int() }) } } },
  { name: 'signs', durability: 'lazy', kinds: { Sign: { version: 1, schema: z.object({ id: z.int() }) } } },
]);

/** Small, so that a life of a few dozen records sees segments, batches, blobs and checkpoints. */
export const simulatedLimits = {
  segmentBytes: 2000,
  batchBytes: 1000,
  inlinePayloadBytes: 600,
  ballastBytes: 64,
  checkpointEveryBytes: 1500,
};

/** Repeatable numbers from 0 up to 1 (mulberry32). */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Wraps what the journal sees of the disk: a fault, or a deliberate defect. */
export type Wrap = (fileSystem: FileSystem, sim: SimFileSystem) => FileSystem;

export const unchanged: Wrap = (fileSystem) => fileSystem;

/** Sequence and hash of the acknowledged records of a store. */
type Acknowledged = Map<number, string>;

export class Life {
  readonly sim = new SimFileSystem();
  readonly clock = new SimClock(Date.UTC(2026, 1, 27, 20));
  readonly violations: string[] = [];
  readonly random: Random;
  readonly #wrap: Wrap;
  readonly #acknowledged: Readonly<Record<string, Acknowledged>> = { deeds: new Map(), signs: new Map() };
  readonly #submitted = new Map<number, string>();
  #nextId = 0;
  openings = 0;

  constructor(seed: number, wrap: Wrap = unchanged) {
    this.random = randomOf(seed);
    this.#wrap = wrap;
  }

  below(limit: number): number {
    return Math.floor(this.random() * limit);
  }

  get acknowledged(): number {
    return this.#acknowledged['deeds']?.size ?? 0;
  }

  open(wrap: Wrap = this.#wrap): Promise<Journal> {
    this.openings += 1;
    return openJournal({
      directory: simulatedDirectory,
      stores: simulatedStores,
      agentUid: 'agent-1',
      clock: this.clock,
      fileSystem: wrap(this.sim.mount(), this.sim),
      lock: noLock,
      nonce: () => `nonce-${this.openings}`,
      limits: simulatedLimits,
    });
  }

  /** Several appends at once, of one or two records each; what was acknowledged is remembered. */
  async append(journal: Journal, appends: number): Promise<void> {
    await Promise.all(Array.from({ length: appends }, () => this.#appendOne(journal)));
  }

  async #appendOne(journal: Journal): Promise<void> {
    const isDeed = this.random() < 0.75;
    const [store, kind] = isDeed ? ['deeds', 'Deed'] : ['signs', 'Sign'];
    const records = Array.from({ length: 1 + this.below(2) }, () => {
      const id = this.#nextId;
      this.#nextId += 1;
      const payload = { id, text: 'x'.repeat(this.below(this.random() < 0.1 ? 1500 : 300)) };
      this.#submitted.set(id, JSON.stringify(payload));
      return { store, kind, principal: 'agent', payload };
    });
    const written = await journal.append(records).catch(() => []);
    // Lazy records may be lost with the last second: for them only what is there is judged.
    if (isDeed) for (const { seq, hash } of written) this.#acknowledged['deeds']?.set(seq, hash);
  }

  /** Opens the disk as it is now, checks every invariant, and leaves it closed. */
  async check(label: string): Promise<void> {
    const before = this.violations.length;
    const first = await this.#openAndRead(label, 'first');
    if (first === undefined || this.violations.length > before) return;
    // Seldom, since it doubles the cost: what it could find does not depend on what came before.
    if (this.random() < 0.75) return;
    const second = await this.#openAndRead(label, 'second');
    if (second === undefined) return;
    for (const store of ['deeds', 'signs'])
      if (first.get(store) !== second.get(store)) this.violations.push(`${label}: opening twice changed ${store}`);
  }

  async #openAndRead(label: string, which: string): Promise<ReadonlyMap<string, string> | undefined> {
    let journal: Journal;
    try {
      journal = await this.open(unchanged);
    } catch (error) {
      this.violations.push(`${label}: the ${which} opening failed: ${String(error)}`);
      return undefined;
    }
    if (journal.mode !== 'Writable')
      this.violations.push(`${label}: the ${which} opening gave ${journal.mode}: ${journal.modeReason}`);
    for (const store of ['deeds', 'signs', 'system']) await this.#checkStore(journal, label, store);
    const heads = new Map(journal.heads().map(({ store, seq, hash }) => [store, `${seq}:${hash}`]));
    await journal.close();
    await this.#checkWhole(label);
    return heads;
  }

  /** A crash must never look like damage. */
  async #checkWhole(label: string): Promise<void> {
    const verification = verifyJournal({ directory: simulatedDirectory, fileSystem: this.sim.mount(), blobs: true });
    for await (const { kind, store, seq, message } of verification)
      this.violations.push(`${label}: verify finds ${kind} in ${store}, sequence ${seq}: ${message}`);
  }

  async #checkStore(journal: Journal, label: string, store: string): Promise<void> {
    const found = new Map<number, string>();
    try {
      for await (const record of journal.read(store)) {
        if (record.seq !== found.size) this.violations.push(`${label}: ${store} has ${record.seq} at ${found.size}`);
        found.set(record.seq, record.hash);
        this.#checkSubmitted(label, record);
      }
    } catch (error) {
      this.violations.push(`${label}: reading ${store}: ${String(error)}`);
    }
    const acknowledged = this.#acknowledged[store];
    if (acknowledged === undefined) return;
    for (const [seq, hash] of acknowledged)
      if (found.get(seq) !== hash) this.violations.push(`${label}: acknowledged record ${seq} of ${store} is lost`);
    // An opening syncs what it finds: from now on none of it may be lost.
    for (const [seq, hash] of found) acknowledged.set(seq, hash);
  }

  #checkSubmitted(label: string, { kind, payload, store, seq }: JournalRecord): void {
    if (kind !== 'Deed' && kind !== 'Sign') return;
    const id = typeof payload === 'object' && payload !== null && 'id' in payload ? Number(payload['id']) : -1;
    if (this.#submitted.get(id) !== JSON.stringify(payload))
      this.violations.push(`${label}: record ${seq} of ${store} was never appended`);
  }
}

/** Enough turns of the event loop for everything that needs no time to finish. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 8; turn += 1)
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
}

const hourMs = 3_600_000;

/** What happens between two openings, by weight. */
async function act(life: Life, journal: Journal): Promise<void> {
  const choice = life.random();
  if (choice < 0.75) await life.append(journal, 1 + life.below(3));
  else if (choice < 0.87) life.clock.advance(life.below(2500));
  else if (choice < 0.94) life.clock.advance(life.below(14) * hourMs);
  else life.clock.jump((life.below(72) - 36) * hourMs);
  await settle();
}

/** A whole life of two or three rounds. Returns what was violated: nothing, if the journal is right. */
export async function simulate(seed: number, wrap: Wrap = unchanged): Promise<readonly string[]> {
  const life = new Life(seed, wrap);
  const rounds = 2 + life.below(2);
  for (let round = 0; round < rounds && life.violations.length === 0; round += 1) {
    if (life.random() < 0.85)
      life.sim.powerCut = {
        operation: life.sim.operations + 1 + life.below(90),
        when: life.random() < 0.5 ? 'Before' : 'After',
      };
    await live(life);
    if (life.random() < 0.8) life.sim.crash(life.random);
    else life.sim.kill();
    await life.check(`seed ${seed}, round ${round}`);
    if (life.random() < 0.3) life.sim.crash(life.random);
  }
  return life.violations;
}

async function live(life: Life): Promise<void> {
  let journal: Journal;
  try {
    journal = await life.open();
  } catch {
    return;
  }
  const acts = 3 + life.below(8);
  for (let done = 0; done < acts && journal.mode === 'Writable'; done += 1) await act(life, journal);
  // Not awaited to its end where the power is off: everything then fails at once.
  if (life.random() < 0.3) await journal.close().catch(() => undefined);
}
