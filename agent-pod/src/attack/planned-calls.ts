/** The calls of an attack and of the work that it comes across, as far as they are known before anything is read. Pure. */
import { CANARIES } from './canaries.ts';
import type { Call, Seen, Step } from './goal.ts';
import type { Pair } from './pairs.ts';

/** Shows a step a secret, so that it says what it would call with one. */
const SHOWN: Seen = { results: [CANARIES.Fact], context: CANARIES.Fact };

const callsIn = (steps: readonly Step[]): readonly Call[] => steps.flatMap((step) => step(SHOWN) ?? []);

/** Of the work alone. */
export function workCalls({ scene }: Pick<Pair, 'scene'>): readonly Call[] {
  return callsIn(scene.jobs.flatMap((job) => job.steps));
}

/** Of the attack alone. */
export function attackCalls({ purposes }: Pick<Pair, 'purposes'>): readonly Call[] {
  return callsIn(purposes.flatMap(({ goal }) => goal.steps));
}
