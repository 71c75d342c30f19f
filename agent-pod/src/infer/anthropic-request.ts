/** Translates a model request for the Messages API. Pure. */
import type { Json } from '@retainer/contract/std/canonical-json';
import type { ContentBlock, Effort, Message, ModelRequest, Thinking } from '@retainer/mind/request/model-request';
import { isBlank, wellFormed } from '@retainer/contract/std/well-formed';
import { knownModel, takesChoiceNone } from '@retainer/contract/api/known-models';
import { cacheMarks } from './cache-marks.ts';
import { wholeJson } from './whole-json.ts';

interface CacheMark {
  readonly cache_control?: { readonly type: 'ephemeral' };
}

type MessagesBlock = CacheMark &
  (
    | { readonly type: 'text'; readonly text: string }
    | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
    | { readonly type: 'redacted_thinking'; readonly data: string }
    | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: Json }
    | {
        readonly type: 'tool_result';
        readonly tool_use_id: string;
        readonly content: string;
        readonly is_error: boolean;
      }
  );

export interface MessagesRequest {
  readonly model: string;
  readonly max_tokens: number;
  readonly stream: true;
  readonly temperature?: number;
  readonly thinking?:
    | { readonly type: 'adaptive' | 'disabled' | 'between_tools' }
    | { readonly type: 'enabled'; readonly budget_tokens: number };
  readonly output_config?: {
    readonly effort?: Effort;
    readonly format?: { readonly type: 'json_schema'; readonly schema: Json };
  };
  readonly tool_choice?: { readonly type: 'tool'; readonly name: string } | { readonly type: 'none' | 'any' };
  readonly system?: readonly ({ readonly type: 'text'; readonly text: string } & CacheMark)[];
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: readonly MessagesBlock[] }[];
  readonly tools?: readonly ({
    readonly name: string;
    readonly description: string;
    readonly input_schema: Json;
  } & CacheMark)[];
}

/** The tool whose input is the answer, where a call is forced. No other tool has the name. */
export const ANSWER_TOOL = 'give_answer';

const cacheMark = { cache_control: { type: 'ephemeral' } } as const;

/**
 * The body of `POST /v1/messages`.
 *
 * Blank texts and empty turns are left out, because the API refuses them. Tool results come first in their turn, as the API requires.
 *
 * Source: Messages API (structured outputs, thinking, tool choice, prompt caching).
 */
export function messagesRequest(asked: ModelRequest): MessagesRequest {
  const request = stableFirst(asked);
  const marks = cacheMarks(request);
  const system = request.system.flatMap(({ text }, index) => {
    if (isBlank(text)) return [];
    return [{ type: 'text' as const, text: wellFormed(text), ...(marks.system.includes(index) ? cacheMark : {}) }];
  });
  const offered = [...request.tools, ...answerTool(request)];
  const tools = offered.map(({ name, description, inputSchema }, index) => ({
    name,
    description,
    input_schema: inputSchema,
    ...(marks.tools.includes(index) ? cacheMark : {}),
  }));
  const thinking = thinkingOf(request.thinking);
  const config = outputConfig(request);
  return {
    model: request.model,
    max_tokens: request.maxOutputTokens,
    stream: true,
    ...(request.temperature === undefined || isThinking(request) ? {} : { temperature: request.temperature }),
    ...(thinking === undefined ? {} : { thinking }),
    ...(Object.keys(config).length === 0 ? {} : { output_config: config }),
    ...toolChoice(request),
    messages: withUsableIds(request.messages)
      .map((message, index) => turn(message, marks.messages.includes(index)))
      .filter(({ content }) => content.length > 0),
    ...(system.length > 0 ? { system } : {}),
    ...(tools.length > 0 ? { tools } : {}),
  };
}

/**
 * Servers of models that nobody here knows write the tools behind the system texts, and keep what they have read of a prompt up to the
 * first difference: what differs from cycle to cycle would cost them all tools again, so it goes in front of the first message.
 */
function stableFirst(request: ModelRequest): ModelRequest {
  const { model, system, messages } = request;
  const [first, ...others] = messages;
  const varying = system.filter((it) => it.varies);
  if (knownModel(model) !== undefined || varying.length === 0 || first?.role !== 'User') return request;
  const told = varying.map(({ text }) => ({ type: 'Text', text }) as const);
  return {
    ...request,
    system: system.filter((it) => !it.varies),
    messages: [{ ...first, content: [...told, ...first.content] }, ...others],
  };
}

function answerTool({ answerAs }: ModelRequest): ModelRequest['tools'] {
  if (answerAs?.form !== 'Tool') return [];
  return [{ name: ANSWER_TOOL, description: `Takes your answer: ${answerAs.name}.`, inputSchema: answerAs.schema }];
}

/** A choice of tools keeps the cached tools and system texts. */
function toolChoice({
  answerAs,
  callsNoTool,
  callsTool,
  isPlain,
  model,
}: ModelRequest): Pick<MessagesRequest, 'tool_choice'> {
  if (answerAs?.form === 'Tool') return { tool_choice: { type: 'tool', name: ANSWER_TOOL } };
  if (isPlain === true) return {};
  if (callsTool === true && !takesChoiceNone(model)) return { tool_choice: { type: 'any' } };
  return callsNoTool === true && takesChoiceNone(model) ? { tool_choice: { type: 'none' } } : {};
}

/** Thinking and randomness exclude each other. */
function isThinking({ thinking }: ModelRequest): boolean {
  return thinking?.mode === 'Adaptive' || thinking?.mode === 'Budget';
}

function thinkingOf(thinking: Thinking | undefined): MessagesRequest['thinking'] {
  switch (thinking?.mode) {
    case undefined:
      return undefined;
    case 'Adaptive':
      return { type: 'adaptive' };
    case 'Budget':
      return { type: 'enabled', budget_tokens: thinking.budgetTokens ?? 0 };
    case 'Disabled':
      return { type: 'disabled' };
    case 'BetweenTools':
      return { type: 'between_tools' };
  }
}

function outputConfig({ thinking, answerAs }: ModelRequest): NonNullable<MessagesRequest['output_config']> {
  return {
    ...(thinking?.effort === undefined ? {} : { effort: thinking.effort }),
    ...(answerAs?.form === 'Schema' ? { format: { type: 'json_schema', schema: answerAs.schema } } : {}),
  };
}

/** @param isMarked  its last block bears the mark */
function turn({ role, content }: Message, isMarked: boolean): MessagesRequest['messages'][number] {
  const results = content.filter(({ type }) => type === 'ToolResult');
  const others = content.filter(({ type }) => type !== 'ToolResult');
  const blocks = withoutLastThoughts([...results, ...others].flatMap(block));
  return {
    role: role === 'User' ? 'user' : 'assistant',
    content: isMarked ? blocks.map((it, at) => (at === blocks.length - 1 ? { ...it, ...cacheMark } : it)) : blocks,
  };
}

function block(content: ContentBlock): readonly MessagesBlock[] {
  switch (content.type) {
    case 'Text':
      return isBlank(content.text) ? [] : [{ type: 'text', text: wellFormed(content.text) }];
    case 'Thinking':
      return [
        content.isRedacted === true
          ? { type: 'redacted_thinking', data: content.seal }
          : { type: 'thinking', thinking: content.text, signature: content.seal },
      ];
    case 'ToolUse':
      return [{ type: 'tool_use', id: content.id, name: content.name, input: sendable(content.input) }];
    case 'ToolResult':
      return [
        {
          type: 'tool_result',
          tool_use_id: content.toolUseId,
          content: wellFormed(content.text),
          is_error: content.isError,
        },
      ];
  }
}

const USABLE_ID = /^[a-zA-Z0-9_-]+$/;

/**
 * Records of older versions hold ids as servers gave them, empty or the same in every turn, and no server takes those back. Results
 * follow their calls in the same order.
 */
function withUsableIds(messages: ModelRequest['messages']): ModelRequest['messages'] {
  const ids = messages.flatMap(({ content }) => content.flatMap((it) => (it.type === 'ToolUse' ? [it.id] : [])));
  if (new Set(ids).size === ids.length && ids.every((id) => USABLE_ID.test(id))) return messages;
  const open: { readonly from: string; readonly to: string }[] = [];
  const renamed = (it: ContentBlock, to: string): ContentBlock => {
    if (it.type === 'ToolUse') {
      open.push({ from: it.id, to });
      return { ...it, id: to };
    }
    if (it.type !== 'ToolResult') return it;
    const at = open.findIndex(({ from }) => from === it.toolUseId);
    const [call] = at < 0 ? [] : open.splice(at, 1);
    return { ...it, toolUseId: call?.to ?? it.toolUseId };
  };
  return messages.map(({ role, content }, turnAt) => ({
    role,
    content: content.map((it, at) => renamed(it, `call_${turnAt}_${at}`)),
  }));
}

/** Records of older versions hold arguments as they were sent. */
function sendable(input: Json): Json {
  const whole = wholeJson(input);
  return whole.ok ? whole.value : {};
}

/** No turn may end with thoughts, as one of an older record may. Source: Messages API. */
function withoutLastThoughts(blocks: readonly MessagesBlock[]): readonly MessagesBlock[] {
  return blocks.slice(0, blocks.findLastIndex(({ type }) => !type.endsWith('thinking')) + 1);
}
