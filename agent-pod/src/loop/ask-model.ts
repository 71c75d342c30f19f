/** One question of the runtime to a model: asked with retries, once more of another model where this one is out of reach. */
import type { Clock } from '@retainer/contract/std/clock';
import type { AskedModel } from '@retainer/mind/cycle/event';
import { askedInstead } from '@retainer/mind/cycle/question-request';
import { addUsage } from '@retainer/mind/cycle/state';
import type { ModelAnswer, ModelRequest, Usage } from '@retainer/mind/request/model-request';
import type { InferOptions, ModelPort } from '../ports/ports.ts';
import type { RecordedRefusal } from './refusal-text.ts';
import type { CostUsd } from './spending.ts';

export interface QuestionParts {
  readonly model: ModelPort;
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  readonly costUsd: CostUsd;
}

export interface QuestionOptions {
  readonly signal: AbortSignal;
  /** Of each model. */
  readonly timeoutMs: number;
  /** The budget of the Agent that forbids the question. */
  readonly refusal: { readonly message: string } | undefined;
  readonly fallback: AskedModel | undefined;
  /** See `InferOptions`. */
  readonly onParked?: InferOptions['onParked'];
}

/** The result of one model call: an answer, or the reason why there is none. */
export type Reply = { readonly answer: ModelAnswer } | { readonly answer?: undefined; readonly reason: string };

/**
 * Retries of a model that another one can replace: one, so that a silent minute or two leave time for the other. Without another
 * model, as many as the Agent allows.
 */
const RETRIES_BEFORE_FALLBACK = 1;

export function retriesOf(fallback: unknown): Pick<InferOptions, 'retriesMax' | 'hasStandIn'> {
  return fallback === undefined ? {} : { retriesMax: RETRIES_BEFORE_FALLBACK, hasStandIn: true };
}

export async function askModel(
  { model }: Pick<QuestionParts, 'model'>,
  request: ModelRequest,
  callId: string,
  { signal, timeoutMs, refusal, fallback, onParked }: QuestionOptions,
): Promise<Reply> {
  if (refusal !== undefined) return { reason: refusal.message };
  let reason = '';
  for (let next: ModelRequest | undefined = request; next !== undefined;) {
    const result = await model.infer(next, {
      ...{ callId, signal, timeoutMs, failsAtTimeout: true },
      ...(onParked === undefined ? {} : { onParked }),
      ...retriesOf(next.model === fallback?.model ? undefined : fallback),
    });
    if (result.ok) return { answer: result.value };
    reason = `${result.error.kind}: ${result.error.message}`;
    next = askedInstead(next, result.error.kind, fallback);
  }
  return { reason };
}

export function textOf({ answer }: Reply): string | undefined {
  return answer?.content.map((block) => (block.type === 'Text' ? block.text : '')).join('');
}

/** What is recorded of a question beside its answer. */
export function askedFor(
  parts: Pick<QuestionParts, 'clock' | 'costUsd'>,
  of: { readonly startMs: number; readonly refusal: RecordedRefusal | undefined; readonly replies: readonly Reply[] },
): ReturnType<typeof spent> & { readonly refusal?: RecordedRefusal; readonly latencyMs: number } {
  return {
    ...spent(parts, of.replies),
    ...(of.refusal === undefined ? {} : { refusal: of.refusal }),
    latencyMs: parts.clock.monotonicMs() - of.startMs,
  };
}

/** The total cost of the answers; absent when one of the prices is unknown. */
function spent(
  { costUsd }: Pick<QuestionParts, 'costUsd'>,
  replies: readonly Reply[],
): { readonly model?: string; readonly usage?: Usage; readonly costUsd?: number; readonly mended?: readonly string[] } {
  const answers = replies.flatMap(({ answer }) => (answer === undefined ? [] : [answer]));
  const [first] = answers;
  if (first === undefined) return {};
  const costs = answers.map(({ model, usage }) => costUsd(model, usage));
  const isKnown = costs.every((cost) => cost !== undefined);
  const mended = [...new Set(answers.flatMap((answer) => answer.mended ?? []))];
  return {
    model: first.model,
    usage: answers.map(({ usage }): Usage => usage).reduce(addUsage),
    ...(isKnown ? { costUsd: costs.reduce((sum, cost) => sum + cost, 0) } : {}),
    ...(mended.length === 0 ? {} : { mended }),
  };
}
