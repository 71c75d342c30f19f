/** The planner's input for the report on an abandoned run. Source: artoo A.9 (FinalResult). */
import type { SubTaskOutcome } from '@retainer/contract/wire/bus/payloads';
import {
  clipped,
  INTENT_CHARACTERS,
  indentedWithin,
  joinSections,
  listSection,
  newestOnly,
  textSection,
} from './sections.ts';

/** Characters of a reason, or of a step's intent. */
const LINE_CHARACTERS = 512;

/** Characters of all outputs together. A report must name the results, not repeat them. */
const OUTPUTS_CHARACTERS_MAX = 24_000;

/** Maximum number of listed steps and criteria, newest first; this includes the last round. */
const LISTED_MAX = 64;

export interface AbandonQuestion {
  readonly intent: string;
  readonly reason: string;
  readonly replans: number;
  /** Of all rounds, in order. */
  readonly outcomes: readonly SubTaskOutcome[];
  readonly unmet: readonly string[];
}

export function assembleAbandonInput({ intent, reason, replans, outcomes, unmet }: AbandonQuestion): string {
  const { kept, omission } = newestOnly(outcomes, LISTED_MAX);
  const outputCharacters = Math.floor(OUTPUTS_CHARACTERS_MAX / Math.max(1, kept.length));
  return joinSections([
    textSection('Task', intent, INTENT_CHARACTERS),
    [`given up after ${replans} new plans: ${clipped(reason, LINE_CHARACTERS)}`],
    omission,
    ...kept.map((outcome) => stepSection(outcome, outputCharacters)),
    listSection(
      'Not met',
      unmet.slice(0, LISTED_MAX).map((text, position) => `unmet ${position + 1}: ${clipped(text, LINE_CHARACTERS)}`),
    ),
  ]);
}

function stepSection(
  { intent, status, started, output, failureReason }: SubTaskOutcome,
  characters: number,
): readonly string[] {
  const how = started ? status.toLowerCase() : 'not started';
  return [
    `step ${how}: ${clipped(intent, LINE_CHARACTERS)}`,
    ...(failureReason === undefined ? [] : [`why: ${clipped(failureReason, LINE_CHARACTERS)}`]),
    ...(output.trim() === '' ? [] : [indentedWithin(output, characters)]),
  ];
}
