import { messageTokens, textTokens } from './trim-history.ts';
import type { ModelRequest } from '../request/model-request.ts';

/** Estimated: the provider counts for itself, so a limit may be missed by a little, never by far. */
export function promptTokens({ system, messages, tools }: Pick<ModelRequest, 'system' | 'messages' | 'tools'>): number {
  const fixed = [...system.map((block) => block.text), ...tools.map((tool) => JSON.stringify(tool))];
  return (
    fixed.reduce((sum, text) => sum + textTokens(text), 0) +
    messages.reduce((sum, message) => sum + messageTokens(message), 0)
  );
}
