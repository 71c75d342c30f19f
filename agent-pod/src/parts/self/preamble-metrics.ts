/**
 * Metrics of the preamble: what each cycle was told of the agent itself, by slot, and what did not fit.
 *
 * Source: springdrift 3 (slots, budget); platforms 6 (own metrics).
 */
import { Counter, Histogram, type Registry } from 'prom-client';
import { SLOTS, type Manifest } from '@retainer/mind/assemble/curator/curate';
import type { Recorded } from '@retainer/mind/part/projection';

/** Characters: a name takes less than 100, the sensorium some thousands; `preambleChars` counts as at least `PREAMBLE_CHARACTERS_MIN`. */
const CHARACTER_BUCKETS = [100, 250, 500, 1_000, 2_500, 5_000, 10_000];

/** @returns what counts each durable record */
export function preambleMetrics(registry: Registry): (record: Recorded) => void {
  const registers = [registry];
  const characters = new Histogram({
    name: 'retainer_agent_preamble_slot_characters',
    help: 'Characters of a slot in what a cycle was told of the agent at its start.',
    labelNames: ['slot'],
    buckets: CHARACTER_BUCKETS,
    registers,
  });
  const cut = new Counter({
    name: 'retainer_agent_preamble_cut_items_total',
    help: 'Items that a cycle was not told at its start, because the slots before them left no room.',
    labelNames: ['slot'],
    registers,
  });
  for (const slot of SLOTS) {
    characters.zero({ slot });
    cut.inc({ slot }, 0);
  }
  return ({ kind, payload }) => {
    if (kind !== 'CycleStarted') return;
    const { curated = [] } = payload as { readonly curated?: Manifest };
    for (const it of curated) {
      characters.observe({ slot: it.slot }, it.characters);
      cut.inc({ slot: it.slot }, it.cut);
    }
  };
}
