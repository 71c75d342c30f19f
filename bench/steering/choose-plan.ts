/** An honest planner: it does what the directive says, keeps off what is blocked, and knows of the past only what it is told. */
import type { BusPayload } from '@retainer/contract/wire/bus/envelope';
import type { Candidate, Part, SimulatedTask } from './generate-task.ts';

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

/** What was kept is not done again; of the rest, what failed or may not be used is done in another way. */
export function directedPlan(last: readonly Step[], directive: PlanDirective): readonly Step[] {
  const { blocked, failedCriterion, salvage } = directive;
  const kept = new Set(salvage.map((it) => it.intent));
  const isBlocked = ({ tool, target }: Candidate): boolean =>
    blocked.tools.includes(tool) || blocked.targets.includes(target);
  return last
    .filter((step) => !kept.has(intentOf(step)))
    .map((step) => {
      if (failedCriterion !== step.part.criterion && !isBlocked(step)) return step;
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
    case 'Refine':
    case 'ChangePath':
      return next.tool === last.tool;
    case 'ChangeApproach':
    case 'BreakSymmetry':
      return next.tool !== last.tool;
  }
}
