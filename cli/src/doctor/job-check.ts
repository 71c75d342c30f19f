/** Checks of jobs that agents begin by themselves, as their status tells them: nothing else would show that one stands still. Pure. */
import { parseAgentJobs, type AgentJobs } from '@retainer/contract/api/agent-jobs';
import type { KubeObject } from '@retainer/kube/kube-object';
import { counted, judged, ok, placeOf, warn, type CheckResult } from './check-result.ts';
import type { Facts } from './facts.ts';
import { valueAt } from './fields.ts';

const DETAILS_MAX = 8;

interface ToldJobs {
  readonly agent: KubeObject;
  readonly jobs: AgentJobs;
}

export function jobs({ ofAgents }: Facts): CheckResult {
  return judged(ofAgents.agents, (found) => {
    const all = found.flatMap((agent): readonly ToldJobs[] => {
      const told = parseAgentJobs(JSON.stringify(valueAt(agent, 'status.jobs') ?? null));
      return told === undefined ? [] : [{ agent, jobs: told }];
    });
    const bad = all.filter((it) => it.jobs.stalled + it.jobs.failed > 0);
    const [first] = bad.toSorted((a, b) => b.jobs.stalled - a.jobs.stalled);
    if (first === undefined) return ok(all.length === 0 ? 'no Agent has a job' : wellText(all));
    const { namespace = '', name } = first.agent.metadata;
    return warn(
      `jobs of ${bad.length} of ${counted(all.length, 'Agent')} stand still or failed`,
      [`retainer jobs list -n ${namespace} --agent ${name}`],
      bad.map(lineOf).slice(0, DETAILS_MAX),
    );
  });
}

function wellText(all: readonly ToldJobs[]): string {
  const lasting = all.reduce((sum, it) => sum + it.jobs.active + it.jobs.paused, 0);
  return `${counted(lasting, 'job')}, none stands still, none failed last`;
}

function lineOf({ agent, jobs: { stalled, failed, last } }: ToldJobs): string {
  const parts = [
    ...(stalled === 0 ? [] : [`${counted(stalled, 'job')} ${stalled === 1 ? 'stands' : 'stand'} still`]),
    ...(failed === 0 ? [] : [`${counted(failed, 'job')} failed at the last firing`]),
    ...(last === undefined ? [] : [`the last of all was ${last.job}: ${last.outcome} (${last.moment})`]),
  ];
  return `${placeOf(agent)}: ${parts.join('; ')}`;
}
