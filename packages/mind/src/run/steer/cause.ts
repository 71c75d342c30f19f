/** The cause of a run's end after a round, as the result names it. Source: artoo A.6, A.8, A.9. */
import { maxReplansOf } from '@retainer/contract/api/agent-control';
import type { BusPayload } from '@retainer/contract/wire/bus/envelope';
import type { CriteriaVerdict, SubTaskOutcome } from '@retainer/contract/wire/bus/payloads';
import type { SteerExplanation } from './explanation.ts';
import { isFailed } from './judged.ts';
import type { RoundResult } from './judged.ts';
import type { AbandonCause } from './last-words.ts';
import type { SteerContext } from './steer-state.ts';

/** Reasons of refusals by rules; empty when there were none. */
export function policyReasons({ outcomes, taskVerdicts }: RoundResult): readonly string[] {
  const ofOutcomes = outcomes.filter(isFailed).flatMap((outcome) => {
    const own = outcome.failureClass === 'Policy' ? [outcome.failureReason ?? outcome.intent] : [];
    return [...own, ...policyVerdicts(outcome.verdicts)];
  });
  return [...ofOutcomes, ...policyVerdicts(taskVerdicts)];
}

function policyVerdicts(verdicts: readonly CriteriaVerdict[]): readonly string[] {
  return verdicts.filter((it) => it.verdict !== 'Met' && it.failureClass === 'Policy').map((it) => it.reason);
}

interface Round {
  readonly explanation: SteerExplanation;
  readonly request: BusPayload<'ReplanRequest'>;
  readonly maxReplans: number;
}

/** Read from the top; the first line that fits decides. */
const lines: readonly { readonly cause: AbandonCause; readonly holds: (round: Round) => boolean }[] = [
  { cause: 'Policy', holds: ({ explanation }) => explanation.override === 'NoAdmissibleTool' },
  { cause: 'Infrastructure', holds: ({ request }) => isInfrastructureOnly(request) },
  { cause: 'Worsening', holds: ({ explanation }) => explanation.override === 'Worsening' },
  {
    cause: 'Replans',
    holds: ({ explanation, request, maxReplans }) =>
      request.recommendation === 'Abandon' || explanation.rounds > maxReplans,
  },
  {
    cause: 'Distance',
    holds: ({ explanation: { override } }) => override === 'NotWorthIt' || override === 'NothingTried',
  },
  { cause: 'Budget', holds: () => true },
];

/** The cause of a round that the table or an override abandons. */
export function roundCause(
  explanation: SteerExplanation,
  request: BusPayload<'ReplanRequest'>,
  { control }: SteerContext,
): AbandonCause {
  const round = { explanation, request, maxReplans: maxReplansOf(control) };
  return lines.find((it) => it.holds(round))?.cause ?? 'Budget';
}

/** Whether all failures of this round are failures of the machinery. */
function isInfrastructureOnly({ outcomes, taskVerdicts }: RoundResult): boolean {
  const failed = outcomes.filter((it) => isFailed(it) && it.started);
  if (failed.length > 0) return failed.every(isInfrastructure);
  const open = taskVerdicts.filter((it) => it.verdict !== 'Met');
  return open.length > 0 && open.every((it) => it.failureClass === 'Infrastructure');
}

function isInfrastructure({ failureClass, verdicts }: SubTaskOutcome): boolean {
  const open = verdicts.filter((it) => it.verdict !== 'Met');
  if (open.length === 0) return failureClass === 'Infrastructure';
  return open.every((it) => it.failureClass === 'Infrastructure');
}
