/** An honest planner: it does what the directive says, keeps off what is blocked, and knows of the past only what it is told. */
import type { BusPayload } from '@retainer/contract/wire/bus/envelope';
import { criteriaOf, type Candidate, type Part, type SimulatedTask } from './generate-task.ts';

export interface Step extends Candidate {
  readonly part: Part;
}

type PlanDirective = BusPayload<'PlanDirective'>;

/** The most plausible candidate of each part. */
export function firstPlan({ parts }: SimulatedTask): readonly Step[] {
  return parts.flatMap((part) => part.candidates.slice(0, 1).map((it) => ({ ...it, part })));
}

export function intentOf({ part, tool, target }: Step): string {
  return `Part ${part.name}: ${tool} on ${target}`;
}

/** What was kept is not done again; each open part goes on by its own advice, one whose proof was taken back as well. */
function advisedPlan(task: SimulatedTask, planned: readonly Step[], directive: PlanDirective): readonly Step[] {
  const { parts = [], salvage } = directive;
  const kept = new Set(salvage.map((it) => it.intent));
  const isAdvised = (step: Step): boolean => parts.some((it) => it.criteria.includes(step.part.criterion));
  const others = firstPlan(task).filter((it) => isAdvised(it) && !planned.some(({ part }) => part === it.part));
  return [...planned, ...others]
    .filter((step) => !kept.has(intentOf(step)))
    .map((step) => {
      const advice = parts.find((it) => it.criteria.includes(step.part.criterion));
      return advice === undefined || advice.options.length === 0
        ? step
        : { ...followed(step, advice), part: step.part };
    });
}

type Advice = NonNullable<PlanDirective['parts']>[number];
type Option = Advice['options'][number];

/** The most plausible candidate of the best rank that it can follow. */
function followed(step: Step, { options, avoid }: Advice): Candidate {
  const tried = [...options, ...avoid, step];
  const isNew = (name: 'tool' | 'target', value: string): boolean => !tried.some((it) => it[name] === value);
  const fits = (option: Option, it: Candidate): boolean =>
    (option.tool === undefined ? isNew('tool', it.tool) : option.tool === it.tool) &&
    (option.target === undefined ? isNew('target', it.target) : option.target === it.target);
  const open = step.part.candidates.filter(
    (it) => !avoid.some((pair) => pair.tool === it.tool && pair.target === it.target),
  );
  for (const rank of new Set(options.map((it) => it.rank))) {
    const same = options.filter((it) => it.rank === rank);
    const found = open.find((it) => same.some((option) => fits(option, it)));
    if (found !== undefined) return found;
  }
  return open.find((it) => it.tool !== step.tool || it.target !== step.target) ?? step;
}

/** What was kept is not done again; of the rest, what failed or may not be used is done in another way. */
export function directedPlan(task: SimulatedTask, last: readonly Step[], directive: PlanDirective): readonly Step[] {
  if (directive.parts !== undefined) return advisedPlan(task, last, directive);
  const { blocked, failedCriterion, salvage } = directive;
  const kept = new Set(salvage.map((it) => it.intent));
  const isBlocked = ({ tool, target }: Candidate): boolean =>
    blocked.tools.includes(tool) || blocked.targets.includes(target);
  return last
    .filter((step) => !kept.has(intentOf(step)))
    .map((step) => {
      if (!criteriaOf(step.part).includes(failedCriterion) && !isBlocked(step)) return step;
      const open = candidatesAfter(step).filter((it) => !isBlocked(it));
      const next = open.find((it) => isAsTold(directive, step, it)) ?? open[0] ?? step;
      return { ...next, part: step.part };
    });
}

/** The next candidate for every part that failed, whatever the reason. */
export function nextPlan(last: readonly Step[], failed: ReadonlySet<string>): readonly Step[] {
  return last.map((step) =>
    failed.has(step.part.name) ? { ...(candidatesAfter(step)[0] ?? step), part: step.part } : step,
  );
}

/** All others, from the one behind it on, round to the first. */
function candidatesAfter({ part: { candidates }, tool, target }: Step): readonly Candidate[] {
  const at = candidates.findIndex((it) => it.tool === tool && it.target === target);
  return [...candidates.slice(at + 1), ...candidates.slice(0, at)];
}

function isAsTold({ directive }: PlanDirective, last: Candidate, next: Candidate): boolean {
  switch (directive) {
    case 'Retry':
    case 'Refine':
    case 'ChangePath':
      return next.tool === last.tool;
    case 'ChangeApproach':
    case 'BreakSymmetry':
      return next.tool !== last.tool;
  }
}
