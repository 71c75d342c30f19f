/** Translates a model request for the Messages API. Pure. */
import type { Json } from '@retainer/contract/std/canonical-json';
import type { ContentBlock, Message, ModelRequest } from '@retainer/mind/request/model-request';

interface CacheMark {
  readonly cache_control?: { readonly type: 'ephemeral' };
}

type MessagesBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: Json }
  | {
      readonly type: 'tool_result';
      readonly tool_use_id: string;
      readonly content: string;
      readonly is_error: boolean;
    };

export interface MessagesRequest {
  readonly model: string;
  readonly max_tokens: number;
  readonly stream: true;
  readonly temperature?: number;
  readonly system?: readonly ({ readonly type: 'text'; readonly text: string } & CacheMark)[];
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: readonly MessagesBlock[] }[];
  readonly tools?: readonly ({
    readonly name: string;
    readonly description: string;
    readonly input_schema: Json;
  } & CacheMark)[];
}

const cacheMark = { cache_control: { type: 'ephemeral' } } as const;

/**
 * The body of `POST /v1/messages`.
 *
 * The stable prefix is cached: one mark on the last tool, one on the last system block with `cache`. Empty texts and turns
 * are left out, because the API refuses them. Tool results come first in their turn, as the API requires.
 */
export function messagesRequest(request: ModelRequest): MessagesRequest {
  const lastCached = request.system.findLastIndex(({ text, cache }) => cache && text !== '');
  const system = request.system.flatMap(({ text }, index) => {
    if (text === '') return [];
    return [{ type: 'text' as const, text: wellFormed(text), ...(index === lastCached ? cacheMark : {}) }];
  });
  const tools = request.tools.map(({ name, description, inputSchema }, index) => ({
    name,
    description,
    input_schema: inputSchema,
    ...(index === request.tools.length - 1 ? cacheMark : {}),
  }));
  return {
    model: request.model,
    max_tokens: request.maxOutputTokens,
    stream: true,
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    messages: request.messages.map(turn).filter(({ content }) => content.length > 0),
    ...(system.length > 0 ? { system } : {}),
    ...(tools.length > 0 ? { tools } : {}),
  };
}

function turn({ role, content }: Message): MessagesRequest['messages'][number] {
  const results = content.filter(({ type }) => type === 'ToolResult');
  const others = content.filter(({ type }) => type !== 'ToolResult');
  return { role: role === 'User' ? 'user' : 'assistant', content: [...results, ...others].flatMap(block) };
}

function block(content: ContentBlock): readonly MessagesBlock[] {
  switch (content.type) {
    case 'Text':
      return content.text === '' ? [] : [{ type: 'text', text: wellFormed(content.text) }];
    case 'ToolUse':
      return [{ type: 'tool_use', id: content.id, name: content.name, input: content.input }];
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

const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** Repairs texts cut within a character, because the API would refuse the whole request. */
function wellFormed(text: string): string {
  return text.replaceAll(LONE_SURROGATE, '\uFFFD');
}
