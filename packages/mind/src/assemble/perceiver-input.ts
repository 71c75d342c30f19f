/**
 * The perceiver's input: the message, the conversation before it, and the perceiver's questions with their answers.
 *
 * Source: artoo A.3 (history; clarification), A.16.
 */
import type { BusCriterion } from '@retainer/contract/wire/bus/payloads';

import {
  clipped,
  criterionLines,
  INTENT_CHARACTERS,
  joinSections,
  listSection,
  scopeSection,
  textSection,
  TURN_CHARACTERS,
} from './sections.ts';

/** Maximum number of turns of the conversation, newest first. Source: artoo A.3. */
const HISTORY_TURNS_MAX = 5;

/** Characters of a question or of its answer. */
const CLARIFICATION_CHARACTERS = 2048;

interface ShownTurn {
  readonly input: string;
  /** How it ended, and its words if they are trusted. */
  readonly summary: string;
}

export interface PerceiverQuestion {
  /** The message, verbatim. */
  readonly rawInput: string;
  readonly scope?: string;
  /** The people's criteria. */
  readonly criteria: readonly BusCriterion[];
  /** Earlier turns, oldest first. */
  readonly history: readonly ShownTurn[];
  /** Memory's knowledge of the user, one text for each item. */
  readonly user: readonly string[];
  /** Questions of this run, in order; without an answer if nobody answered in time. */
  readonly clarifications: readonly { readonly question: string; readonly answer?: string }[];
  readonly canAsk: boolean;
}

/** Without the turns before: each was judged when it came. */
export function judgedPerceiverInput(question: PerceiverQuestion): string {
  return assemblePerceiverInput({ ...question, history: [] });
}

export function assemblePerceiverInput(question: PerceiverQuestion): string {
  const turns = question.history.slice(-HISTORY_TURNS_MAX);
  return joinSections([
    textSection('The message', question.rawInput, INTENT_CHARACTERS),
    scopeSection(question.scope),
    listSection('The result will be judged by', criterionLines(question.criteria)),
    listSection('Turns before the message, oldest first', turns.flatMap(turnLines)),
    listSection(
      'What is known of the user',
      question.user.map((text, position) => `known ${position + 1}: ${clipped(text, TURN_CHARACTERS)}`),
    ),
    listSection('You asked', question.clarifications.flatMap(clarificationLines)),
    question.canAsk ? [] : ['You may not ask again: take something for granted and say what.'],
  ]);
}

function turnLines({ input, summary }: ShownTurn, position: number): readonly string[] {
  const turn = `turn ${position + 1}`;
  return [`${turn} user: ${clipped(input, TURN_CHARACTERS)}`, `${turn} result: ${clipped(summary, TURN_CHARACTERS)}`];
}

function clarificationLines(
  { question, answer }: PerceiverQuestion['clarifications'][number],
  position: number,
): readonly string[] {
  const given = answer === undefined ? 'nobody answered in time' : `"${clipped(answer, CLARIFICATION_CHARACTERS)}"`;
  return [
    `question ${position + 1}: ${clipped(question, CLARIFICATION_CHARACTERS)}`,
    `answer ${position + 1}: ${given}`,
  ];
}
