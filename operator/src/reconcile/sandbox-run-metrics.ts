/** Metrics of sandboxes. Labels are bounded: agents and our own words, never a run. Source: platforms 6. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { CONDITION_REASONS } from '@retainer/contract/api/conditions';
import type { ObjectKey } from '@retainer/kube/kube-object';

export interface SandboxMetrics {
  /** @param outcome  the reason that the run's status names */
  ended(outcome: string): void;
  /** Time from the creation of the object to a listening runner. */
  started(start: 'warm' | 'cold', seconds: number): void;
  poolReady(agent: ObjectKey, ready: number): void;
  /** The agent has no pool, or is gone: nothing is said of it. */
  noPool(agent: ObjectKey): void;
  canary(namespace: string, isEnforced: boolean): void;
}

/** Seconds: some hundredths for a claim, a minute for a cold start on a busy node. The alert RetainerSandboxSlow judges at 30. */
const START_BUCKETS = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 20, 30, 60, 120];

export function sandboxMetrics(registry: Registry): SandboxMetrics {
  const registers = [registry];
  const runs = new Counter({
    name: 'retainer_sandbox_runs_total',
    help: 'Runs of code that ended, by outcome.',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of CONDITION_REASONS.SandboxRun) runs.inc({ outcome }, 0);
  const starts = new Histogram({
    name: 'retainer_sandbox_start_seconds',
    help: 'Time from the creation of a SandboxRun until its runner listens.',
    labelNames: ['start'],
    buckets: START_BUCKETS,
    registers,
  });
  for (const start of ['warm', 'cold']) starts.zero({ start });
  const ready = new Gauge({
    name: 'retainer_sandbox_pool_ready',
    help: 'Ready sandboxes without a run.',
    labelNames: ['agent', 'agent_namespace'],
    registers,
  });
  const enforced = new Gauge({
    name: 'retainer_sandbox_canary_enforced',
    help: '1 if the last canary found all forbidden flows closed; 0 otherwise, and then no code starts.',
    labelNames: ['sandbox_namespace'],
    registers,
  });
  return {
    ended: (outcome) => runs.inc({ outcome }),
    started: (start, seconds) => starts.observe({ start }, seconds),
    poolReady: ({ name, namespace }, count) => ready.set({ agent: name, agent_namespace: namespace }, count),
    noPool: ({ name, namespace }) => ready.remove({ agent: name, agent_namespace: namespace }),
    canary: (namespace, isEnforced) => enforced.set({ sandbox_namespace: namespace }, isEnforced ? 1 : 0),
  };
}
