/** What the observer of the gates sees of a cycle under way, event by event. Pure. */
import type { CycleEvent } from '@retainer/mind/cycle/event';
import { noUsage, totalTokens } from '@retainer/mind/cycle/state';
import { isOfPerson } from '@retainer/mind/gate/approval';
import type { JudgedOnce } from '@retainer/mind/gate/calculus/drift';
import { GATE_VERDICTS, normativeVerdicts } from '@retainer/mind/gate/calculus/floors';
import type { Probes } from '@retainer/mind/gate/chain/answers';
import { REACTIVE, type GateRecord } from '@retainer/mind/gate/chain/gate-record';
import type { Observation } from '@retainer/mind/gate/meta/observation';

type GateDecided = Extract<CycleEvent, { kind: 'GateDecided' }>;

export type Seen = Pick<Observation, 'runId' | 'tokens' | 'toolCalls'> & { readonly verdicts: readonly Verdict[] };

/** A decision of a gate on one subject, with what the calculus judged. */
interface Verdict {
  readonly decision: Observation['decisions'][number];
  readonly judged: Observation['judged'];
}

/** A probe that a budget prevented, or that an earlier answer served, says nothing about the model. */
export function wasAsked({ refusal, heldFrom }: Extract<CycleEvent, { kind: 'GateProbed' }>): boolean {
  return refusal === undefined && heldFrom === undefined;
}

export function probesIn({ hijack, leakage }: Extract<CycleEvent, { kind: 'GateProbed' }>): Probes {
  return { hijack: hijack.outcome, leakage: leakage.outcome };
}

export function nothingSeen(runId: string): Seen {
  return { runId, verdicts: [], tokens: 0, toolCalls: 0 };
}

export function withEvent(seen: Seen, event: CycleEvent): Seen {
  switch (event.kind) {
    case 'GateDecided':
      return isOfPerson(event.rule) ? seen : { ...seen, verdicts: withVerdict(seen.verdicts, event) };
    case 'ModelAnswered':
      return { ...seen, tokens: seen.tokens + totalTokens(event.answer.usage) };
    case 'GateProbed':
    case 'GateScored':
    case 'TextRead':
      return { ...seen, tokens: seen.tokens + totalTokens(event.usage ?? noUsage) };
    case 'ToolRequested':
      return { ...seen, toolCalls: seen.toolCalls + 1 };
    default:
      return seen;
  }
}

/** The verdict on a revised text stands with the ones before it: the text counts once, as strictly as it was ever judged. */
function withVerdict(verdicts: readonly Verdict[], { gate, verdict, record }: GateDecided): readonly Verdict[] {
  const score = record?.score === undefined ? {} : { score: record.score };
  const next = { decision: { gate, verdict, ...score }, judged: judgedIn(record) };
  const last = verdicts.findLast((it) => it.decision.gate === gate);
  if (gate !== 'Output' || last?.decision.verdict !== 'Modify') return [...verdicts, next];
  const strictest = verdict === 'Reject' ? next : last;
  return verdicts.map((it) => (it === last ? strictest : it));
}

/** The decision of the calculus in each policy that weighed the commitments. */
function judgedIn(record: GateRecord | undefined): readonly JudgedOnce[] {
  const weighed = (record?.policies ?? []).filter(({ isWeighed, decidedBy }) => isWeighed && decidedBy !== REACTIVE);
  return weighed.flatMap(({ verdict, shortTrail: axioms }) =>
    normativeVerdicts.filter((it) => GATE_VERDICTS[it] === verdict).map((it) => ({ verdict: it, axioms })),
  );
}
