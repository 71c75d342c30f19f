/** Estimates token counts that no provider reports. Pure. */
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import type { ContentBlock, ModelRequest, Usage } from '@retainer/mind/request/model-request';

/** Within a few per cent of a real tokenizer on operational text. Source: libraries 1 (token counts). */
const CHARS_PER_TOKEN = 3.5;

export function estimateUsage(request: ModelRequest, answer: readonly ContentBlock[]): Usage {
  const systemChars = request.system.reduce((sum, { text }) => sum + text.length, 0);
  const toolChars = request.tools.reduce((sum, tool) => sum + canonicalJson(tool).length, 0);
  const messageChars = request.messages.reduce((sum, { content }) => sum + contentChars(content), 0);
  return {
    inputTokens: tokens(systemChars + toolChars + messageChars),
    outputTokens: tokens(contentChars(answer)),
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
  };
}

/** UTF-16 code units of all text and tool inputs. */
export function contentChars(content: readonly ContentBlock[]): number {
  return content.reduce((sum, block) => {
    if (block.type === 'ToolUse') return sum + block.name.length + canonicalJson(block.input).length;
    return sum + block.text.length;
  }, 0);
}

function tokens(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}
