/**
 * Folds the events of a Messages API stream into one answer. Pure.
 *
 * I1  Only a whole stream gives an answer: whole blocks, and a stop reason or a stop. A block without its end is a broken stream,
 *     whatever comes after it.
 * I2  No label and no figure voids an answer: what the server calls its end, how it counts blocks and tokens, and what it adds
 *     after the end decide nothing.
 * I3  Nothing is repaired. A tool call whose input is no JSON object says so and never runs; one that the output limit cut off is
 *     dropped, and the answer says MaxTokens.
 * I4  The answer is bounded: beyond {@link ANSWER_CHARS_MAX} the fold fails.
 *
 * Thoughts are kept with their seals. Blocks of other kinds and unknown events are skipped, because the API may add some.
 */
import type { Json } from '@retainer/contract/std/canonical-json';
import { parseJson } from '@retainer/contract/std/parse-json';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { z } from 'zod';
import type { ContentBlock, StopReason, Usage } from '@retainer/mind/request/model-request';
import { ANSWER_CHARS_MAX, answerTooLong, type AttemptAnswer, type AttemptFailure } from './model-attempt.ts';

const Text = z.string().optional().catch(undefined);
const WireUsage = z
  .object({
    input_tokens: z.unknown().optional(),
    output_tokens: z.unknown().optional(),
    cache_read_input_tokens: z.unknown().optional(),
    cache_creation_input_tokens: z.unknown().optional(),
  })
  .nullish()
  .catch(undefined);
type WireUsage = z.infer<typeof WireUsage>;
/** Why a provider declined, as one word: it is told to people. Anything else is none. */
const StopDetails = z
  .object({
    category: z
      .string()
      .max(64)
      .regex(/^[\w-]+$/)
      .nullish()
      .catch(undefined),
  })
  .nullish()
  .catch(undefined);
/** Names a block; servers count from anywhere, leave some out, or send texts. */
const Index = z.union([z.string(), z.number()]).transform(String).optional().catch(undefined);

const StreamEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('message_start'),
    message: z.object({ model: Text, usage: WireUsage }).catch({}),
  }),
  z.object({
    type: z.literal('content_block_start'),
    index: Index,
    content_block: z.object({
      type: z.string(),
      text: Text,
      name: Text,
      input: z.unknown().optional(),
      thinking: Text,
      signature: Text,
      data: Text,
    }),
  }),
  z.object({
    type: z.literal('content_block_delta'),
    index: Index,
    delta: z.object({ text: Text, partial_json: Text, thinking: Text, signature: Text }),
  }),
  z.object({ type: z.literal('content_block_stop'), index: Index }),
  z.object({
    type: z.literal('message_delta'),
    delta: z.object({ stop_reason: Text, stop_details: StopDetails }).catch({ stop_details: undefined }),
    usage: WireUsage,
  }),
  z.object({ type: z.literal('message_stop') }),
]);
type StreamEvent = z.infer<typeof StreamEvent>;

const KNOWN_EVENTS: ReadonlySet<unknown> = new Set([
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
]);

interface BlockDraft {
  readonly kind: 'Text' | 'ToolUse' | 'Thinking' | 'Redacted' | 'Other';
  readonly index: string | undefined;
  /** The text, the thoughts, or the JSON of the input. */
  readonly body: string;
  /** The input, if the start of the block held it. */
  readonly input: unknown;
  /** Of thoughts. */
  readonly seal: string;
  readonly name: string;
  readonly isWhole: boolean;
}

export interface StreamState {
  /** An event came that only a message has; its stop alone says nothing. */
  readonly hasBegun: boolean;
  readonly model: string;
  /** In order of arrival. */
  readonly blocks: readonly BlockDraft[];
  readonly stopReason: string | undefined;
  /** Of a refusal. */
  readonly category?: string;
  /** Of any numbers. */
  readonly usage: Usage;
  readonly chars: number;
  readonly isComplete: boolean;
}

export const emptyStream: StreamState = {
  hasBegun: false,
  model: '',
  blocks: [],
  stopReason: undefined,
  usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
  chars: 0,
  isComplete: false,
};

/**
 * Ends that the content does not show; any other end is what the content says. `length` and `content_filter` are words of servers
 * that know them from Chat Completions.
 *
 * Source: Messages API (stop reasons).
 */
const STOP_REASONS: ReadonlyMap<string, StopReason> = new Map([
  ['max_tokens', 'MaxTokens'],
  ['max_output_tokens', 'MaxTokens'],
  ['model_context_window_exceeded', 'MaxTokens'],
  ['model_length', 'MaxTokens'],
  ['length', 'MaxTokens'],
  ['refusal', 'Refusal'],
  ['content_filter', 'Refusal'],
]);

/** Folds one decoded event of any shape. */
export function foldStreamEvent(state: StreamState, data: unknown): Result<StreamState, AttemptFailure> {
  if (state.isComplete || !isKnownEvent(data)) return ok(state);
  const parsed = StreamEvent.safeParse(data);
  if (!parsed.success) return malformed(`an event of the stream has the wrong shape: ${firstIssue(parsed.error)}`);
  const next = evolve(state, parsed.data);
  return next.ok && next.value.chars > ANSWER_CHARS_MAX ? err(answerTooLong()) : next;
}

/** Whether the answer is there, whatever else may come. */
export function isWhole({ hasBegun, blocks, stopReason, isComplete }: StreamState): boolean {
  return (hasBegun || blocks.length > 0) && blocks.every(isClosed) && (isComplete || stopReason !== undefined);
}

/** Of a block that nobody reads the end does not matter. */
function isClosed(draft: BlockDraft): boolean {
  return draft.isWhole || draft.kind === 'Other';
}

function evolve(state: StreamState, event: StreamEvent): Result<StreamState, AttemptFailure> {
  switch (event.type) {
    case 'message_start': {
      if (state.blocks.length > 0) return malformed('a start of the message within it');
      // Its count of output tokens is a beginning, never the sum.
      const usage = { ...mergeUsage(state.usage, event.message.usage), outputTokens: 0 };
      return ok({ ...state, hasBegun: true, model: event.message.model ?? state.model, usage });
    }
    case 'content_block_start':
      return ok(startBlock(state, event));
    case 'content_block_delta':
      return growBlock(state, event);
    case 'content_block_stop':
      return ok(changeBlock(state, event.index, (draft) => ({ ...draft, isWhole: true })) ?? state);
    case 'message_delta':
      return ok({
        ...state,
        hasBegun: true,
        stopReason: event.delta.stop_reason || state.stopReason,
        ...categoryOf(event.delta.stop_details),
        usage: mergeUsage(state.usage, event.usage),
      });
    case 'message_stop':
      return ok({ ...state, isComplete: true });
  }
}

function startBlock(
  state: StreamState,
  { index, content_block: start }: StreamEvent & { readonly type: 'content_block_start' },
): StreamState {
  const kind = KINDS.get(start.type) ?? 'Other';
  const body = start.text ?? start.thinking ?? '';
  const seal = start.signature ?? start.data ?? '';
  const draft = { kind, index, body, input: start.input, seal, name: start.name ?? '', isWhole: false } as const;
  return { ...state, blocks: [...state.blocks, draft], chars: state.chars + body.length + seal.length };
}

const KINDS: ReadonlyMap<string, BlockDraft['kind']> = new Map([
  ['text', 'Text'],
  ['tool_use', 'ToolUse'],
  ['thinking', 'Thinking'],
  ['redacted_thinking', 'Redacted'],
]);

function growBlock(
  state: StreamState,
  { index, delta }: StreamEvent & { readonly type: 'content_block_delta' },
): Result<StreamState, AttemptFailure> {
  const piece = delta.text ?? delta.thinking ?? delta.partial_json ?? '';
  const { signature: seal = '' } = delta;
  if (piece === '' && seal === '') return ok(state);
  const grown = changeBlock(state, index, (draft) => ({ ...draft, body: draft.body + piece, seal: draft.seal + seal }));
  if (grown === undefined) return malformed('a piece of a block that is not open');
  return ok({ ...grown, chars: state.chars + piece.length + seal.length });
}

/** Undefined where no such block is open. Several may be open; without an index the latest is meant. */
function changeBlock(
  state: StreamState,
  index: string | undefined,
  change: (draft: BlockDraft) => BlockDraft,
): StreamState | undefined {
  const at = state.blocks.findLastIndex((it) => !it.isWhole && (index === undefined || it.index === index));
  const draft = state.blocks[at];
  return draft === undefined ? undefined : { ...state, blocks: state.blocks.with(at, change(draft)) };
}

/** Later counts replace earlier ones, because the API sends running totals. Nothing and zero replace nothing. */
function mergeUsage(usage: Usage, wire: WireUsage): Usage {
  return {
    inputTokens: count(wire?.input_tokens) || usage.inputTokens,
    outputTokens: count(wire?.output_tokens) || usage.outputTokens,
    cacheReadTokens: count(wire?.cache_read_input_tokens) || usage.cacheReadTokens,
    cacheWriteTokens: count(wire?.cache_creation_input_tokens) || usage.cacheWriteTokens,
  };
}

/** What is no number counts as -1, which is impossible. */
function count(wire: unknown): number {
  if (wire === undefined || wire === null) return 0;
  const figure = typeof wire === 'string' && wire.trim() !== '' ? Number(wire) : wire;
  return typeof figure === 'number' && !Number.isNaN(figure) ? figure : -1;
}

export function finishStream(state: StreamState): Result<AttemptAnswer, AttemptFailure> {
  const { model, stopReason, usage, blocks } = state;
  if (!state.hasBegun && blocks.length === 0) return malformed('the stream holds no message');
  if (!isWhole(state)) {
    const what = blocks.every(isClosed) ? 'the answer' : 'a block of the answer';
    return err({ kind: 'Network', message: `the stream ended before ${what} was complete` });
  }
  const stop = STOP_REASONS.get(stopReason ?? '') ?? 'EndTurn';
  const content = inOrder(blocks).flatMap((draft) => finishBlock(draft, stop));
  const refusal = stop === 'Refusal' && state.category !== undefined ? { refusalCategory: state.category } : {};
  return ok({ content, stop: stop === 'EndTurn' && content.some(isCall) ? 'ToolUse' : stop, usage, model, ...refusal });
}

function categoryOf(details: z.infer<typeof StopDetails>): Pick<StreamState, 'category'> {
  const category = details?.category ?? undefined;
  return category === undefined ? {} : { category };
}

function isCall({ type }: ContentBlock): boolean {
  return type === 'ToolUse';
}

/** By index where indexes tell blocks apart, else as they came. */
function inOrder(blocks: readonly BlockDraft[]): readonly BlockDraft[] {
  const indexes = blocks.map(({ index }) => Number(index));
  const isOrder = indexes.every(Number.isFinite) && new Set(indexes).size === indexes.length;
  return isOrder ? blocks.toSorted((a, b) => Number(a.index) - Number(b.index)) : blocks;
}

function finishBlock(draft: BlockDraft, stop: StopReason): readonly ContentBlock[] {
  const { kind, body, name } = draft;
  if (kind === 'Other' || (kind === 'Text' && body === '')) return [];
  if (kind === 'Text') return [{ type: 'Text', text: body }];
  if (kind === 'Thinking' || kind === 'Redacted') return thoughts(draft);
  const input = inputOf(draft);
  // Calls get their ids later, because servers repeat theirs.
  if (isObject(input)) return [{ type: 'ToolUse', id: '', name, input }];
  const fault = 'its arguments are no JSON object';
  return stop === 'MaxTokens' ? [] : [{ type: 'ToolUse', id: '', name, input: {}, fault }];
}

/** Some servers send the input as a text that is JSON, and no input as an empty one. */
function inputOf({ body, input }: BlockDraft): unknown {
  const sent = body === '' ? (input ?? {}) : parseJson(body);
  if (typeof sent !== 'string') return sent;
  return sent.trim() === '' ? {} : parseJson(sent);
}

/** Thoughts without a seal cannot be sent back, so nobody needs them. */
function thoughts({ kind, body, seal }: BlockDraft): readonly ContentBlock[] {
  if (seal === '') return [];
  return [{ type: 'Thinking', text: body, seal, ...(kind === 'Redacted' ? { isRedacted: true } : {}) }];
}

/** The object as sent; parsed JSON is `Json`, and a member `__proto__` is an ordinary one. */
function isObject(value: unknown): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isKnownEvent(data: unknown): boolean {
  return typeof data !== 'object' || data === null || !('type' in data) || KNOWN_EVENTS.has(data.type);
}

function firstIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  return issue === undefined ? 'unknown' : `${issue.path.join('.')}: ${issue.message}`;
}

function malformed(message: string): Result<never, AttemptFailure> {
  return err({ kind: 'MalformedAnswer', message });
}
