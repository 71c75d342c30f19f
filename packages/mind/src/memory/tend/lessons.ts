/**
 * Finds a mistake that comes back in other clothes: one tool that fails again and again, in several runs, each time on another target
 * of the same place. No single run can know it, and no pair of tool and target holds enough of it for a rule.
 *
 * I1  A lesson is about believed experience only, or about that of strangers only: neither hides the other.
 *
 * Source: artoo A.11 (a lesson, not a trace; a constraint from an attention of 3.0 and a decision of −2.0).
 */
import type { Sliced } from '../../gate/text/pace.ts';
import { placePair, targetOf, toolOf } from '../../parts/megrams/megram-space.ts';
import { potentialsOf, type StoredMegram } from '../../parts/megrams/potentials.ts';
import { termsOf } from '../recall/terms.ts';
import { runOfMegram, type MegramIndex } from '../../parts/megrams/megrams.ts';
import type { Change, Pass } from './change.ts';
import { inTime, isEvidence } from './evidence.ts';
import { ruleChange, type Found } from './new-rule.ts';

/** Source: artoo A.11 (lessons). */
const ATTENTION_MIN = 3;
const DECISION_MAX = -2;
const TOLERANCE = 1e-9;

/** Runs that made it: twice is an accident. */
const RUNS_MIN = 3;
/** Different targets: on one and the same, the pair itself is told. */
const TARGETS_MIN = 2;

/** The part of the failures that share a word: their reasons are one. */
const SHARED_RATIO = 0.8;

const REASON = 'one mistake came back in several runs, each time on another target of the same place';

interface Failures {
  readonly tool: string;
  readonly place: string;
  readonly megrams: StoredMegram[];
}

export const lessons: Pass = function* ({ megrams }, nowMs) {
  const changes: Change[] = [];
  const taken = new Set<string>();
  for (const { tool, place, megrams: all } of yield* byPlace(megrams)) {
    yield;
    const free = inTime(all.filter(({ id }) => !taken.has(id)));
    if (!isLesson(free, nowMs)) continue;
    for (const { id } of free) taken.add(id);
    changes.push(ruleChange(megrams, foundIn(tool, place, free), nowMs));
  }
  return changes;
};

/** The narrowest places first: what a folder explains is not blamed on the whole disk. */
function* byPlace(index: MegramIndex): Sliced<readonly Failures[]> {
  const found = new Map<string, Failures>();
  for (const megram of index.kept.megrams) {
    yield;
    const tool = toolOf(megram.space);
    if (tool === undefined || megram.sigma === 0 || !isEvidence(megram)) continue;
    for (const place of placesOf(targetOf(megram) ?? '')) {
      const key = JSON.stringify([tool, place, megram.isTrusted]);
      const failures = found.get(key) ?? { tool, place, megrams: [] };
      failures.megrams.push(megram);
      found.set(key, failures);
    }
  }
  return [...found.values()].toSorted(
    (a, b) => b.place.length - a.place.length || (a.place + a.tool < b.place + b.tool ? -1 : 1),
  );
}

/** `data/drafts/a.csv` is in `data/drafts/` and in `data/`; an address is at its host at the widest. */
function placesOf(target: string): readonly string[] {
  const host = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s]+\//i.exec(target)?.[0] ?? '';
  if (/\s/.test(target)) return [];
  const places: string[] = [];
  for (let end = target.lastIndexOf('/'); end >= Math.max(host.length - 1, 1); end = target.lastIndexOf('/', end - 1))
    places.push(target.slice(0, end + 1));
  return places;
}

function isLesson(megrams: readonly StoredMegram[], nowMs: number): boolean {
  const failures = megrams.filter(({ sigma }) => sigma < 0);
  const { attention, decision } = potentialsOf(megrams, nowMs);
  return (
    attention >= ATTENTION_MIN - TOLERANCE &&
    decision <= DECISION_MAX + TOLERANCE &&
    new Set(failures.map(({ id }) => runOfMegram(id))).size >= RUNS_MIN &&
    new Set(failures.map(({ entity }) => entity)).size >= TARGETS_MIN &&
    sharedTerms(failures).length > 0
  );
}

/** Stems of words that most of the failures have in common. */
function sharedTerms(failures: readonly StoredMegram[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { content } of failures)
    for (const term of new Set(termsOf(content))) counts.set(term, (counts.get(term) ?? 0) + 1);
  return [...counts].filter(([, count]) => count >= SHARED_RATIO * failures.length).map(([term]) => term);
}

function foundIn(tool: string, place: string, sources: readonly StoredMegram[]): Found {
  const failures = sources.filter(({ sigma }) => sigma < 0);
  const runs = new Set(failures.map(({ id }) => runOfMegram(id))).size;
  const targets = new Set(failures.map(({ entity }) => entity)).size;
  return {
    ...placePair(tool, place),
    sigma: -1,
    content: `use ${tool} on ${place}: it failed in ${runs} runs on ${targets} targets there; the newest: ${failures.at(-1)?.content ?? ''}`,
    subjectWords: `${tool} on targets that begin with ${place}`,
    names: place,
    sources,
    reason: REASON,
  };
}
