import { totalTokens, type CycleState } from './state.ts';

/** Tokens of the cycle that are neither used nor reserved for a pending question. */
export function tokensLeft({ spec, usage, pendingAsks }: CycleState): number {
  const kept = pendingAsks.reduce((sum, ask) => sum + ask.tokens, 0);
  return spec.limits.tokens - totalTokens(usage) - kept;
}
