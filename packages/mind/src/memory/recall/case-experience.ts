/**
 * What experience says of the way of a case: the potentials of the intent that its run had, with those of every run whose intent has
 * the same words. The id of a megram begins with its run, so the intent is known even where the perceiver put it in its own words.
 *
 * Source: artoo C (a case by content, its megrams as sign and weight).
 */
import type { Potentials } from '@retainer/contract/wire/bus/payloads';
import type { StoredCase } from '../../parts/cases/cases.ts';
import type { IntentComparison } from './intent-comparison.ts';
import { intentOf, runOfMegram, type MegramIndex } from '../../parts/megrams/megrams.ts';
import { potentialsOf, type StoredMegram } from '../../parts/megrams/potentials.ts';

/** Undefined: there is no experience. */
export type CaseExperience = (it: Pick<StoredCase, 'runId'>) => Potentials | undefined;

/** @param entity  the environment: experience of another does not count */
export function caseExperience(
  index: MegramIndex,
  entity: string,
  nowMs: number,
  comparison: IntentComparison,
): CaseExperience {
  const taught = new Map<string, StoredMegram[]>();
  const intentOfRun = new Map<string, string>();
  for (const { space, intent } of index.intents) {
    const megrams = index.of(space, entity).filter((it) => intentOf(it) === intent);
    const key = comparison.subject(intent);
    taught.set(key, [...(taught.get(key) ?? []), ...megrams]);
    for (const { id } of megrams) intentOfRun.set(runOfMegram(id), key);
  }
  const weighed = new Map<string, Potentials>();
  return ({ runId }) => {
    const key = intentOfRun.get(runId);
    const megrams = taught.get(key ?? '');
    if (key === undefined || megrams === undefined) return undefined;
    const known = weighed.get(key) ?? potentialsOf(megrams, nowMs);
    weighed.set(key, known);
    return known;
  };
}
