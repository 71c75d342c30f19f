/** Makes the figures of an answer believable. Pure. A figure never voids an answer, and never counts beyond what can be. */
import { promptTokens } from '@retainer/mind/assemble/request-size';
import type { ContentBlock, ModelRequest, Usage } from '@retainer/mind/request/model-request';
import { answerTokens } from './usage-estimate.ts';

/**
 * Tokens that a provider adds to a prompt: how to call tools, and in what form to answer. Source: Messages API (tool use) names up to
 * about 800.
 */
const ADDED_TOKENS_MAX = 4096;

export interface WholeUsage {
  readonly usage: Usage;
  /** What was mended, one sentence each. */
  readonly mended: readonly string[];
}

/**
 * Each impossible or missing figure is replaced by an estimate.
 *
 * @param usage  as the server says; any numbers
 * @param content  of the answer
 */
export function wholeUsage(usage: Usage, request: ModelRequest, content: readonly ContentBlock[]): WholeUsage {
  const prompt = promptUsage(usage, request);
  const outputTokens = answerCount(usage.outputTokens, request, content);
  return {
    usage: {
      ...(prompt ?? { inputTokens: promptTokens(request), cacheReadTokens: 0, cacheWriteTokens: 0 }),
      outputTokens: outputTokens ?? Math.min(answerTokens(content), request.maxOutputTokens),
    },
    mended: [
      ...(prompt === undefined ? ['the server gave no possible count of input tokens: it is estimated'] : []),
      ...(outputTokens === undefined ? ['the server gave no possible count of output tokens: it is estimated'] : []),
    ],
  };
}

function promptUsage(usage: Usage, request: ModelRequest): Omit<Usage, 'outputTokens'> | undefined {
  const figures = [usage.inputTokens, usage.cacheReadTokens, usage.cacheWriteTokens].map(Math.ceil);
  const [inputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0] = figures;
  const sum = inputTokens + cacheReadTokens + cacheWriteTokens;
  const isPossible = figures.every((it) => it >= 0) && sum > 0 && sum <= promptTokensMax(request);
  return isPossible ? { inputTokens, cacheReadTokens, cacheWriteTokens } : undefined;
}

/** A token has at least one byte. */
function promptTokensMax({ system, messages, tools, answerAs }: ModelRequest): number {
  return Buffer.byteLength(JSON.stringify({ system, messages, tools, answerAs })) + ADDED_TOKENS_MAX;
}

/** Zero counts for nothing that was said, but an answer without content may have cost some. */
function answerCount(
  wire: number,
  { maxOutputTokens }: ModelRequest,
  content: readonly ContentBlock[],
): number | undefined {
  const tokens = Math.ceil(wire);
  const least = content.length > 0 ? 1 : 0;
  return tokens >= least && tokens <= maxOutputTokens ? tokens : undefined;
}
