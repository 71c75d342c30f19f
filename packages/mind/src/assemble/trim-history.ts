import type { ContentBlock, Message } from '../request/model-request.ts';

/** A fair estimate for English and code. Source: springdrift 6; libraries 1 (token counts). */
const CHARACTERS_PER_TOKEN = 4;

export interface TrimmedHistory {
  readonly messages: readonly Message[];
  /** Number of omitted messages, in turns of either role. */
  readonly dropped: number;
}

/**
 * Keeps a history within `budgetTokens` (estimated): the first turn, then the newest turns.
 *
 * Turns are dropped in pairs (an answer and the results of its calls). So turns still alternate, the first is the user's, and no
 * tool result lacks its tool use.
 *
 * Source: springdrift 6. Differs: the first turn is never dropped, since it holds the task.
 */
export function trimHistory(messages: readonly Message[], budgetTokens: number): TrimmedHistory {
  const [first, ...rest] = messages;
  if (first === undefined) return { messages, dropped: 0 };
  const sizes = rest.map(messageTokens);
  let total = messageTokens(first) + sizes.reduce((sum, size) => sum + size, 0);
  let dropped = 0;
  while (total > budgetTokens && dropped + 2 < rest.length) {
    total -= (sizes[dropped] ?? 0) + (sizes[dropped + 1] ?? 0);
    dropped += 2;
  }
  return { messages: [first, ...rest.slice(dropped)], dropped };
}

/** Estimated size of a text. */
export function textTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

export function messageTokens(message: Message): number {
  return Math.ceil(message.content.reduce((sum, block) => sum + blockCharacters(block), 0) / CHARACTERS_PER_TOKEN);
}

function blockCharacters(block: ContentBlock): number {
  switch (block.type) {
    case 'Thinking':
      return block.text.length + block.seal.length;
    case 'Text':
    case 'ToolResult':
      return block.text.length;
    case 'ToolUse':
      return block.name.length + JSON.stringify(block.input).length;
  }
}
