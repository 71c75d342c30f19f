/**
 * What a request leaves out after its server refused the conversation: a refusal leads to another request, never to the same one.
 *
 * I1  A mend changes the conversation, or there is none: the cycle fails with the server's words then.
 * I2  The first turn stays whole: it holds the work.
 *
 * Source: Messages API (errors).
 */
import { headAndTail } from '@retainer/contract/std/head-and-tail';
import { promptTokens } from '../assemble/request-size.ts';
import { messageTokens, trimHistory } from '../assemble/trim-history.ts';
import type { ContentBlock, Message } from '../request/model-request.ts';
import type { ToolCatalog } from './catalog.ts';
import type { HistoryMended } from './history-mended.ts';
import { withoutThinking } from './reply.ts';
import { systemOf } from './shared-request.ts';
import type { CycleState } from './state.ts';

/** More refusals in one cycle than these are no accident of its conversation. */
const MENDS_MAX = 8;

/** Share of the stated maximum that is used: an estimate is not exact. */
const USED_RATIO = 0.95;

/** Without a stated size, the next conversation is half as long. */
const UNSTATED_RATIO = 0.5;

/** A result that is cut to less tells nothing. */
const RESULT_CHARACTERS_MIN = 500;

/** Of the line in the place of what is left out. */
const CUT_LINE_CHARACTERS = 60;

const CHARACTERS_PER_TOKEN = 4;

/** What a block that a server refuses is replaced with. */
export const LEFT_OUT = '[left out: the model’s server refused this part of the conversation]';

interface Size {
  /** As the server counts it. Absent: it does not say. */
  readonly asked?: number;
  readonly max?: number;
}

const N = String.raw`(\d[\d,_]*)`;

/** Read from the top. */
const sizes: readonly (readonly [RegExp, (numbers: readonly number[]) => Size])[] = [
  [
    new RegExp(String.raw`exceed context limit:\s*${N}\s*\+\s*${N}\s*>\s*${N}`, 'i'),
    ([asked = 0, answer = 0, max = 0]) => ({ asked, max: max - answer }),
  ],
  [new RegExp(String.raw`${N}\s*tokens?\s*>\s*${N}`, 'i'), ([asked = 0, max = 0]) => ({ asked, max })],
  [
    new RegExp(String.raw`maximum context length is ${N} tokens[^]*?${N} tokens`, 'i'),
    ([max = 0, asked = 0]) => ({ asked, max }),
  ],
  [
    new RegExp(String.raw`\(${N}\)[^.]{0,40}exceeds the maximum number of tokens[^.]{0,40}\(${N}\)`, 'i'),
    ([asked = 0, max = 0]) => ({ asked, max }),
  ],
  [/(?:exceed|reduce|larger)[^.]{0,60}(?:context|tokens|length of)|larger than a server on the way takes/i, () => ({})],
  [
    /(?:prompt|input|request|context|conversation)[^.]{0,40}too (?:long|large)|request_too_large|context_length/i,
    () => ({}),
  ],
];

const ANSWER_TOO_LONG = new RegExp(String.raw`max_tokens:?\s*${N}\s*>\s*${N}`, 'i');
const THOUGHTS = /signature.{0,40}thinking|thinking.{0,80}(?:signature|cannot be modified|unchanged|invalid)/is;
const PLACE = /\bmessages\.(\d+)(?:\.content\.(\d+))?/;

/** A decision in progress: the state so far, and the tools. */
interface Asked {
  readonly state: CycleState;
  readonly config: { readonly catalog: Pick<ToolCatalog, 'specs'> };
}

/** @returns what the next request does without; undefined when the refusal is not about the conversation, or nothing helps */
export function historyMend(draft: Asked, message: string): HistoryMended | undefined {
  const { state } = draft;
  if (state.mends >= MENDS_MAX) return undefined;
  const answer = numbersOf(ANSWER_TOO_LONG, message)?.[1];
  if (answer !== undefined)
    return answer < state.maxOutputTokens ? { why: 'AnswerTooLong', outputTokens: answer } : undefined;
  const size = statedSize(message);
  if (size !== undefined) return shorter(draft, size);
  const hasThoughts = state.messages.some(({ content }) => content.some(({ type }) => type === 'Thinking'));
  if (hasThoughts && THOUGHTS.test(message)) return { why: 'Thoughts' };
  return withoutBlock(state, message);
}

/** Whether a refusal is about the conversation, and not about how it is asked. */
export function isAboutHistory(message: string): boolean {
  return (
    ANSWER_TOO_LONG.test(message) || statedSize(message) !== undefined || THOUGHTS.test(message) || PLACE.test(message)
  );
}

function numbersOf(pattern: RegExp, message: string): readonly number[] | undefined {
  return pattern
    .exec(message)
    ?.slice(1)
    .map((digits) => Number(digits.replaceAll(/[,_]/g, '')));
}

function statedSize(message: string): Size | undefined {
  for (const [pattern, sizeOf] of sizes) {
    const numbers = numbersOf(pattern, message);
    if (numbers !== undefined) return sizeOf(numbers);
  }
  return undefined;
}

function shorter({ state, config }: Asked, { asked, max }: Size): HistoryMended | undefined {
  const { messages } = trimHistory(state.messages, contextLimit(state));
  const around = promptTokens({
    system: systemOf(state.spec),
    messages: [],
    tools: config.catalog.specs(state.spec.shared.tools),
  });
  const own = tokensOf(messages);
  const estimated = around + own;
  const allowed =
    max === undefined
      ? around + Math.floor(own * UNSTATED_RATIO)
      : Math.floor(max * (asked === undefined ? 1 : estimated / asked) * USED_RATIO);
  const contextTokens = Math.min(allowed - around, own - 1);
  if (contextTokens <= 0) return undefined;
  const rest = trimHistory(state.messages, contextTokens).messages;
  if (tokensOf(rest) <= contextTokens) return { why: 'PromptTooLong', contextTokens };
  const resultCharacters = cutTo(rest, contextTokens);
  return resultCharacters === undefined ? undefined : { why: 'PromptTooLong', contextTokens, resultCharacters };
}

/** Characters of each result that is left, if the conversation fits then. */
function cutTo(messages: readonly Message[], contextTokens: number): number | undefined {
  const results = messages.flatMap(({ content }) => content.filter(({ type }) => type === 'ToolResult'));
  const ofResults = results.reduce((sum, it) => sum + ('text' in it ? it.text.length : 0), 0);
  const others = tokensOf(messages) * CHARACTERS_PER_TOKEN - ofResults;
  const each = Math.floor((contextTokens * CHARACTERS_PER_TOKEN - others) / Math.max(1, results.length));
  return results.length === 0 || each < RESULT_CHARACTERS_MIN ? undefined : each - CUT_LINE_CHARACTERS;
}

/** The place that the server names is one of the request: turns were dropped, and results stand first in their turn. */
function withoutBlock(state: CycleState, message: string): HistoryMended | undefined {
  const [, turn = '', at] = PLACE.exec(message) ?? [];
  if (turn === '') return undefined;
  const { dropped } = trimHistory(state.messages, contextLimit(state));
  const index = Number(turn) === 0 ? 0 : Number(turn) + dropped;
  const blocks = state.messages[index]?.content ?? [];
  const sent = inOrderSent(blocks);
  const block = sent[at === undefined ? sent.length - 1 : Number(at)];
  if (index === 0 || block === undefined || isLeftOut(block)) return undefined;
  return { why: 'Block', at: { message: index, block: blocks.indexOf(block) } };
}

function inOrderSent(blocks: readonly ContentBlock[]): readonly ContentBlock[] {
  const results = blocks.filter(({ type }) => type === 'ToolResult');
  return [...results, ...blocks.filter((it) => it.type !== 'ToolResult' && !(it.type === 'Text' && it.text === ''))];
}

function isLeftOut(block: ContentBlock): boolean {
  return (block.type === 'Text' || block.type === 'ToolResult') && block.text === LEFT_OUT;
}

/** The size that the conversation may have, estimated tokens. */
export function contextLimit({ spec, contextTokens }: Pick<CycleState, 'spec' | 'contextTokens'>): number {
  return Math.min(spec.limits.contextTokens, contextTokens ?? Infinity);
}

/** The state with the conversation as it goes on. */
export function mended(state: CycleState, event: HistoryMended): CycleState {
  const { contextTokens = state.contextTokens, outputTokens = state.outputTokens, resultCharacters, at } = event;
  let { messages } = state;
  if (event.why === 'Thoughts') messages = messages.map(withoutThinking);
  if (resultCharacters !== undefined) messages = messages.map((it) => cut(it, resultCharacters));
  if (at !== undefined) messages = withLeftOut(messages, at);
  return { ...state, messages, contextTokens, outputTokens, mends: state.mends + 1 };
}

function cut(message: Message, characters: number): Message {
  const content = message.content.map((block) =>
    block.type === 'ToolResult' ? { ...block, text: headAndTail(block.text, characters) } : block,
  );
  return { ...message, content };
}

/** A call that is left out takes its result with it, and a result its call: one without the other is refused, too. */
function withLeftOut(
  messages: readonly Message[],
  at: { readonly message: number; readonly block: number },
): readonly Message[] {
  const refused = messages[at.message]?.content[at.block];
  const use = refused?.type === 'ToolUse' ? refused.id : undefined;
  return messages.map((message, index) => ({
    ...message,
    content: message.content.flatMap((block, place): readonly ContentBlock[] => {
      const isRefused = index === at.message && place === at.block;
      if (isRefused && block.type === 'Thinking') return [];
      if (isRefused && block.type === 'ToolResult') return [{ ...block, text: LEFT_OUT }];
      if (isRefused || (block.type === 'ToolResult' && block.toolUseId === use))
        return [{ type: 'Text', text: LEFT_OUT }];
      return [block];
    }),
  }));
}

function tokensOf(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + messageTokens(message), 0);
}
