/** Whether code may run. Stateless: each call reads the caches. */
import { observedCanaries } from '../observe/observe-sandbox-canary.ts';
import { canaryState } from '../status/sandbox/canary-state.ts';
import type { Caches } from '../watch/caches.ts';
import type { CanaryPort } from './sandbox-run-parts.ts';

export function canaryPort(caches: Caches): CanaryPort {
  return { state: (namespace) => canaryState(observedCanaries(caches, namespace)) };
}
