/** The model request for a question of the runtime itself. */
import { OUT_OF_REACH, type ModelFailureKind, type ModelRequest } from '../request/model-request.ts';
import { thinkingTokens } from './asked-for.ts';
import type { AskedModel, GateModels } from './event.ts';

/** Without tools. The Agent's limit on an answer overrides the question's own; what the model thinks comes on top. */
export function questionRequest(
  role: string,
  { outputTokens, ...model }: GateModels['scorer'],
  asked: Pick<ModelRequest, 'system' | 'messages' | 'maxOutputTokens'>,
): ModelRequest {
  return askedOf({ ...asked, role, tools: [], maxOutputTokens: outputTokens ?? asked.maxOutputTokens }, model);
}

/** What is asked once more: without what the server refused, or of the other model. @returns undefined: nothing */
export function askedInstead(
  request: ModelRequest,
  kind: ModelFailureKind,
  fallback: AskedModel | undefined,
): ModelRequest | undefined {
  const { thinking, temperature: _, ...plain } = request;
  if (kind === 'InvalidRequest') return request.isPlain ? undefined : { ...plain, isPlain: true };
  if (fallback === undefined || fallback.model === request.model || !OUT_OF_REACH.some((it) => it === kind))
    return undefined;
  return askedOf({ ...plain, maxOutputTokens: request.maxOutputTokens - thinkingTokens(thinking) }, fallback);
}

function askedOf(
  request: Omit<ModelRequest, 'tier' | 'model'>,
  { tier, model, temperature, ask }: AskedModel,
): ModelRequest {
  const { thinking, isPlain } = ask ?? {};
  return {
    ...request,
    tier,
    model,
    ...(temperature === undefined || isPlain === true ? {} : { temperature }),
    maxOutputTokens: request.maxOutputTokens + thinkingTokens(thinking),
    ...(thinking === undefined ? {} : { thinking }),
    ...(isPlain === undefined ? {} : { isPlain }),
  };
}
