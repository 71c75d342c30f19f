/**
 * Tells knowledge from single experience: one success is knowledge at once, a failure from the second on the same pair. What newer
 * experience contradicts is single experience again.
 *
 * Source: artoo A.11 (knowledge).
 */
import type { StoredMegram } from '../../parts/megrams/potentials.ts';
import { inRecords, type Change, type Pass, type TendCommand } from './change.ts';
import { evidenceGroups } from './evidence.ts';

/** Failures on one pair that are more than an accident. Source: artoo A.11 (knowledge). */
const FAILURES_MIN = 2;

const SUCCEEDED = 'it led to success, and nothing newer contradicts it';
const FAILED_AGAIN = 'it failed more than once, and nothing newer contradicts it';
const CONTRADICTED = 'newer experience contradicts it';

export const knowledge: Pass = function* ({ megrams }) {
  const groups = yield* evidenceGroups(megrams);
  const found = { [SUCCEEDED]: [] as string[], [FAILED_AGAIN]: [] as string[], [CONTRADICTED]: [] as string[] };
  for (const group of groups) {
    yield;
    const failures = group.filter(({ sigma }) => sigma < 0).length;
    for (const it of group) {
      const reason = reasonOf(it, group, failures);
      if (reason !== undefined) found[reason].push(it.id);
    }
  }
  return [
    ...changes(SUCCEEDED, found[SUCCEEDED], 'MegramPromoted'),
    ...changes(FAILED_AGAIN, found[FAILED_AGAIN], 'MegramPromoted'),
    ...changes(CONTRADICTED, found[CONTRADICTED], 'MegramDoubted'),
  ];
};

/** Undefined: it stays what it is. A rule that fell is knowledge until it has faded. */
function reasonOf(
  it: StoredMegram,
  group: readonly StoredMegram[],
  failures: number,
): typeof SUCCEEDED | typeof FAILED_AGAIN | typeof CONTRADICTED | undefined {
  if (it.sigma === 0 || it.demotedAtMs !== undefined) return undefined;
  const isContradicted = group.some((other) => other.createdAtMs > it.createdAtMs && other.sigma * it.sigma < 0);
  if (it.level === 'K') return isContradicted ? CONTRADICTED : undefined;
  if (isContradicted) return undefined;
  if (it.sigma < 0) return failures >= FAILURES_MIN ? FAILED_AGAIN : undefined;
  return it.state === 'Accept' || it.state === 'Success' ? SUCCEEDED : undefined;
}

function changes(
  reason: string,
  all: readonly string[],
  kind: Extract<TendCommand['kind'], 'MegramPromoted' | 'MegramDoubted'>,
): readonly Change[] {
  return [...inRecords(all)].map((ids) => ({
    reason,
    commands: [{ store: 'megram', kind, payload: { ids, reason } }],
  }));
}
