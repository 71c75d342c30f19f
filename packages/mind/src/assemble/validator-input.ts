/**
 * The validator's input: criteria, the reply, and the structured record of every tool call.
 *
 * Source: artoo A.6 (the reply is a claim, the records are the truth), A.5 (head and tail of each output).
 */
import { headAndTail } from '@retainer/contract/std/head-and-tail';
import { renderCalls, type EvidenceView } from './evidence-lines.ts';
import { indent, oneLine } from '../request/lines.ts';

const REPLY_CHARACTERS = 8000;

/** Characters of the task: as many as a Task may have. */
const INTENT_CHARACTERS = 8192;

/** Characters of one criterion. A Task has at most 32, so the texts before the calls leave room for them. */
const CRITERION_CHARACTERS = 2000;

/** Characters of the whole input: about 50,000 tokens, which fit into every model. */
export const VALIDATOR_INPUT_CHARACTERS_MAX = 200_000;

export interface ValidatorQuestion {
  readonly intent: string;
  readonly criteria: readonly { readonly text: string }[];
  readonly reply: string;
  readonly evidence: readonly EvidenceView[];
  /** Criteria that code found unmet, each with the reason. */
  readonly missing?: ReadonlyMap<number, string>;
}

/** Indents every line by others, or makes it one word, so that none can imitate a line of the agent. */
export function assembleValidatorInput(question: ValidatorQuestion): string {
  const head = [
    'Task:',
    indent(headAndTail(question.intent, INTENT_CHARACTERS)),
    '',
    ...question.criteria.map(
      ({ text }, position) => `criterion ${position + 1}: ${oneLine(text.slice(0, CRITERION_CHARACTERS))}`,
    ),
    ...[...(question.missing ?? [])].map(
      ([index, reason]) =>
        `not met, whatever is said: criterion ${index}: ${oneLine(reason.slice(0, CRITERION_CHARACTERS))}`,
    ),
    '',
    'Reply under judgement (a claim, not evidence):',
    indent(headAndTail(question.reply, REPLY_CHARACTERS)),
    '',
    'Tool calls (the evidence):',
  ].join('\n');
  return [head, ...renderCalls(question.evidence, VALIDATOR_INPUT_CHARACTERS_MAX - head.length)].join('\n');
}
