/**
 * Forgets experience that has faded. Rules do not fade, nor does what a person taught.
 *
 * Source: artoo A.11 (Dreamer, 1: an entry of M or K below 0.1 goes; 5: each entry by itself).
 */
import { decay, decayOriginMs, type StoredMegram } from '../../parts/megrams/potentials.ts';
import { inRecords, type Change, type Pass } from './change.ts';

/** What is left of an entry's strength when it goes. Source: artoo A.11. */
const STRENGTH_MIN = 0.1;

const REASON = 'less than a tenth of it is left';

export const forget: Pass = function* ({ megrams }, nowMs) {
  const faded: string[] = [];
  for (const megram of megrams.kept.megrams) {
    yield;
    if (hasFaded(megram, nowMs)) faded.push(megram.id);
  }
  return [...inRecords(faded)].map((ids): Change => {
    return {
      reason: REASON,
      commands: [{ store: 'megram', kind: 'MegramForgotten', payload: { ids, reason: REASON } }],
    };
  });
};

function hasFaded(megram: StoredMegram, nowMs: number): boolean {
  if (megram.level !== 'M' && megram.level !== 'K') return false;
  return Math.abs(megram.f) * decay(nowMs - decayOriginMs(megram), megram.k) < STRENGTH_MIN;
}
