/** Estimates token counts that no provider reports. Pure. */
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import type { ContentBlock } from '@retainer/mind/request/model-request';

/** Within a few per cent of a real tokenizer on operational text. Source: libraries 1 (token counts). */
const CHARS_PER_TOKEN = 3.5;

/** Tokens of an answer. */
export function answerTokens(answer: readonly ContentBlock[]): number {
  return tokensOfChars(contentChars(answer));
}

/** UTF-16 code units of all text and tool inputs. */
export function contentChars(content: readonly ContentBlock[]): number {
  return content.reduce((sum, block) => {
    if (block.type === 'ToolUse') return sum + block.name.length + canonicalJson(block.input).length;
    return sum + block.text.length;
  }, 0);
}

export function tokensOfChars(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}
