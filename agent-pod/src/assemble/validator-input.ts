/**
 * The validator's task: criteria, the reply, and the structured record of every tool call.
 *
 * Source: artoo A.6 (the reply is a claim, the records are the truth), RES-12 (head and tail of each output).
 */
import { headAndTail } from './head-and-tail.ts';

/** Characters of one call's output that the validator sees, half from each end. Source: artoo RES-12. */
const outputCharacters = 3000;

/** Characters of one call's arguments. */
const argumentsCharacters = 2000;

/** Characters of the reply under judgement. */
const replyCharacters = 8000;

interface EvidenceView {
  readonly callId: string;
  readonly tool: string;
  readonly arguments: string;
  readonly outcome?: { readonly status: string; readonly text: string; readonly exitCode?: number };
  readonly unrun?: { readonly why: string; readonly text: string };
}

export interface ValidatorQuestion {
  readonly intent: string;
  readonly criteria: readonly { readonly text: string }[];
  readonly reply: string;
  readonly evidence: readonly EvidenceView[];
}

/** Every line of someone else's text is indented, so that none can pose as a line of ours. */
export function assembleValidatorInput(question: ValidatorQuestion): string {
  return [
    'Task:',
    indent(question.intent),
    '',
    ...question.criteria.map((criterion, position) => `criterion ${position + 1}: ${oneLine(criterion.text)}`),
    '',
    'Reply under judgement (a claim, not evidence):',
    indent(headAndTail(question.reply, replyCharacters)),
    '',
    'Tool calls (the evidence):',
    ...question.evidence.flatMap(renderCall),
  ].join('\n');
}

function renderCall(call: EvidenceView): readonly string[] {
  const status = call.outcome?.status.toLowerCase() ?? 'refused';
  const exit = call.outcome?.exitCode === undefined ? '' : ` exit=${call.outcome.exitCode}`;
  const text = call.outcome?.text ?? call.unrun?.text ?? '';
  return [
    `tool-call ${call.callId} tool=${call.tool} status=${status}${exit}`,
    indent(`arguments: ${headAndTail(call.arguments, argumentsCharacters)}`),
    indent(headAndTail(text, outputCharacters)),
  ];
}

function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
