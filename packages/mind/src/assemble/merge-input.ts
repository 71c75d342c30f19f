/**
 * The meta validator's input: the task, and every step with its output and its evidence.
 *
 * Source: artoo A.8 (merge order, task criteria), A.4 (kept results are merged too).
 */
import type { BusCriterion, Salvage, SubTaskOutcome } from '@retainer/contract/wire/bus/payloads';
import { evidenceOf } from './attempt-input.ts';
import { renderCalls } from './evidence-lines.ts';
import {
  clipped,
  criterionLines,
  indentedWithin,
  INTENT_CHARACTERS,
  joinSections,
  newestOnly,
  scopeSection,
  textSection,
} from './sections.ts';
import { inPlanOrder, shownCalls, shownId } from './shown-ids.ts';
import { utcDate } from '@retainer/contract/std/utc-date';
import { VALIDATOR_INPUT_CHARACTERS_MAX } from './validator-input.ts';

/** Maximum number of kept results, newest first: as many as a plan may have steps. */
const SALVAGE_MAX = 64;

/** Characters of a step's intent; its output says the rest. */
const STEP_CHARACTERS = 200;

/** Characters of the list of call ids that prove a step's own criteria. */
const PROOF_CHARACTERS = 300;

/** Characters of the line before a text, and of the line breaks around it. */
const MARGIN_CHARACTERS = 64;

export interface MergeQuestion {
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  readonly intent: string;
  readonly scope?: string;
  /** Criteria of the task: the people's first, then the planner's. */
  readonly criteria: readonly BusCriterion[];
  /** All of them matched. */
  readonly outcomes: readonly SubTaskOutcome[];
  /** Kept results of earlier rounds. */
  readonly salvage: readonly Salvage[];
}

/** Kept results, then the steps by sequence and place in the plan. Outputs and lists of calls share the space evenly. */
export function assembleMergeInput(question: MergeQuestion): string {
  const { kept, omission } = newestOnly(question.salvage, SALVAGE_MAX);
  const outcomes = inPlanOrder(question.outcomes);
  const head = joinSections([
    [`Today is ${utcDate(question.nowMs)} (UTC).`],
    textSection('Task', question.intent, INTENT_CHARACTERS),
    scopeSection(question.scope),
    criterionLines(question.criteria),
    omission,
  ]);
  const keptTitles = kept.map(keptTitle);
  const calls = shownCalls(outcomes);
  const shown = new Map(calls.map(({ callId }, position) => [callId, shownId(position)]));
  const stepTitles = outcomes.map((outcome, position) => stepTitle(outcome, position, shown));
  const titles = joinSections([...keptTitles, ...stepTitles]);
  const texts = Math.max(1, kept.length + 2 * outcomes.length);
  const left = VALIDATOR_INPUT_CHARACTERS_MAX - head.length - titles.length;
  const share = Math.max(0, Math.floor(left / texts) - MARGIN_CHARACTERS);
  return joinSections([
    [head],
    ...kept.map(({ output }, at) => [...(keptTitles[at] ?? []), indentedWithin(output, share)]),
    ...outcomes.map(({ output, calls: own }, at) => [
      ...(stepTitles[at] ?? []),
      'output (a claim, not evidence):',
      indentedWithin(output, share),
      'tool calls (the evidence):',
      ...renderCalls(
        own.map((call) => evidenceOf(call, calls.indexOf(call))),
        share,
      ),
    ]),
  ]);
}

function keptTitle({ round, intent }: Salvage): readonly string[] {
  return [
    `kept-result round=${round}: ${clipped(intent, STEP_CHARACTERS)}`,
    'output (a claim, judged in its own round):',
  ];
}

function stepTitle(
  { intent, verdicts }: SubTaskOutcome,
  position: number,
  shown: ReadonlyMap<string, string>,
): readonly string[] {
  const cited = [...new Set(verdicts.flatMap(({ evidence }) => evidence))].map((id) => shown.get(id) ?? id);
  return [
    `step ${position + 1}: ${clipped(intent, STEP_CHARACTERS)}`,
    ...(cited.length === 0 ? [] : [`own criteria proved by: ${clipped(cited.join(', '), PROOF_CHARACTERS)}`]),
  ];
}
