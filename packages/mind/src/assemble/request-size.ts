import { messageTokens, textTokens } from './trim-history.ts';
import type { ModelRequest } from '../request/model-request.ts';

type ToolSpec = ModelRequest['tools'][number];

/** Each tool is described by one object for as long as an agent lives, and by the same one in every request. */
const toolSizes = new WeakMap<ToolSpec, number>();

function toolTokens(tool: ToolSpec): number {
  const known = toolSizes.get(tool);
  if (known !== undefined) return known;
  const tokens = textTokens(JSON.stringify(tool));
  toolSizes.set(tool, tokens);
  return tokens;
}

/** Estimated: the provider counts for itself, so a limit may be missed by a little, never by far. */
export function promptTokens({ system, messages, tools }: Pick<ModelRequest, 'system' | 'messages' | 'tools'>): number {
  return (
    system.reduce((sum, { text }) => sum + textTokens(text), 0) +
    tools.reduce((sum, tool) => sum + toolTokens(tool), 0) +
    messages.reduce((sum, message) => sum + messageTokens(message), 0)
  );
}
