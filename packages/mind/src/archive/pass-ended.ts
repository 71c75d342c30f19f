/** What a pass changed, in counts. */
import type { PassName } from '../memory/tend/passes.ts';
import type { Change, TendCommand } from '../memory/tend/change.ts';
import type { DreamEventOf } from './dream-event.ts';

export function passEnded(
  dreamId: string,
  pass: PassName,
  changes: readonly Change[],
): Omit<DreamEventOf<'PassEnded'>, 'kind'> {
  const changed: Record<string, number> = {};
  const reasons: Record<string, number> = {};
  for (const { reason, commands } of changes) {
    reasons[reason] = (reasons[reason] ?? 0) + 1;
    for (const it of commands) changed[it.kind] = (changed[it.kind] ?? 0) + thingsOf(it);
  }
  return { dreamId, pass, changed, reasons };
}

function thingsOf({ payload }: TendCommand): number {
  return 'ids' in payload ? payload.ids.length : 1;
}
