/**
 * Cases: what a run tried on a problem, and what came of it. A projection of the store `case`.
 *
 * I1  A run has one case at most; writing its id again changes nothing.
 * I2  Cases do not fade. A person takes a case out of use and brings it back; the Dreamer merges cases that say the same, and drops
 *     old failures that teach nothing. What a person had a word on stays.
 * I3  A run credits a case once; writing its credit again changes nothing. What is credited to a merged case goes to the other one.
 */
import { forgetOldest } from '@retainer/contract/std/forget-oldest';
import { CASE_CATEGORIES, CASE_STATUSES } from '@retainer/contract/wire/bus/recalled-case';
import { z } from 'zod';
import { join, Label } from '../../gate/provenance/label.ts';
import { originField } from '../../part/applied-changes.ts';
import { addNewest } from '../../part/newest-members.ts';
import { defineProjection } from '../../part/projection.ts';

/** Cases that are indexed, the newest ones: what a person could never read, and some 40 MB at most. */
const CASES_INDEXED = 20_000;

/** Credits that are known by run and case, the newest ones: only a run that was just archived is asked for. */
const CREDITS_KEPT = 4_000;

/** Cases that were merged or dropped and are known by id, the newest ones: only a run that was just archived, or told one, asks. */
const RETIRED_KEPT = 4_000;

/** Pitfalls of a case after merging: a case made by a run has as many at most. */
const PITFALLS_MAX = 16;

/** Notes of a case after merging; two of them are told. */
const NOTES_MAX = 16;

/** What a person did to a case. `Correct`: what they say counts instead of its assessment. `Endorse`: its words are believed. */
export const CURATIONS = ['Correct', 'Annotate', 'Suppress', 'Unsuppress', 'Boost', 'Endorse'] as const;

const Written = z.object({
  caseId: z.string(),
  category: z.enum(CASE_CATEGORIES),
  problem: z.object({
    /** In the words of the Task. */
    input: z.string(),
    intent: z.string(),
    domain: z.string(),
    entities: z.array(z.string()),
    keywords: z.array(z.string()),
    complexity: z.enum(['Simple', 'Complex']),
  }),
  solution: z.object({
    approach: z.string(),
    agents: z.array(z.string()),
    tools: z.array(z.string()),
    /** Calls that ran, as tool and target. */
    steps: z.array(z.string()),
  }),
  outcome: z.object({
    status: z.enum(CASE_STATUSES),
    /** 0 to 1: the share of the criteria that were met. */
    confidence: z.number(),
    assessment: z.string(),
    pitfalls: z.array(z.string()),
  }),
  /** Of everything that the run had read: whose words the case may hold. */
  label: Label,
});
export type CaseWritten = z.infer<typeof Written>;

const Used = z.object({
  caseId: z.string(),
  /** A plan, or the worker of a single step, was shown it. */
  shown: z.boolean(),
  /** The plan followed it: names its line, or nobody was asked which lines it follows. */
  cited: z.boolean(),
  /** How the run ended that was told it. */
  outcome: z.enum(CASE_STATUSES),
});
export type CaseUsed = z.infer<typeof Used>;

export const caseKinds = {
  CaseWritten: Written,
  /** The run of the record was told of the case. */
  CaseUsed: Used,
  CaseCurated: z.object({
    caseId: z.string(),
    how: z.enum(CURATIONS),
    by: z.string(),
    reason: z.string(),
    ...originField,
  }),
  /** The cases say the same as another one, which stands for them from then on. */
  CaseMerged: z.object({ ids: z.array(z.string()), into: z.string(), reason: z.string() }),
  /** Old failures that teach nothing: nobody is told them any more. */
  CasePruned: z.object({ ids: z.array(z.string()), reason: z.string() }),
} as const;

const StoredCase = Written.extend({
  runId: z.string(),
  /** Milliseconds since 1970. */
  writtenAtMs: z.number(),
  isSuppressed: z.boolean(),
  /** How often a run was shown it, and how often one that followed it succeeded. */
  shown: z.number(),
  succeeded: z.number(),
  /** A person had a word on it. */
  isCurated: z.boolean(),
  /** How often a person called it useful. */
  boosts: z.number(),
  /** What people added, oldest first. */
  notes: z.array(z.string()),
});
export type StoredCase = Readonly<z.infer<typeof StoredCase>>;

export interface Cases {
  readonly byId: Map<string, StoredCase>;
  /** Cases that are no longer indexed, because newer ones came. */
  left: number;
  /** By `creditKey`. */
  readonly credited: Set<string>;
  /** Cases that are out of use for good, with the one that stands for each; empty: none does. */
  readonly retired: Map<string, string>;
}

function creditKey(runId: string, caseId: string): string {
  return JSON.stringify([runId, caseId]);
}

/** Whether the credit of this run for this case is written. */
export function isCredited({ credited }: Pick<Cases, 'credited'>, runId: string, caseId: string): boolean {
  return credited.has(creditKey(runId, caseId));
}

/** The newest runs that were told a case. */
export function runsTold({ credited }: Pick<Cases, 'credited'>): ReadonlySet<string> {
  const runs = new Set<string>();
  // A key is the JSON of run and case; there are thousands, and the id of a run has nothing that JSON escapes.
  for (const key of credited) runs.add(key.slice(2, key.indexOf('"', 2)));
  return runs;
}

/** Whether a case was ever written, as far as anybody can still ask. */
export function isCaseKnown({ byId, retired }: Pick<Cases, 'byId' | 'retired'>, caseId: string): boolean {
  return byId.has(caseId) || retired.has(caseId);
}

/** What a case was good for: each word of a person for it counts as a success. */
export function useOf({ shown, succeeded, boosts }: StoredCase): {
  readonly shown: number;
  readonly succeeded: number;
} {
  return { shown: shown + boosts, succeeded: succeeded + boosts };
}

export const cases = defineProjection({
  store: 'case',
  kinds: caseKinds,
  start: (): Cases => ({ byId: new Map(), left: 0, credited: new Set(), retired: new Map() }),
  folds: {
    CaseWritten: (cases, written, { timeMs, runId = '' }) => {
      const { byId } = cases;
      if (isCaseKnown(cases, written.caseId)) return;
      const fresh = { isSuppressed: false, isCurated: false, shown: 0, succeeded: 0, boosts: 0, notes: [] };
      byId.set(written.caseId, { ...written, ...fresh, runId, writtenAtMs: timeMs });
      if (forgetOldest(byId, CASES_INDEXED)) cases.left += 1;
    },
    CaseUsed: ({ byId, credited, retired }, { caseId: told, ...use }, { runId = '' }) => {
      const caseId = retired.get(told) ?? told;
      const before = byId.get(caseId);
      const key = creditKey(runId, caseId);
      if (before !== undefined && !credited.has(key)) byId.set(caseId, credit(before, use));
      addNewest(credited, key, CREDITS_KEPT);
    },
    CaseCurated: ({ byId }, curation) => {
      const before = byId.get(curation.caseId);
      if (before !== undefined) byId.set(curation.caseId, curated({ ...before, isCurated: true }, curation));
    },
    CaseMerged: (cases, { ids, into }) => {
      for (const id of ids) {
        const [kept, merged] = [cases.byId.get(into), cases.byId.get(id)];
        if (kept === undefined || merged === undefined || id === into) continue;
        cases.byId.set(into, mergedCase(kept, merged));
        retire(cases, id, into);
      }
    },
    CasePruned: (cases, { ids }) => {
      for (const id of ids) if (cases.byId.has(id)) retire(cases, id, '');
    },
  },
  window: 'WholeStore',
  cached: {
    version: 4,
    schema: z.object({
      cases: z.array(StoredCase),
      left: z.number(),
      credited: z.array(z.string()),
      retired: z.array(z.tuple([z.string(), z.string()])),
    }),
    keep: ({ byId, left, credited, retired }) => {
      return { cases: [...byId.values()], left, credited: [...credited], retired: [...retired] };
    },
    restore: (cases, kept) => {
      for (const it of kept.cases) cases.byId.set(it.caseId, it);
      for (const key of kept.credited) cases.credited.add(key);
      for (const [id, into] of kept.retired) cases.retired.set(id, into);
      cases.left = kept.left;
    },
  },
});

function retire({ byId, retired }: Cases, id: string, into: string): void {
  byId.delete(id);
  // What was merged into it goes on with it.
  for (const [other, via] of retired) if (via === id) retired.set(other, into);
  retired.set(id, into);
  forgetOldest(retired, RETIRED_KEPT);
}

/** The case, with what the other was good for and what went wrong there. */
function mergedCase(kept: StoredCase, merged: StoredCase): StoredCase {
  const pitfalls = [...new Set([...kept.outcome.pitfalls, ...merged.outcome.pitfalls])].slice(0, PITFALLS_MAX);
  return {
    ...kept,
    outcome: { ...kept.outcome, pitfalls },
    label: join(kept.label, merged.label),
    shown: kept.shown + merged.shown,
    succeeded: kept.succeeded + merged.succeeded,
    boosts: kept.boosts + merged.boosts,
    notes: [...merged.notes, ...kept.notes].slice(-NOTES_MAX),
  };
}

/** What nobody saw says nothing of it. What was seen and not followed counts as seen alone. */
function credit(it: StoredCase, { shown, cited, outcome }: Omit<CaseUsed, 'caseId'>): StoredCase {
  if (!shown) return it;
  return { ...it, shown: it.shown + 1, succeeded: it.succeeded + (cited && outcome === 'Success' ? 1 : 0) };
}

function curated(it: StoredCase, { how, by, reason }: z.infer<(typeof caseKinds)['CaseCurated']>): StoredCase {
  switch (how) {
    case 'Correct':
      return { ...it, outcome: { ...it.outcome, assessment: reason } };
    case 'Annotate':
      return { ...it, notes: [...it.notes, reason] };
    case 'Boost':
      return { ...it, boosts: it.boosts + 1 };
    case 'Endorse':
      return { ...it, label: { ...it.label, source: { kind: 'Person', name: by }, trust: 'Trusted' } };
    case 'Suppress':
    case 'Unsuppress':
      return { ...it, isSuppressed: how === 'Suppress' };
  }
}
