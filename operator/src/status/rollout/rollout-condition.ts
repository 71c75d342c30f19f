/** The condition AgentsRolledOut on the operator's Deployment. Pure. */
import type { RolloutState } from '@retainer/contract/wire/rollout';

export interface DeploymentCondition {
  readonly type: 'AgentsRolledOut';
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: 'RolloutDone' | 'RolloutHalted' | 'RolloutInWaves';
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly lastUpdateTime: string;
}

/** Longest quoted message of the agent's own condition. */
const QUOTE_LENGTH_MAX = 400;

export function rolloutCondition(state: RolloutState): DeploymentCondition {
  const at = state.changedAt.replace(/\.\d+Z$/, 'Z');
  return { type: 'AgentsRolledOut', ...judged(state), lastTransitionTime: at, lastUpdateTime: at };
}

function judged({ phase, release, halted }: RolloutState): Pick<DeploymentCondition, 'status' | 'reason' | 'message'> {
  const { image } = release;
  if (phase === 'Done')
    return { status: 'True', reason: 'RolloutDone', message: `every working agent has the release ${image}` };
  if (phase === 'Rolling' || halted === undefined)
    return {
      status: 'Unknown',
      reason: 'RolloutInWaves',
      message: `the release ${image} goes from wave to wave; see retainer rollout status`,
    };
  const { agent, reason, message, returnsTo } = halted;
  const then = returnsTo === undefined ? 'no earlier image of it is known' : `it returns to ${returnsTo}`;
  return {
    status: 'False',
    reason: 'RolloutHalted',
    message: `Agent ${agent} did not come up with the release ${image} (${reason}: ${message.slice(0, QUOTE_LENGTH_MAX)}); ${then}; no other agent gets the release: install another one, or retainer rollout resume`,
  };
}
