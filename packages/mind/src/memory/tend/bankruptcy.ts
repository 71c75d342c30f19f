/**
 * Takes its place from a rule that newer experience contradicts: it becomes knowledge, which fades.
 *
 * Source: artoo A.11 (trust bankruptcy: by evidence newer than the rule, without the rule itself, so that a warning does not
 * contradict itself). Differs: the rule of profile `Spec`, which also drops advice at a sum below 0, is not kept.
 */
import { potentialsOf, type StoredMegram } from '../../parts/megrams/potentials.ts';
import type { MegramIndex } from '../../parts/megrams/megrams.ts';
import type { Change, Pass } from './change.ts';
import { isEvidence, isRule, spokenOfBy } from './evidence.ts';

/** Decay per day of a rule that has fallen. Source: artoo A.11. */
const FALLEN_K = 0.05;

const REASON = 'newer experience contradicts the rule';

export const bankruptcy: Pass = function* ({ megrams }, nowMs) {
  const changes: Change[] = [];
  for (const rule of megrams.kept.megrams) {
    yield;
    if (!isRule(rule) || !isContradicted(megrams, rule, nowMs)) continue;
    const payload = { id: rule.id, k: FALLEN_K, atMs: nowMs, reason: REASON };
    changes.push({ reason: REASON, commands: [{ store: 'megram', kind: 'MegramDemoted', payload }] });
  }
  return changes;
};

/** The action has both conditions in it: attention from 0.5, and a decision beyond 0.2. */
function isContradicted(index: MegramIndex, rule: StoredMegram, nowMs: number): boolean {
  const newer = spokenOfBy(index, rule).filter((it) => isEvidence(it) && it.createdAtMs > rule.createdAtMs);
  const { action } = potentialsOf(newer, nowMs);
  return rule.sigma < 0 ? action === 'Exploit' : action === 'Avoid';
}
