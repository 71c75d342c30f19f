/** The machine of one cycle. Pure. */
import { decideCycle, readAhead } from '@retainer/mind/cycle/decide';
import type { CycleConfig } from '@retainer/mind/cycle/draft';
import { isCycleInput, type CycleEvent, type CycleInput } from '@retainer/mind/cycle/event';
import { evolveCycle } from '@retainer/mind/cycle/evolve';
import type { CycleState } from '@retainer/mind/cycle/state';
import type { Machine } from './instance.ts';

export function cycleMachine(config: CycleConfig): Machine<CycleState, CycleInput, CycleEvent> {
  return {
    store: 'cycle',
    isInput: isCycleInput,
    readAhead: (state, input) => readAhead(state, input, config),
    decide: (state, input) => decideCycle(state, input, config),
    evolve: (state, event) => evolveCycle(state, event, config.catalog.known),
  };
}
