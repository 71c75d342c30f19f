/**
 * Makes a rule of experience that is strong and of one mind: a best practice, or a warning.
 *
 * Source: artoo A.11 (Dreamer, 3: attention from 5.0 and a decision from 3.0; sources are merged into the rule, both signs of them;
 * one rule for a group in a dream).
 */
import type { WorkPair } from '@retainer/contract/wire/bus/payloads';
import { toolOf, targetOf } from '../../parts/megrams/megram-space.ts';
import { potentialsOf, type StoredMegram } from '../../parts/megrams/potentials.ts';
import { intentOf } from '../../parts/megrams/megrams.ts';
import type { Change, Pass } from './change.ts';
import { evidenceGroups, inTime } from './evidence.ts';
import { ruleChange, type Found } from './new-rule.ts';

/** Source: artoo A.11. */
const ATTENTION_MIN = 5;
const DECISION_MIN = 3;
/** Sums of decimal fractions deviate by less. */
const TOLERANCE = 1e-9;

const PREFER = 'so much experience of one mind is a best practice';
const AVOID = 'so much experience of one mind is a warning';

/** Tools on targets that a warning forbids: as many as one line tells. */
const BLAMED_MAX = 4;

export const rules: Pass = function* ({ megrams }, nowMs) {
  const groups = yield* evidenceGroups(megrams);
  const changes: Change[] = [];
  for (const group of groups) {
    yield;
    const { attention, decision } = potentialsOf(group, nowMs);
    if (attention < ATTENTION_MIN - TOLERANCE || Math.abs(decision) < DECISION_MIN - TOLERANCE) continue;
    const found = foundIn(group, decision > 0 ? 1 : -1);
    if (found !== undefined) changes.push(ruleChange(megrams, found, nowMs));
  }
  return changes;
};

function foundIn(group: readonly StoredMegram[], sigma: 1 | -1): Found | undefined {
  const sources = inTime(group);
  const agreeing = sources.filter((it) => it.sigma * sigma > 0);
  const newest = agreeing.at(-1);
  if (newest === undefined) return undefined;
  const { space, entity, about } = newest;
  const tool = toolOf(space);
  const told = sigma > 0 ? `this led to success ${agreeing.length} times` : `this failed ${agreeing.length} times`;
  return {
    space,
    entity,
    ...(about === undefined ? {} : { about }),
    sigma,
    content: `${told}; the newest: ${newest.content}`,
    subjectWords:
      tool === undefined ? `tasks like ${intentOf(newest) ?? space}` : `${tool} on ${targetOf(newest) ?? entity}`,
    ...(tool === undefined ? {} : { names: tool }),
    ...(sigma < 0 ? { blamed: oftenBlamed(agreeing) } : {}),
    sources,
    reason: sigma > 0 ? PREFER : AVOID,
  };
}

/** What at least half of the failures blame. */
function oftenBlamed(failures: readonly StoredMegram[]): WorkPair[] {
  const counts = new Map<string, { readonly pair: WorkPair; count: number }>();
  for (const pair of failures.flatMap(({ blamed = [] }) => blamed)) {
    const key = JSON.stringify([pair.tool, pair.target]);
    const known = counts.get(key) ?? { pair, count: 0 };
    known.count += 1;
    counts.set(key, known);
  }
  const often = [...counts.values()].filter(({ count }) => count * 2 >= failures.length);
  return often
    .toSorted((a, b) => b.count - a.count)
    .slice(0, BLAMED_MAX)
    .map(({ pair }) => pair);
}
