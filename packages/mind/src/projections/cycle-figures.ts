/** How many cycles began today (UTC), and when one was last told of the agent: a fold of the store `cycle`. */
import { z } from 'zod';
import { cycleKinds, type CycleEvent } from '../cycle/event.ts';
import { defineProjection, eventOf, everyKind } from '../part/projection.ts';

const DAY_MS = 24 * 3600 * 1000;

const CycleFigures = z.object({
  /** Days since 1970. */
  day: z.number(),
  cyclesToday: z.number(),
  /** When a cycle was last told of the agent, milliseconds since 1970; absent: not within a day. */
  toldAtMs: z.number().exactOptional(),
});
export type CycleFigures = z.infer<typeof CycleFigures>;

export function takeCycleEvent(figures: CycleFigures, event: CycleEvent): void {
  if (event.kind !== 'CycleStarted') return;
  if (event.curated !== undefined) figures.toldAtMs = event.atMs;
  const day = Math.floor(event.atMs / DAY_MS);
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
    takeCycleEvent(figures, eventOf<CycleEvent>(record)),
  ),
  window: { lastMs: DAY_MS },
  cached: {
    version: 3,
    schema: CycleFigures,
    keep: (figures) => ({ ...figures }),
    restore: (figures, kept) => {
      Object.assign(figures, kept);
    },
  },
});
