/** The models that can answer on this machine, for the program that starts an agent here. */
import type { Result } from '@retainer/contract/std/result';
import { openModel, type ModelSettings } from './infer/open-model.ts';
import type { ModelPort } from './loop/ports.ts';
import { systemClock } from '@retainer/operator/kube/system-clock';

export type { ModelSettings } from './infer/open-model.ts';

export function openLocalModel(settings: ModelSettings): Promise<Result<ModelPort, readonly string[]>> {
  return openModel(settings, { clock: systemClock, random: Math.random });
}
