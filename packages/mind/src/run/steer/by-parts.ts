/**
 * What a round's decision says part by part, in every profile but `Spec`: advice, refused pairs, and results that are kept.
 *
 * Source: design 5
 */
import type { BusPayload } from '@retainer/contract/wire/bus/envelope';
import type { PartAdvice, Salvage, SubTaskOutcome } from '@retainer/contract/wire/bus/payloads';
import { partKey, partTexts } from '../dispatch/part-key.ts';
import type { SteerExplanation } from './explanation.ts';
import { adviseByRules } from './part-rules.ts';
import { openParts, openWholes, type Part, type RunHistory } from './parts.ts';
import type { SteerContext } from './steer-state.ts';
import { isPair } from './trials.ts';

type Directive = SteerExplanation['directive'];
type ActionDirective = BusPayload<'PlanDirective'>['directive'];

interface Advised {
  readonly directive: ActionDirective;
  readonly parts: PartAdvice[];
  readonly blocked: SteerExplanation['blocked'];
}

/** @returns undefined where the whole is advised at once, or nothing is known of its parts */
export function adviseParts({ control, history, given }: SteerContext): Advised | undefined {
  if (control.profile === 'Spec' || history === undefined) return undefined;
  return advised(toGoOn(history).map((it) => adviseByRules(it, given)));
}

/** Open parts, tried ones first; criteria of the whole where every part is shown. */
export function toGoOn(history: RunHistory): readonly Part[] {
  const open = openParts(history);
  if (open.length === 0) return openWholes(history);
  const isTried = ({ steps }: Part): boolean => steps.some((it) => it.attempts.length > 0);
  return [...open.filter(isTried), ...open.filter((it) => !isTried(it))];
}

/** The directive of the whole is that of the first part. */
export function advised(parts: readonly PartAdvice[]): Advised | undefined {
  const [first] = parts;
  if (first === undefined) return undefined;
  const avoided = parts.flatMap((it) => it.avoid);
  const pairs = avoided.filter((it, at) => avoided.findIndex((other) => isPair(it, other)) === at);
  return { directive: first.directive, parts: [...parts], blocked: { tools: [], targets: [], pairs } };
}

export function isEnd(directive: Directive): boolean {
  return directive === 'Accept' || directive === 'Success' || directive === 'Abandon';
}

/** What the part of an outcome was told; undefined: it has no advice of its own. */
export function directiveFor(
  { criteria, intent }: SubTaskOutcome,
  parts: readonly PartAdvice[] | undefined,
): ActionDirective | undefined {
  const key = partKey(partTexts({ criteria, intent }));
  return parts?.find((it) => partKey(it.criteria) === key)?.directive;
}

/** A result whose proof the judge of the whole took back is none to build on. */
export function withoutWithdrawn(salvage: readonly Salvage[], { control, history }: SteerContext): Salvage[] {
  if (control.profile === 'Spec' || history === undefined) return [...salvage];
  const withdrawn = new Set(
    openParts(history).flatMap((it) => (it.isWithdrawn ? it.steps.map(({ subtaskId }) => subtaskId) : [])),
  );
  return salvage.filter((it) => !withdrawn.has(it.subtaskId));
}
