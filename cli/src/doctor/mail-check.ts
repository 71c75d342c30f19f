/** Checks of the mail of Agents: as their status tells it, and as the container of one of them has just tried it. Pure. */
import type { KubeObject } from '@retainer/kube/kube-object';
import { counted, fail, judged, ok, placeOf, warn, type CheckResult } from './check-result.ts';
import type { Facts, TriedMail } from './facts.ts';
import { conditionsOf, valueAt, type SeenCondition } from './fields.ts';

const DETAILS_MAX = 8;

interface MailOfAgent {
  readonly agent: KubeObject;
  readonly condition: SeenCondition | undefined;
  readonly tried: TriedMail | undefined;
}

export function hasMail(agent: KubeObject): boolean {
  return valueAt(agent, 'spec.channels.email') !== undefined;
}

export function mail({ ofAgents, triedMail = [] }: Facts): CheckResult {
  return judged(ofAgents.agents, (found) => {
    const all = found.filter(hasMail).map((agent): MailOfAgent => ({
      agent,
      condition: conditionsOf(agent).find(({ type }) => type === 'MailReady'),
      tried: triedMail.find((it) => it.agent === placeOf(agent)),
    }));
    if (all.length === 0) return ok('no Agent has mail');
    const faults = all.filter((it) => faultsOf(it).length > 0);
    const [first] = faults;
    const tries = triesOf(all);
    if (first === undefined) return ok(`mail of ${counted(all.length, 'Agent')} has no fault`, tries);
    const { namespace = '', name } = first.agent.metadata;
    const seen = `mail of ${faults.length} of ${counted(all.length, 'Agent')} has a fault`;
    const details = [...faults.flatMap(faultsOf), ...tries].slice(0, DETAILS_MAX);
    const fix = [`retainer mail check -n ${namespace} --agent ${name}`];
    return faults.some(({ tried }) => tried?.results.some(isFault))
      ? fail(seen, fix, details)
      : warn(seen, fix, details);
  });
}

const isFault = ({ status }: TriedMail['results'][number]): boolean => status === 'fail';

/** What was tried just now says more than what the agent told before. */
function faultsOf({ agent, condition, tried }: MailOfAgent): readonly string[] {
  const place = placeOf(agent);
  if (tried?.why === undefined && tried !== undefined)
    return tried.results.filter(({ status }) => status !== 'ok' && status !== 'skip').map((it) => lineOf(place, it));
  return condition?.status === 'False' ? [`${place}: ${condition.reason}: ${condition.message}`] : [];
}

/** Why nothing was tried, where it was to be. */
function triesOf(all: readonly MailOfAgent[]): readonly string[] {
  return all.flatMap(({ agent, tried }) =>
    tried?.why === undefined ? [] : [`${placeOf(agent)}: its servers were not tried: ${tried.why}`],
  );
}

function lineOf(place: string, { trial, seen }: TriedMail['results'][number]): string {
  return `${place}: ${trial}: ${seen}`;
}
