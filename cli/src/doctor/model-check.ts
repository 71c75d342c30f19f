/** Checks which models Agents name. Pure. */
import { AgentModels } from '@retainer/contract/api/agent-models';
import { modelTroubles } from '@retainer/contract/api/known-models';
import type { KubeObject } from '@retainer/kube/kube-object';
import { counted, judged, ok, placeOf, warn, type CheckResult } from './check-result.ts';
import type { Facts } from './facts.ts';
import { valueAt } from './fields.ts';

const DETAILS_MAX = 8;

export function models({ nowMs, ofAgents: { agents } }: Facts): CheckResult {
  const today = new Date(nowMs).toISOString().slice(0, 'YYYY-MM-DD'.length);
  return judged(agents, (found) => {
    const lines = found.flatMap((agent) => troublesOf(agent, today).map((it) => `Agent ${placeOf(agent)}: ${it}`));
    if (lines.length === 0) return ok('every model that an Agent names is known and answers');
    return warn(
      `${counted(lines.length, 'model')} of Agents unknown or about to be retired`,
      [
        'kubectl get agents -A -o custom-columns=NAME:.metadata.name,FAST:.spec.models.fast,CAPABLE:.spec.models.capable',
      ],
      lines.slice(0, DETAILS_MAX),
    );
  });
}

/** The API server has checked the Agent: what cannot be read was written for another version. */
function troublesOf(agent: KubeObject, today: string): readonly string[] {
  const parsed = AgentModels.safeParse(valueAt(agent, 'spec.models') ?? {});
  return parsed.success && parsed.data.provider === 'Anthropic' ? modelTroubles(parsed.data, today) : [];
}
