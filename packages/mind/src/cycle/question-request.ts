/** The model request for a question of the runtime itself. */
import type { ModelRequest } from '../request/model-request.ts';
import type { GateModels } from './event.ts';

/** Without tools. The Agent's limit on an answer overrides the question's own. */
export function questionRequest(
  role: string,
  { outputTokens, ...model }: GateModels['scorer'],
  asked: Pick<ModelRequest, 'system' | 'messages' | 'maxOutputTokens'>,
): ModelRequest {
  return { role, ...model, ...asked, tools: [], maxOutputTokens: outputTokens ?? asked.maxOutputTokens };
}
