/**
 * Facts: the agent's claims as keys and values. A projection with the value that holds for each key; others stay in the journal.
 *
 * I1  What a person said of a key holds until a person says otherwise, or clears it.
 * I2  A fact of a run or a cycle is seen by that run or cycle only, before one that holds for all.
 */
import { forgetOldest } from '@retainer/contract/std/forget-oldest';
import { z } from 'zod';
import { Label } from '../../gate/provenance/label.ts';
import { originField } from '../../part/applied-changes.ts';
import {
  confidenceNow,
  DERIVATIONS,
  FACT_HALF_LIFE_DAYS,
  FACT_SCOPES,
  replaces,
  SETTLEMENTS,
  settlementOf,
} from './fact-rules.ts';
import { defineProjection, type Projection } from '../../part/projection.ts';

/** Calls, paths and addresses that one fact cites: more are a report, which belongs in a file. */
export const EVIDENCE_MAX = 16;

/** Values that are indexed, the newest ones. So many take some 50 MB at most; a key that left is written anew when it is needed. */
const FACTS_INDEXED = 50_000;

const claim = {
  scope: z.enum(FACT_SCOPES),
  /** 0 to 1, at the moment of writing. */
  confidence: z.number().min(0).max(1),
  derivation: z.enum(DERIVATIONS),
  /** What a call of the cycle brought and the writer cites. */
  evidence: z.array(z.string()).max(EVIDENCE_MAX),
};

export const factKinds = {
  FactWritten: z.object({
    key: z.string(),
    value: z.string(),
    /** Absent: a person wrote it. */
    callId: z.string().exactOptional(),
    /** Label of everything that the cycle had read. */
    label: Label,
    ...claim,
    reason: z.string().exactOptional(),
    ...originField,
  }),
  /** Nothing holds for the key any more. */
  FactCleared: z.object({ key: z.string(), by: z.string(), reason: z.string(), ...originField }),
  /** Two values of a key contradicted each other; the Dreamer says which one holds, and why. Sequences are of their records. */
  FactSuperseded: z.object({ key: z.string(), seq: z.number(), bySeq: z.number(), reason: z.string() }),
} as const;
export type FactWritten = z.infer<(typeof factKinds)['FactWritten']>;

const StoredFact = z.object({
  key: z.string(),
  value: z.string(),
  /** Milliseconds since 1970. */
  writtenAtMs: z.number(),
  label: Label,
  ...claim,
  /** Of the record. */
  seq: z.number(),
  runId: z.string().exactOptional(),
  cycleId: z.string().exactOptional(),
});
export type StoredFact = Readonly<z.infer<typeof StoredFact>>;

/** A value that holds no more, or never did, because another one of its key contradicts it. */
const Dispute = z.object({ key: z.string(), seq: z.number(), bySeq: z.number(), why: z.enum(SETTLEMENTS) });
export type Dispute = Readonly<z.infer<typeof Dispute>>;

/** Contradictions that nobody has told of yet, the newest ones: a dream tells of them within the hour. */
const DISPUTES_KEPT = 1_000;

export interface Facts {
  /** By slot: a key, and the run or cycle for which alone it holds. */
  readonly held: Map<string, StoredFact>;
  /** Values that are no longer indexed, because newer ones came. */
  left: number;
  /** Contradictions since the last dream, by the sequence of the value that does not hold. */
  readonly disputed: Map<number, Dispute>;
}

/** Who asks; nobody sees facts of other runs and cycles. */
export interface FactReader {
  readonly runId?: string;
  readonly cycleId?: string;
}

/** No key has a space in it. */
function slotOf({ key, scope, runId = '', cycleId = '' }: Pick<StoredFact, 'key' | 'scope' | 'runId' | 'cycleId'>) {
  if (scope === 'Persistent') return key;
  return `${key} ${scope === 'Run' ? runId : cycleId}`;
}

/** The value that holds for exactly this key, scope, run and cycle. */
export function heldLike({ held }: Facts, fact: Parameters<typeof slotOf>[0]): StoredFact | undefined {
  return held.get(slotOf(fact));
}

/** @param halfLifeDays  after which half of a fact's confidence is left */
export function factsProjection(halfLifeDays: number): Projection<Facts> {
  return defineProjection({
    store: 'fact',
    kinds: factKinds,
    start: (): Facts => ({ held: new Map<string, StoredFact>(), left: 0, disputed: new Map<number, Dispute>() }),
    folds: {
      FactWritten: (facts, fact, { timeMs, seq, runId, cycleId }) => {
        const { key, value, label, scope, confidence, derivation, evidence } = fact;
        const by = { ...(runId === undefined ? {} : { runId }), ...(cycleId === undefined ? {} : { cycleId }) };
        // Each field by its name: what a rest leaves over is read ten times slower, and every cycle reads all facts.
        const held = { key, value, label, scope, confidence, derivation, evidence, writtenAtMs: timeMs, seq, ...by };
        hold(facts, held, halfLifeDays);
      },
      FactCleared: ({ held }, { key }) => {
        held.delete(key);
      },
      FactSuperseded: ({ disputed }, { seq }) => {
        disputed.delete(seq);
      },
    },
    window: 'WholeStore',
    cached: {
      version: 4,
      schema: z.object({
        halfLifeDays: z.literal(halfLifeDays),
        facts: z.array(StoredFact),
        left: z.number(),
        disputed: z.array(Dispute),
      }),
      keep: ({ held, left, disputed }) => {
        return { halfLifeDays, facts: [...held.values()], left, disputed: [...disputed.values()] };
      },
      restore: (facts, kept) => {
        for (const fact of kept.facts) facts.held.set(slotOf(fact), fact);
        for (const dispute of kept.disputed) facts.disputed.set(dispute.seq, dispute);
        facts.left = kept.left;
      },
    },
  });
}

/** For an Agent that names no half-life. */
export const facts = factsProjection(FACT_HALF_LIFE_DAYS);

function hold(facts: Facts, fact: StoredFact, halfLifeDays: number): void {
  const { held } = facts;
  const slot = slotOf(fact);
  const older = held.get(slot);
  const holds = older === undefined || replaces(older, fact, halfLifeDays);
  if (older !== undefined) noteDispute(facts, holds ? [fact, older] : [older, fact]);
  if (!holds) return;
  held.delete(slot);
  held.set(slot, fact);
  if (forgetOldest(held, FACTS_INDEXED)) facts.left += 1;
}

/** The same said again contradicts nothing, and what holds for one run ends with it. */
function noteDispute({ disputed }: Facts, [kept, lost]: readonly [StoredFact, StoredFact]): void {
  if (kept.value === lost.value || kept.scope !== 'Persistent') return;
  const dispute = { key: lost.key, seq: lost.seq, bySeq: kept.seq, why: settlementOf(kept, lost) };
  disputed.set(lost.seq, dispute);
  forgetOldest(disputed, DISPUTES_KEPT);
}

/** Forgets the facts of runs and of their cycles that are over: they hold for nobody any more. */
export function forgetFactsOf({ held }: Facts, isOver: (runId: string | undefined) => boolean): void {
  for (const [slot, { scope, runId }] of held) if (scope !== 'Persistent' && isOver(runId)) held.delete(slot);
}

/** Facts whose key starts with `prefix`, by key; of one key the one that is closest to the reader. */
export function factsUnder({ held }: Facts, prefix: string, reader: FactReader = {}): readonly StoredFact[] {
  const seen = new Map<string, StoredFact>();
  const rank = ({ scope }: StoredFact): number => FACT_SCOPES.indexOf(scope);
  for (const fact of held.values()) {
    if (!fact.key.startsWith(prefix) || !isSeenBy(fact, reader)) continue;
    const other = seen.get(fact.key);
    if (other === undefined || rank(fact) > rank(other)) seen.set(fact.key, fact);
  }
  return [...seen.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

function isSeenBy({ scope, runId, cycleId }: StoredFact, reader: FactReader): boolean {
  if (scope === 'Persistent') return true;
  return scope === 'Run' ? runId === reader.runId : cycleId === reader.cycleId;
}

/** The fact with what is left of its confidence. */
export function asOf<Fact extends StoredFact>(fact: Fact, nowMs: number, halfLifeDays: number): Fact {
  return { ...fact, confidence: confidenceNow(fact.confidence, nowMs - fact.writtenAtMs, halfLifeDays) };
}
