/** Experience that counts, in groups, and what a rule is about. */
import type { Sliced } from '../../gate/text/pace.ts';
import { intentOf, type MegramIndex } from '../../parts/megrams/megrams.ts';
import { placeOf, targetOf } from '../../parts/megrams/megram-space.ts';
import { isCounted, type StoredMegram } from '../../parts/megrams/potentials.ts';

/** Experience of levels M and K that counts by itself. */
export function isEvidence(megram: StoredMegram): boolean {
  return (megram.level === 'M' || megram.level === 'K') && isCounted(megram);
}

/** A rule in force. */
export function isRule(megram: StoredMegram): boolean {
  return megram.level === 'C' && isCounted(megram);
}

/** Evidence on the same pair and the same intent, oldest first within each group. */
export function* evidenceGroups(index: MegramIndex): Sliced<readonly (readonly StoredMegram[])[]> {
  const groups = new Map<string, StoredMegram[]>();
  for (const megram of index.kept.megrams) {
    yield;
    if (!isEvidence(megram)) continue;
    const key = JSON.stringify([megram.space, megram.entity, intentOf(megram) ?? '']);
    const group = groups.get(key) ?? [];
    group.push(megram);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** Megrams that a rule speaks of: on its pair and intent, or on a target of its place. */
export function spokenOfBy(index: MegramIndex, rule: StoredMegram): readonly StoredMegram[] {
  const place = placeOf(rule);
  const entities =
    place === undefined
      ? [rule.entity]
      : index.entitiesOf(rule.space).filter((entity) => targetOf({ space: rule.space, entity })?.startsWith(place));
  return entities
    .flatMap((entity) => index.of(rule.space, entity))
    .filter((it) => it.about === undefined || rule.about === undefined || it.about === rule.about);
}

/** Oldest first; equal moments in the order of ids, so that nothing depends on the order of a map. */
export function inTime(megrams: readonly StoredMegram[]): readonly StoredMegram[] {
  return megrams.toSorted((a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1));
}
