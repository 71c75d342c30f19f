import { messageTokens, textTokens } from './trim-history.ts';
import type { ModelRequest } from '../request/model-request.ts';

type ToolSpec = ModelRequest['tools'][number];

/** An agent describes each tool by one object, which is the same in every request. */
const toolSizes = new WeakMap<ToolSpec, number>();

function toolTokens(tool: ToolSpec): number {
  const known = toolSizes.get(tool);
  if (known !== undefined) return known;
  const tokens = textTokens(JSON.stringify(tool));
  toolSizes.set(tool, tokens);
  return tokens;
}

/** Estimated. The provider counts itself, so the request may exceed a limit slightly, but never by much. */
export function promptTokens({
  system,
  messages,
  tools,
  answerAs,
}: Pick<ModelRequest, 'system' | 'messages' | 'tools' | 'answerAs'>): number {
  return (
    (answerAs === undefined ? 0 : textTokens(JSON.stringify(answerAs.schema))) +
    system.reduce((sum, { text }) => sum + textTokens(text), 0) +
    tools.reduce((sum, tool) => sum + toolTokens(tool), 0) +
    messages.reduce((sum, message) => sum + messageTokens(message), 0)
  );
}
