/** Metrics of the rollout: a handful of series, however many agents there are. */
import { Gauge, type Registry } from 'prom-client';
import type { RolloutState } from '@retainer/contract/wire/rollout';

export interface RolloutMetrics {
  seen(state: RolloutState): void;
}

export function rolloutMetrics(registry: Registry): RolloutMetrics {
  const registers = [registry];
  const halted = new Gauge({
    name: 'retainer_rollout_halted',
    help: '1 while a release is halted because an agent did not come up with it; else 0.',
    registers,
  });
  const agents = new Gauge({
    name: 'retainer_rollout_agents',
    help: 'Working agents that a release concerns, and those of them that are Ready with it.',
    labelNames: ['state'],
    registers,
  });
  return {
    seen: (state) => {
      halted.set(state.phase === 'Halted' ? 1 : 0);
      agents.set({ state: 'all' }, state.agents);
      agents.set({ state: 'ready' }, state.ready);
    },
  };
}
