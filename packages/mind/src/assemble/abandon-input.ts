/** What the planner is told to report on a run that was given up. Source: artoo A.9 (FinalResult). */
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

/** Characters of a reason or of what a step was to do. */
const LINE_CHARACTERS = 512;

/** All outputs together, characters: a report needs to know what is there, not all of it. */
const OUTPUTS_CHARACTERS_MAX = 24_000;

/** Steps and criteria that are told of, the newest; those of the last round are among them. */
const LISTED_MAX = 64;

export interface AbandonQuestion {
  readonly intent: string;
  /** Why it was given up, in our words. */
  readonly reason: string;
  readonly replans: number;
  /** Of all rounds, in their order. */
  readonly outcomes: readonly SubTaskOutcome[];
  /** Texts of the criteria that are not met. */
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
