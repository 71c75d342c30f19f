/**
 * Merges cases that say the same: the newest stands for them, with what all of them were good for. Failures merge, too.
 *
 * I1  Only cases of the same end and the same trust: a stranger's case takes nothing from a believed one, and adds nothing to it.
 * I2  A case that a person had a word on is never merged away, and one out of use is left alone.
 *
 * Source: springdrift 4 (dedup), 17 (M3: removal survives a restart). Differs: `case-likeness.ts`.
 */
import type { StoredCase } from '../../parts/cases/cases.ts';
import type { Fields } from '../recall/recall-case.ts';
import { caseFields, caseLikeness, LOOSE_LIKENESS } from './case-likeness.ts';
import { inRecords, type Change, type Pass, type TendSettings } from './change.ts';

const REASON = 'they say the same as a newer case, or as one that a person had a word on';

interface Keeper {
  readonly id: string;
  readonly fields: Fields;
}

export const mergeCases: Pass = function* ({ cases }, _nowMs, { caseDedupSimilarity }) {
  const keepers = new Map<string, Keeper[]>();
  const merged = new Map<string, string[]>();
  for (const it of inOrder([...cases.byId.values()])) {
    yield;
    const fields = caseFields(it);
    const bins = binsOf(it, fields, caseDedupSimilarity);
    const candidates = it.isCurated ? [] : bins.flatMap((bin) => keepers.get(bin) ?? []);
    const into = candidates.find((other) => caseLikeness(fields, other.fields) >= caseDedupSimilarity);
    if (into !== undefined) {
      merged.set(into.id, [...(merged.get(into.id) ?? []), it.caseId]);
      continue;
    }
    for (const bin of bins) keepers.set(bin, [...(keepers.get(bin) ?? []), { id: it.caseId, fields }]);
  }
  return [...merged].flatMap(([into, all]) =>
    [...inRecords(all)].map((ids): Change => {
      return {
        reason: REASON,
        commands: [{ store: 'case', kind: 'CaseMerged', payload: { ids, into, reason: REASON } }],
      };
    }),
  );
};

/** Those that may stand for others first: what a person had a word on, then the newest. */
function inOrder(all: readonly StoredCase[]): readonly StoredCase[] {
  return all
    .filter(({ isSuppressed }) => !isSuppressed)
    .toSorted(
      (a, b) =>
        Number(b.isCurated) - Number(a.isCurated) || b.writtenAtMs - a.writtenAtMs || (a.caseId < b.caseId ? 1 : -1),
    );
}

/**
 * Cases without a common bin cannot be alike enough: ten thousand are compared with those that share a keyword, not with each other.
 * Where an Agent merges what is hardly alike, all of one end and trust are compared.
 */
function binsOf(
  { outcome: { status }, label: { trust } }: StoredCase,
  { intent, domain, keywords }: Fields,
  similarity: TendSettings['caseDedupSimilarity'],
): readonly string[] {
  if (similarity <= LOOSE_LIKENESS) return [JSON.stringify([status, trust])];
  const bin = (keyword: string): string => JSON.stringify([status, trust, intent, domain, keyword]);
  return keywords.size === 0 ? [bin('')] : [...keywords].map(bin);
}
