import { agentName } from '@retainer/mind/cycle/event';
import { readSoFar } from '@retainer/mind/cycle/read-texts';
import type { CycleState } from '@retainer/mind/cycle/state';
import type { KnownTools } from '@retainer/mind/gate/tool-facts';
import type { Permit } from '../ports/tool.ts';

/** Permission for one call of a cycle, as the cycle's record has it. */
export function permitOf(
  state: CycleState,
  call: {
    readonly callId: string;
    readonly tool: string;
    readonly input: unknown;
    readonly argumentsDigest: string;
    readonly approvalId?: string;
  },
  known: KnownTools,
): Permit {
  return {
    callId: call.callId,
    cycleId: state.spec.cycleId,
    runId: state.spec.runId,
    tool: call.tool,
    input: call.input,
    argumentsDigest: call.argumentsDigest,
    agent: agentName(state.spec),
    autonomous: state.spec.autonomous,
    read: readSoFar(state, known),
    ...(state.spec.blocked === undefined ? {} : { blocked: state.spec.blocked }),
    ...(call.approvalId === undefined ? {} : { approvalId: call.approvalId }),
  };
}
