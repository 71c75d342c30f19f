/** Metrics that parts declare: gauges of what they know, counters of their records. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Recorded } from '@retainer/mind/part/projection';
import { countersOfParts, gaugesOfParts, type StatesOfParts } from '@retainer/mind/parts/derived';
import { metricsOfParts } from '../parts/derived.ts';

/** @param known  read on every scrape. @returns what counts each durable record */
export function createPartMetrics(registry: Registry, known: () => StatesOfParts): (record: Recorded) => void {
  for (const name of new Set(gaugesOfParts.map((it) => it.name))) addGauge(registry, name, known);
  const counting = countersOfParts.map((it) => {
    const { name, help, labelNames = [], from = [] } = it;
    const counter = new Counter({ name: `retainer_agent_${name}`, help, labelNames, registers: [registry] });
    for (const labels of from) counter.inc(labels, 0);
    return (record: Recorded): void => {
      for (const { labels = {}, by = 1 } of it.count(record)) counter.inc(labels, by);
    };
  });
  const remembering = metricsOfParts(registry);
  return (record) => {
    for (const count of counting) count(record);
    remembering(record);
  };
}

function addGauge(registry: Registry, name: string, known: () => StatesOfParts): void {
  const same = gaugesOfParts.filter((it) => it.name === name);
  const labelNames = [...new Set(same.flatMap(({ labels = {} }) => Object.keys(labels)))];
  new Gauge({
    name: `retainer_agent_${name}`,
    help: same[0]?.help ?? '',
    labelNames,
    registers: [registry],
    collect() {
      for (const { labels = {}, of } of same) {
        const value = of(known() as never);
        if (value === undefined) this.remove(labels);
        else this.set(labels, value);
      }
    },
  });
}
