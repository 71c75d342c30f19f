/**
 * The validator's task: criteria, the reply, and the structured record of every tool call.
 *
 * Source: artoo A.6 (the reply is a claim, the records are the truth), RES-12 (head and tail of each output).
 */
import { headAndTail } from './head-and-tail.ts';
import { indent, oneLine, safeName } from './lines.ts';

/** Characters of one call's output that the validator sees, one third from its start. Source: artoo RES-12. */
const outputCharacters = 3000;

/** Characters of one call's arguments. */
const argumentsCharacters = 2000;

/** Characters of the reply under judgement. */
const replyCharacters = 8000;

/** Characters of the task: as many as a Task may have. */
const intentCharacters = 8192;

/** Characters of one criterion. A Task has 32 at most, so that all texts above leave room for the calls. */
const criterionCharacters = 2000;

/** All of it, in characters: about 50,000 tokens, which every model holds. */
export const validatorInputCharactersMax = 200_000;

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

/** Room for the sentences on what was left out, characters. */
const omissionCharacters = 300;

/** In the order of the calls; the newest in full, since what holds at the end is what counts. */
function renderCalls(evidence: readonly EvidenceView[], characters: number): readonly string[] {
  const titles = evidence.map(titleOf);
  const space = characters - omissionCharacters;
  const unlisted = titles.length - fitting(titles, space);
  const listed = titles.slice(unlisted);
  const listedCharacters = listed.reduce((sum, title) => sum + title.length + 1, 0);
  const bodies = evidence.map(bodyOf);
  const full = fitting(bodies.slice(unlisted), space - listedCharacters);
  const bare = listed.length - full;
  return [
    ...(unlisted === 0 ? [] : [indent(`[The oldest ${unlisted} calls are left out.]`)]),
    ...(bare === 0 ? [] : [indent(`[The oldest ${bare} calls are listed without arguments and output.]`)]),
    ...listed.flatMap((title, position) => (position < bare ? [title] : [title, bodies[unlisted + position] ?? ''])),
  ];
}

/** How many texts, counted from the last, fit into so many characters, a line break each. */
function fitting(texts: readonly string[], characters: number): number {
  let left = characters;
  const firstOut = texts.findLastIndex((text) => {
    left -= text.length + 1;
    return left < 0;
  });
  return texts.length - 1 - firstOut;
}

function titleOf(call: EvidenceView): string {
  const status = call.outcome?.status.toLowerCase() ?? 'refused';
  const exit = call.outcome?.exitCode === undefined ? '' : ` exit=${call.outcome.exitCode}`;
  return `tool-call ${call.callId} tool=${safeName(call.tool)} status=${status}${exit}`;
}

function bodyOf(call: EvidenceView): string {
  const text = call.outcome?.text ?? call.unrun?.text ?? '';
  return [
    indent(`arguments: ${headAndTail(call.arguments, argumentsCharacters)}`),
    indent(headAndTail(text, outputCharacters)),
  ].join('\n');
}
