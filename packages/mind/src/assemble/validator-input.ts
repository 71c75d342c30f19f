/**
 * The validator's task: criteria, the reply, and the structured record of every tool call.
 *
 * Source: artoo A.6 (the reply is a claim, the records are the truth), A.5 (head and tail of each output).
 */
import { headAndTail } from '@retainer/contract/std/head-and-tail';
import { renderCalls, type EvidenceView } from './evidence-lines.ts';
import { indent, oneLine } from '../request/lines.ts';

/** Characters of the reply under judgement. */
const replyCharacters = 8000;

/** Characters of the task: as many as a Task may have. */
const intentCharacters = 8192;

/** Characters of one criterion. A Task has 32 at most, so that all texts above leave room for the calls. */
const criterionCharacters = 2000;

/** All of it, in characters: about 50,000 tokens, which every model holds. */
export const validatorInputCharactersMax = 200_000;

export interface ValidatorQuestion {
  readonly intent: string;
  readonly criteria: readonly { readonly text: string }[];
  readonly reply: string;
  readonly evidence: readonly EvidenceView[];
}

/** Every line of someone else's text is indented or made one word, so that none can pose as a line of ours. */
export function assembleValidatorInput(question: ValidatorQuestion): string {
  const head = [
    'Task:',
    indent(headAndTail(question.intent, intentCharacters)),
    '',
    ...question.criteria.map(
      ({ text }, position) => `criterion ${position + 1}: ${oneLine(text.slice(0, criterionCharacters))}`,
    ),
    '',
    'Reply under judgement (a claim, not evidence):',
    indent(headAndTail(question.reply, replyCharacters)),
    '',
    'Tool calls (the evidence):',
  ].join('\n');
  return [head, ...renderCalls(question.evidence, validatorInputCharactersMax - head.length)].join('\n');
}
