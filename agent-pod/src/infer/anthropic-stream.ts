/**
 * Folds the events of a Messages API stream into one answer. Pure.
 *
 * I1  Only a complete stream gives an answer: one start, whole blocks, a stop reason, a stop.
 * I2  Nothing is repaired. The fold drops only a tool call cut off by the output limit: its input is no JSON, and the answer
 *     says MaxTokens.
 * I3  The answer is bounded: beyond {@link ANSWER_CHARS_MAX} the fold fails.
 *
 * Thoughts are kept with their seals. Blocks of other kinds and unknown events are skipped, because the API may add some.
 */
import type { Json } from '@retainer/contract/std/canonical-json';
import { parseJson } from '@retainer/contract/std/parse-json';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { z } from 'zod';
import type { ContentBlock, StopReason, Usage } from '@retainer/mind/request/model-request';
import { ANSWER_CHARS_MAX, answerTooLong, type AttemptAnswer, type AttemptFailure } from './model-attempt.ts';

const Count = z.number().int().min(0).nullish();
const WireUsage = z.object({
  input_tokens: Count,
  output_tokens: Count,
  cache_read_input_tokens: Count,
  cache_creation_input_tokens: Count,
});
const Index = z.int().min(0);
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

const StreamEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('message_start'),
    message: z.object({ model: z.string(), usage: WireUsage.nullish() }),
  }),
  z.object({
    type: z.literal('content_block_start'),
    index: Index,
    content_block: z.object({
      type: z.string(),
      text: z.string().optional(),
      id: z.string().optional(),
      name: z.string().optional(),
      input: z.json().optional(),
      thinking: z.string().optional().catch(undefined),
      signature: z.string().optional().catch(undefined),
      data: z.string().optional().catch(undefined),
    }),
  }),
  z.object({
    type: z.literal('content_block_delta'),
    index: Index,
    delta: z.object({
      type: z.string(),
      text: z.string().optional(),
      partial_json: z.string().optional(),
      thinking: z.string().optional(),
      signature: z.string().optional(),
    }),
  }),
  z.object({ type: z.literal('content_block_stop'), index: Index }),
  z.object({
    type: z.literal('message_delta'),
    delta: z.object({ stop_reason: z.string().nullish(), stop_details: StopDetails }),
    usage: WireUsage.nullish(),
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
  /** The text, the thoughts, or the JSON of the input. */
  readonly body: string;
  /** Of thoughts. */
  readonly seal: string;
  readonly id: string;
  readonly name: string;
  readonly isWhole: boolean;
}

export interface StreamState {
  readonly model: string | undefined;
  /** In order of arrival, and so of index. */
  readonly blocks: readonly BlockDraft[];
  readonly stopReason: string | undefined;
  /** Of a refusal. */
  readonly category?: string;
  readonly usage: Usage;
  readonly chars: number;
  readonly isComplete: boolean;
}

export const emptyStream: StreamState = {
  model: undefined,
  blocks: [],
  stopReason: undefined,
  usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
  chars: 0,
  isComplete: false,
};

/** `model_context_window_exceeded` is another limit on the output; `pause_turn` needs tools that we never offer. */
const STOP_REASONS: ReadonlyMap<string, StopReason> = new Map([
  ['end_turn', 'EndTurn'],
  ['stop_sequence', 'EndTurn'],
  ['tool_use', 'ToolUse'],
  ['max_tokens', 'MaxTokens'],
  ['model_context_window_exceeded', 'MaxTokens'],
  ['refusal', 'Refusal'],
]);

/** Folds one decoded event of any shape. */
export function foldStreamEvent(state: StreamState, data: unknown): Result<StreamState, AttemptFailure> {
  if (!isKnownEvent(data)) return ok(state);
  const parsed = StreamEvent.safeParse(data);
  if (!parsed.success) return malformed(`an event of the stream has the wrong shape: ${firstIssue(parsed.error)}`);
  const event = parsed.data;
  if (state.isComplete) return malformed(`${event.type} after the end of the message`);
  if (event.type !== 'message_start' && state.model === undefined)
    return malformed(`${event.type} before the start of the message`);
  const next = evolve(state, event);
  return next.ok && next.value.chars > ANSWER_CHARS_MAX ? err(answerTooLong()) : next;
}

function evolve(state: StreamState, event: StreamEvent): Result<StreamState, AttemptFailure> {
  switch (event.type) {
    case 'message_start':
      if (state.model !== undefined) return malformed('a second start of the message');
      return ok({ ...state, model: event.message.model, usage: mergeUsage(state.usage, event.message.usage) });
    case 'content_block_start':
      return startBlock(state, event);
    case 'content_block_delta':
      return growBlock(state, event);
    case 'content_block_stop':
      return changeBlock(state, event.index, (draft) => ({ ...draft, isWhole: true }));
    case 'message_delta':
      return ok({
        ...state,
        stopReason: event.delta.stop_reason ?? state.stopReason,
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
): Result<StreamState, AttemptFailure> {
  if (index !== state.blocks.length) return malformed(`block ${index} starts after ${state.blocks.length} blocks`);
  const kind = KINDS.get(start.type) ?? 'Other';
  const body = start.text ?? start.thinking ?? wholeInput(start.input);
  const seal = start.signature ?? start.data ?? '';
  const draft = { kind, body, seal, id: start.id ?? '', name: start.name ?? '', isWhole: false } as const;
  return ok({ ...state, blocks: [...state.blocks, draft], chars: state.chars + body.length + seal.length });
}

const KINDS: ReadonlyMap<string, BlockDraft['kind']> = new Map([
  ['text', 'Text'],
  ['tool_use', 'ToolUse'],
  ['thinking', 'Thinking'],
  ['redacted_thinking', 'Redacted'],
]);

/** Some servers send the whole input at the start; the API sends an empty object, then the input as text. */
function wholeInput(input: Json | undefined): string {
  const text = input === undefined || input === null ? '' : JSON.stringify(input);
  return text === '{}' ? '' : text;
}

function growBlock(
  state: StreamState,
  { index, delta }: StreamEvent & { readonly type: 'content_block_delta' },
): Result<StreamState, AttemptFailure> {
  const piece = delta.text ?? delta.thinking ?? delta.partial_json ?? '';
  const { signature: seal = '' } = delta;
  if (piece === '' && seal === '') return ok(state);
  const grown = changeBlock(state, index, (draft) => ({ ...draft, body: draft.body + piece, seal: draft.seal + seal }));
  return grown.ok ? ok({ ...grown.value, chars: state.chars + piece.length + seal.length }) : grown;
}

function changeBlock(
  state: StreamState,
  index: number,
  change: (draft: BlockDraft) => BlockDraft,
): Result<StreamState, AttemptFailure> {
  const draft = state.blocks[index];
  if (draft === undefined || draft.isWhole) return malformed(`block ${index} is not open`);
  return ok({ ...state, blocks: state.blocks.with(index, change(draft)) });
}

/** Later counts replace earlier ones, because the API sends running totals. */
function mergeUsage(usage: Usage, wire: z.infer<typeof WireUsage> | null | undefined): Usage {
  return {
    inputTokens: wire?.input_tokens ?? usage.inputTokens,
    outputTokens: wire?.output_tokens ?? usage.outputTokens,
    cacheReadTokens: wire?.cache_read_input_tokens ?? usage.cacheReadTokens,
    cacheWriteTokens: wire?.cache_creation_input_tokens ?? usage.cacheWriteTokens,
  };
}

export function finishStream(state: StreamState): Result<AttemptAnswer, AttemptFailure> {
  const { model, stopReason, usage } = state;
  if (model === undefined) return malformed('the stream holds no message');
  if (!state.isComplete) return err({ kind: 'Network', message: 'the stream ended before the answer was complete' });
  const stop = STOP_REASONS.get(stopReason ?? '');
  if (stop === undefined) return malformed(`the stop reason ${JSON.stringify(stopReason ?? null)} is unknown`);
  const content: ContentBlock[] = [];
  for (const draft of state.blocks) {
    const finished = finishBlock(draft, stop);
    if (!finished.ok) return finished;
    content.push(...finished.value);
  }
  const refusal = stop === 'Refusal' && state.category !== undefined ? { refusalCategory: state.category } : {};
  return settleStop({ content, stop, usage, model, ...refusal });
}

function categoryOf(details: z.infer<typeof StopDetails>): Pick<StreamState, 'category'> {
  const category = details?.category ?? undefined;
  return category === undefined ? {} : { category };
}

function finishBlock(draft: BlockDraft, stop: StopReason): Result<readonly ContentBlock[], AttemptFailure> {
  const { kind, body, id, name } = draft;
  if (kind === 'Other' || (kind === 'Text' && body === '')) return ok([]);
  if (kind === 'Text') return ok([{ type: 'Text', text: body }]);
  if (kind === 'Thinking' || kind === 'Redacted') return ok(thoughts(draft));
  if (id === '' || name === '') return malformed('a tool call without an id or a name');
  const input = parseObject(body === '' ? '{}' : body);
  if (input !== undefined) return ok([{ type: 'ToolUse', id, name, input }]);
  return stop === 'MaxTokens' ? ok([]) : malformed(`the input of the call of ${name} is not a JSON object`);
}

/** Thoughts without a seal cannot be sent back, so nobody needs them. */
function thoughts({ kind, body, seal }: BlockDraft): readonly ContentBlock[] {
  if (seal === '') return [];
  return [{ type: 'Thinking', text: body, seal, ...(kind === 'Redacted' ? { isRedacted: true } : {}) }];
}

/** Calls make the stop ToolUse, because some compatible servers send `end_turn` with them. */
function settleStop(answer: AttemptAnswer): Result<AttemptAnswer, AttemptFailure> {
  const ids = answer.content.flatMap((block) => (block.type === 'ToolUse' ? [block.id] : []));
  if (new Set(ids).size < ids.length) return malformed('two tool calls with the same id');
  if (answer.stop === 'ToolUse' && ids.length === 0)
    return malformed('the stop reason is tool use, but the answer has no tool call');
  return ok(answer.stop === 'EndTurn' && ids.length > 0 ? { ...answer, stop: 'ToolUse' } : answer);
}

/** The object as sent; parsed JSON is `Json`, and a member `__proto__` is an ordinary one. */
function parseObject(text: string): { readonly [key: string]: Json } | undefined {
  const value = parseJson(text) as Json | undefined;
  // The caller decides about anything else.
  return value !== undefined && isJsonObject(value) ? value : undefined;
}

function isJsonObject(value: Json): value is { readonly [key: string]: Json } {
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
