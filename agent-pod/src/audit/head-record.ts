/**
 * The auditor's own record: all kept heads and all findings, in a journal in the auditor's own directory.
 *
 * I1  Append-only, hash-chained and synced, because the journal of the agents writes it.
 * I2  Every entry is signed with a key that no agent can read.
 * I3  No agent reads it.
 *
 * Source: reliability-security 1 (heads to the auditor); design 5.
 */
import { canonicalJson, type Json } from '@retainer/contract/std/canonical-json';
import type { Clock } from '@retainer/contract/std/clock';
import { z } from 'zod';
import type { Head, Journal } from '@retainer/journal/journal';
import { defineStores, openJournal } from '@retainer/journal/open-journal';
import { isOfHead } from './compare-heads.ts';
import { findingKey, type Finding } from './finding.ts';
import { FindingRecord } from './finding-record.ts';
import type { SigningKey } from './signing-key.ts';
import { addHeads } from './store-watch.ts';

const count = z.int().nonnegative();
const signature = z.string().max(128);

const HeadsKept = z.object({
  heads: z.array(z.object({ store: z.string(), seq: count, hash: z.string(), epoch: count })),
  signature,
});
const FindingMade = FindingRecord.extend({ signature });
const HeadsSetAside = z.object({ store: z.string(), reason: z.string(), by: z.string().optional(), signature });

const stores = defineStores([
  {
    name: 'audit',
    durability: 'durable',
    kinds: {
      HeadsKept: { version: 1, schema: HeadsKept },
      FindingMade: { version: 1, schema: FindingMade },
      /** A person accepts the store as it is: its older heads are no longer compared. With a sequence: one gap of it. */
      HeadsSetAside: { version: 1, schema: HeadsSetAside },
    },
  },
]);

/** Heads per entry; keeps its line well below the journal's limit. */
const HEADS_PER_ENTRY_MAX = 200;
/** Newest signatures checked when the record is opened: about a second's work. The chain covers all entries. */
const CHECKED_SIGNATURES_MAX = 5_000;
/** An auditor writes little, so it needs no 16 MiB of ballast to report a full disk. */
const limits = { ballastBytes: 256 * 1024 };

/** The auditor's own record was changed or takes no entries, so the auditor's reports are unreliable. */
export class OwnRecordError extends Error {
  override readonly name = 'OwnRecordError';
}

export interface HeadRecord {
  /** By store, oldest first, without heads that a person set aside. */
  readonly heads: ReadonlyMap<string, readonly Head[]>;
  keepHeads(heads: readonly Head[]): Promise<void>;
  /** Records each finding once. */
  tell(findings: readonly Finding[]): Promise<void>;
  /** Gaps that a person acknowledged: `STORE/SEQUENCE`. */
  readonly acknowledged: ReadonlySet<string>;
  setAside(accepted: SetAside): Promise<void>;
  close(): Promise<void>;
}

/** A person's word. */
export interface SetAside {
  /** A store, or a gap as `STORE/SEQUENCE`. */
  readonly store: string;
  readonly reason: string;
  /** The person. */
  readonly by?: string | undefined;
}

export interface OpenHeadRecordOptions {
  /** Created if missing. */
  readonly directory: string;
  readonly key: SigningKey;
  readonly clock: Clock;
}

/** @throws OwnRecordError  when it was changed, or cannot be written */
export async function openHeadRecord({ directory, key, clock }: OpenHeadRecordOptions): Promise<HeadRecord> {
  const journal = await openJournal({ directory, stores, agentUid: 'auditor', clock, limits });
  try {
    if (journal.mode !== 'Writable') throw new OwnRecordError(`${directory}: ${journal.modeReason ?? journal.mode}`);
    const record = new SignedHeadRecord(journal, key);
    await record.load();
    return record;
  } catch (error) {
    await journal.close();
    throw error instanceof OwnRecordError
      ? error
      : new OwnRecordError(`${directory}: ${String(error)}`, { cause: error });
  }
}

interface Entry {
  readonly kind: string;
  readonly value: { readonly [key: string]: Json };
}

/** Drops undefined members, so that the signature covers exactly the written entry. */
function asJson(value: object): Entry['value'] {
  return JSON.parse(canonicalJson(value)) as Entry['value'];
}

class SignedHeadRecord implements HeadRecord {
  readonly heads = new Map<string, readonly Head[]>();
  readonly acknowledged = new Set<string>();
  readonly #journal: Journal;
  readonly #key: SigningKey;
  readonly #told = new Set<string>();
  /** By store: sequences at which a kept head was found missing. */
  readonly #pinned = new Map<string, Set<number>>();

  constructor(journal: Journal, key: SigningKey) {
    this.#journal = journal;
    this.#key = key;
  }

  async load(): Promise<void> {
    const end = this.#journal.heads().find(({ store }) => store === 'audit')?.seq ?? 0;
    for await (const { kind, payload, seq } of this.#journal.read('audit')) {
      if (kind === 'StoreOpened' || kind === 'Recovered') continue;
      if (end - seq < CHECKED_SIGNATURES_MAX) this.#checkSignature(kind, seq, payload);
      this.#apply(kind, payload);
    }
  }

  async keepHeads(heads: readonly Head[]): Promise<void> {
    const entries: Entry[] = [];
    for (let at = 0; at < heads.length; at += HEADS_PER_ENTRY_MAX) {
      const some = heads.slice(at, at + HEADS_PER_ENTRY_MAX);
      // The caller's objects may have more members.
      const plain = some.map(({ store, seq, hash, epoch }) => ({ store, seq, hash, epoch }));
      entries.push({ kind: 'HeadsKept', value: { heads: plain } });
    }
    await this.#append(entries);
  }

  async tell(findings: readonly Finding[]): Promise<void> {
    const untold = findings.filter((finding) => !this.#told.has(findingKey(finding)));
    await this.#append(untold.map((finding) => ({ kind: 'FindingMade', value: asJson(finding) })));
  }

  async setAside(accepted: SetAside): Promise<void> {
    await this.#append([{ kind: 'HeadsSetAside', value: asJson(accepted) }]);
  }

  close(): Promise<void> {
    return this.#journal.close();
  }

  async #append(entries: readonly Entry[]): Promise<void> {
    const records = entries.map(({ kind, value }) => ({
      store: 'audit',
      kind,
      principal: 'auditor',
      payload: { ...value, signature: this.#key.sign({ entry: kind, ...value }) },
    }));
    try {
      await this.#journal.append(records);
    } catch (error) {
      throw new OwnRecordError(`the auditor's own record accepts no entries: ${String(error)}`, { cause: error });
    }
    for (const { kind, payload } of records) this.#apply(kind, payload);
  }

  #checkSignature(entry: string, seq: number, payload: Json): void {
    const { signature: found, ...value } = payload as { readonly [key: string]: Json };
    if (typeof found === 'string' && this.#key.isSigned({ entry, ...value }, found)) return;
    throw new OwnRecordError(`entry ${seq} of the auditor's own record is not signed with the auditor's key`);
  }

  #apply(kind: string, payload: Json): void {
    const kept = HeadsKept.safeParse(payload);
    if (kind === 'HeadsKept' && kept.success) this.#applyHeads(kept.data.heads);
    const found = FindingMade.safeParse(payload);
    if (kind === 'FindingMade' && found.success) this.#applyFinding(found.data);
    const aside = HeadsSetAside.safeParse(payload);
    if (kind === 'HeadsSetAside' && aside.success) this.#applySetAside(aside.data.store);
  }

  #applyHeads(heads: readonly Head[]): void {
    for (const store of new Set(heads.map((head) => head.store))) {
      const more = heads.filter((head) => head.store === store);
      this.heads.set(store, addHeads(this.heads.get(store) ?? [], more, this.#pinned.get(store)));
    }
  }

  #applyFinding(finding: Finding): void {
    this.#told.add(findingKey(finding));
    const { kind, store, seq } = finding;
    if (seq === undefined || !isOfHead(kind)) return;
    this.#pinned.set(store, new Set(this.#pinned.get(store)).add(seq));
  }

  #applySetAside(store: string): void {
    if (store.includes('/')) {
      this.acknowledged.add(store);
      return;
    }
    this.heads.delete(store);
    this.#pinned.delete(store);
    for (const key of this.#told) if (key.split('|')[1] === store) this.#told.delete(key);
  }
}
