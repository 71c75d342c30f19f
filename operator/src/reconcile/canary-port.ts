/** Whether code may run. Stateless: each call reads the caches. */
import type { SigningKey } from '../desired/signing-key.ts';
import { observedCanaries } from '../observe/observe-sandbox-canary.ts';
import { observedGround } from '../observe/observe-sandbox-ground.ts';
import { sandboxStandard, type Settings } from '../settings/settings.ts';
import { canaryState } from '../status/sandbox/canary-state.ts';
import type { Caches } from '../watch/caches.ts';
import type { CanaryPort } from './sandbox-run-parts.ts';

export interface CanaryPortParts {
  readonly caches: Caches;
  readonly settings: Settings;
  readonly signingKey: SigningKey;
}

export function canaryPort({ caches, settings, signingKey }: CanaryPortParts): CanaryPort {
  const ground = (namespace: string): ReturnType<typeof observedGround> =>
    observedGround(caches, { namespace, standard: sandboxStandard(settings, namespace) }, signingKey);
  return {
    state: (namespace) => canaryState(observedCanaries(caches, namespace), ground(namespace)),
    ground: (namespace) => ground(namespace).digest,
  };
}
