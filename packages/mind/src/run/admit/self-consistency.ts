/** Of which models a run does not take a result on one attempt's word. Pure. */
import type { AgentControl } from '@retainer/contract/api/agent-control';
import type { AgentModels } from '@retainer/contract/api/agent-models';
import { knownModel } from '@retainer/contract/api/known-models';
import type { RunSpec } from '../event.ts';

type WorkerPart = Pick<RunSpec['roles']['Executor'], 'model' | 'light' | 'fallback'>;

/**
 * @param workers   who may work on a subtask
 * @param provider  a script says the same twice, so Auto never asks it again
 * @returns each model once; undefined: none
 */
export function doubtedModels(
  { selfConsistency }: Pick<AgentControl, 'selfConsistency'>,
  workers: readonly WorkerPart[],
  provider: AgentModels['provider'],
): RunSpec['selfConsistency'] {
  const asked = workers.flatMap(({ model, light, fallback }) => [model, light?.model, fallback?.model]);
  const models = [...new Set(asked.filter((it) => it !== undefined))];
  const doubted = models.filter((model) => isDoubted[selfConsistency](model, provider));
  return doubted.length === 0 ? undefined : doubted;
}

type Doubt = (model: string, provider: AgentModels['provider']) => boolean;

const isDoubted: Readonly<Record<AgentControl['selfConsistency'], Doubt>> = {
  Auto: (model, provider) => provider !== 'Scripted' && knownModel(model) === undefined,
  Always: () => true,
  Never: () => false,
};
