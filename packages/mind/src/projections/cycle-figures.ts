/** How many cycles began today (UTC), and when the last one ended: a fold of the store `cycle`. */
import { z } from 'zod';
import { cycleKinds, type CycleEvent } from '../cycle/event.ts';
import { defineProjection, eventOf, everyKind } from '../part/projection.ts';

const DAY_MS = 24 * 3600 * 1000;

const CycleFigures = z.object({
  /** Days since 1970. */
  day: z.number(),
  cyclesToday: z.number(),
  /** Milliseconds since 1970; absent before the first. */
  lastEndMs: z.number().exactOptional(),
});
export type CycleFigures = z.infer<typeof CycleFigures>;

/** @param atMs  of the event, milliseconds since 1970 */
export function takeCycleEvent(figures: CycleFigures, { kind }: Pick<CycleEvent, 'kind'>, atMs: number): void {
  if (kind === 'CycleEnded') figures.lastEndMs = atMs;
  if (kind !== 'CycleStarted') return;
  const day = Math.floor(atMs / DAY_MS);
  figures.cyclesToday = day === figures.day ? figures.cyclesToday + 1 : 1;
  figures.day = day;
}

export const cyclesOn = ({ day, cyclesToday }: CycleFigures, nowMs: number): number =>
  Math.floor(nowMs / DAY_MS) === day ? cyclesToday : 0;

export const cycleFigures = defineProjection({
  store: 'cycle',
  kinds: cycleKinds,
  start: (): CycleFigures => ({ day: 0, cyclesToday: 0 }),
  folds: everyKind(cycleKinds, (figures: CycleFigures, _payload, record) =>
    takeCycleEvent(figures, eventOf<CycleEvent>(record), record.timeMs),
  ),
  window: { lastMs: DAY_MS },
  cached: {
    version: 1,
    schema: CycleFigures,
    keep: (figures) => ({ ...figures }),
    restore: (figures, kept) => {
      Object.assign(figures, kept);
    },
  },
});
