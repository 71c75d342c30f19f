/**
 * How to go on with one part by three rules: a time-out asks for the same again, a missing thing for another target, and a wrong
 * result for another tool.
 *
 * Source: design 5; artoo A.9 (directives). Differs: the source answers the whole plan at once, and never with the same again.
 */
import type { PartAdvice, WorkPair } from '@retainer/contract/wire/bus/payloads';
import { oneLine, quoted } from '../../request/lines.ts';
import type { Part } from './parts.ts';
import { failedPairs, refusable, trialsOf, type Symptom, type Trial } from './trials.ts';

export type PartDirective = PartAdvice['directive'];
export type Option = PartAdvice['options'][number];
type Way = Pick<Option, 'tool' | 'target'>;

/** What to try first, second and third after a failure; absent pairs are left out. */
const preferred: Readonly<Record<Exclude<Symptom, 'Right'>, readonly PartDirective[]>> = {
  TimedOut: ['Retry', 'ChangePath', 'ChangeApproach', 'BreakSymmetry'],
  NotThere: ['ChangePath', 'ChangeApproach', 'BreakSymmetry'],
  Wrong: ['ChangeApproach', 'ChangePath', 'BreakSymmetry'],
};

const reasons: Readonly<Record<Exclude<Symptom, 'Right'>, string>> = {
  TimedOut: 'did not answer in time',
  NotThere: 'found nothing there',
  Wrong: 'gave something else',
};

/** @param given  the task in the people's words */
export function adviseByRules(part: Part, given: string): PartAdvice {
  const trials = trialsOf(part);
  const last = trials.at(-1);
  const { criteria } = part;
  if (last === undefined || last.symptom === 'Right')
    return { criteria: [...criteria], directive: 'Retry', options: [], avoid: [], why: untriedSentence(part) };
  const failed = failedPairs(trials);
  const options = last.isPartly ? [{ rank: 1, tool: last.tool, target: last.target }] : rankedOptions(trials, last);
  const [best] = options;
  return {
    criteria: [...criteria],
    directive: best === undefined ? 'BreakSymmetry' : last.isPartly ? 'Refine' : directiveTo(last, best),
    options,
    avoid: refusable(failed, part, given),
    why: sentence(part, last, failed.length),
  };
}

function rankedOptions(trials: readonly Trial[], last: Trial): Option[] {
  const failed = failedPairs(trials);
  const isOpen = ({ tool, target }: Way): boolean => !failed.some((it) => it.tool === tool && it.target === target);
  const order = preferred[last.symptom === 'Right' ? 'Wrong' : last.symptom];
  const ways = waysOf(trials).filter(isOpen);
  return order
    .map((directive) => ways.filter((it) => directiveTo(last, it) === directive))
    .filter((it) => it.length > 0)
    .flatMap((group, at) => group.map((it) => ({ rank: at + 1, ...it })));
}

/** All tools by all targets, and one untried of each. */
export function waysOf(trials: readonly WorkPair[]): readonly Way[] {
  const tools = [...new Set(trials.map((it) => it.tool))];
  const targets = [...new Set(trials.map((it) => it.target))];
  return [...tools, undefined].flatMap((tool) =>
    [...targets, undefined].map((target) => ({
      ...(tool === undefined ? {} : { tool }),
      ...(target === undefined ? {} : { target }),
    })),
  );
}

/** What a way is, seen from the pair that was tried last. */
export function directiveTo(last: WorkPair, { tool, target }: Way): PartDirective {
  if (tool === last.tool) return target === last.target ? 'Retry' : 'ChangePath';
  return target === last.target ? 'ChangeApproach' : 'BreakSymmetry';
}

/** Most characters of a criterion, a tool or a target in a sentence. */
const NAME_CHARACTERS = 160;

export function partName({ criteria }: Pick<Part, 'criteria'>): string {
  return quoted(oneLine(criteria.join('; ')).slice(0, NAME_CHARACTERS));
}

export function wayName({ tool, target }: Way): string {
  const on =
    target === '' ? '' : ` on ${target === undefined ? 'another target' : oneLine(target.slice(0, NAME_CHARACTERS))}`;
  return `${tool ?? 'another tool'}${on}`;
}

export function untriedSentence(part: Part): string {
  if (part.steps.length === 0) return `${partName(part)} is a criterion of the whole, which no subtask shows.`;
  return `${partName(part)} is open, and no call says why.`;
}

export function failureSentence(part: Part, last: Trial): string {
  const { symptom, isPartly } = last;
  const taken = part.isWithdrawn ? ', which the judge of the whole did not accept' : '';
  const what = isPartly ? 'showed a part of it' : reasons[symptom === 'Right' ? 'Wrong' : symptom];
  return `${partName(part)}: ${wayName(last)} ${what}${taken}`;
}

function sentence(part: Part, last: Trial, failed: number): string {
  return `${failureSentence(part, last)}; ${failed} ${failed === 1 ? 'way has' : 'ways have'} failed by now.`;
}
