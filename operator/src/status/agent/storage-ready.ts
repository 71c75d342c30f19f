/** StorageReady: the volumes exist and have the size that the Agent asks for. Pure. */
import type { ClaimSize, VolumeName } from '../../desired/agent/claim.ts';
import type { ObservedClaim } from '../../observe/observe-agent-claim.ts';
import type { AgentCondition } from './agent-condition.ts';

export interface JudgedClaim {
  readonly volume: VolumeName;
  /** The Agent's request: a quantity. */
  readonly wanted: string;
  readonly claim: ObservedClaim | undefined;
  /** Undefined if there is no claim. */
  readonly size: ClaimSize | undefined;
  /** The API server's refusal of a larger request; undefined if it accepted. */
  readonly refusal: string | undefined;
}

const FIELDS: Readonly<Record<VolumeName, string>> = { data: 'spec.memory.storage', audit: 'spec.pod.auditorStorage' };

/** The first faulty claim decides. */
export function storageReady(claims: readonly JudgedClaim[]): AgentCondition {
  for (const judged of claims) {
    const fault = claimFault(judged);
    if (fault !== undefined) return { type: 'StorageReady', ...fault };
  }
  return { type: 'StorageReady', status: 'True', reason: 'Resolved', message: 'the volumes are bound' };
}

type Fault = Omit<AgentCondition, 'type'>;

function claimFault({ volume, wanted, claim, size, refusal }: JudgedClaim): Fault | undefined {
  const field = FIELDS[volume];
  if (claim === undefined) return pending(`the claim of volume ${volume} does not exist yet`);
  const { name } = claim.live.metadata;
  if (size === 'Larger')
    return {
      status: 'False',
      reason: 'StorageShrinkRefused',
      message: `claim ${name} has ${claim.requested}, and a volume cannot shrink; set ${field} to ${claim.requested} or more`,
    };
  if (refusal !== undefined)
    return {
      status: 'False',
      reason: 'StorageGrowthRefused',
      message: `claim ${name} stays at ${claim.requested}: ${refusal}; use a StorageClass that allows expansion, or set ${field} back`,
    };
  if (claim.phase === 'Bound' && size === 'AsWanted') return undefined;
  if (claim.phase === 'Bound') return pending(`claim ${name} grows from ${claim.requested} to ${wanted}`);
  if (claim.phase === 'Lost')
    return {
      status: 'False',
      reason: 'StoragePending',
      message: `claim ${name} lost its volume; restore the volume, or delete the claim to start with an empty one`,
    };
  return pending(`claim ${name} waits for a volume; see kubectl describe pvc ${name}`);
}

function pending(message: string): Fault {
  return { status: 'Unknown', reason: 'StoragePending', message };
}
