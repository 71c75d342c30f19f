/** A question of the runtime itself, as it goes to the model that the Agent names for it. */
import type { ModelRequest } from '../request/model-request.ts';
import type { GateModels } from './event.ts';

/** Without tools. The Agent's limit of an answer stands before the question's own. */
export function questionRequest(
  role: string,
  { outputTokens, ...model }: GateModels['scorer'],
  asked: Pick<ModelRequest, 'system' | 'messages' | 'maxOutputTokens'>,
): ModelRequest {
  return { role, ...model, ...asked, tools: [], maxOutputTokens: outputTokens ?? asked.maxOutputTokens };
}
