/** Whether code may run. Stateless: each call reads the caches. */
import { observedCanaries } from '../observe/observe-sandbox-canary.ts';
import { observedGround } from '../observe/observe-sandbox-ground.ts';
import { sandboxStandard } from '../settings/settings.ts';
import { canaryState } from '../status/sandbox/canary-state.ts';
import type { CanaryPort, SandboxParts } from './sandbox-run-parts.ts';

export type CanaryPortParts = Pick<SandboxParts, 'caches' | 'settings' | 'signingKey'>;

export function canaryPort({ caches, settings, signingKey }: CanaryPortParts): CanaryPort {
  const ground = (namespace: string): ReturnType<typeof observedGround> =>
    observedGround(caches, { namespace, standard: sandboxStandard(settings, namespace) }, signingKey);
  return {
    state: (namespace) => canaryState(observedCanaries(caches, namespace), ground(namespace)),
    ground: (namespace) => ground(namespace).digest,
  };
}
