import type { Gauge } from './part.ts';

/** How many things of a kind memory holds. */
export function entriesGauge<Known>(kind: string, of: (known: Known) => number): Gauge {
  return { name: 'memory_entries', help: 'Things in memory, by what they are.', labels: { kind }, of };
}

/** How many things of a kind left memory. */
export function leftGauge<Known>(kind: string, of: (known: Known) => number): Gauge {
  const help = 'Things that left memory because it holds no more; the record has them.';
  return { name: 'memory_left', help, labels: { kind }, of };
}
