/**
 * How long the gates of a cycle wait for an answer to one of their questions: as the Agent says, and longer where the models have
 * been measured to be slower. A verdict that comes too late refuses work that nothing is against.
 */
import type { GateModels } from '../cycle/event.ts';
import { waitMs, type CallSize } from '../cycle/pace.ts';
import { pacesOf, type RunState } from './state.ts';

/** Of a usual question: a text under judgement and forecasts on some features; a text with a word to repeat; a long text and its facts. */
const QUESTION_SIZES: Readonly<Record<'scorer' | 'canary' | 'reader', CallSize>> = {
  scorer: { promptTokens: 2000, answerTokens: 500 },
  canary: { promptTokens: 1000, answerTokens: 60 },
  reader: { promptTokens: 8000, answerTokens: 700 },
};

/** Milliseconds, of the slowest of its questions; no longer than any call of the Agent may take, unless the Agent says so itself. */
export function gateWaitMs(state: RunState, gates: GateModels): number {
  const bounds = { firstMs: gates.timeoutMs, mostMs: state.spec.roles.Executor.limits.modelTimeoutMs };
  const paces = pacesOf(state);
  const waits = (['scorer', 'canary', 'reader'] as const).map((name) =>
    waitMs(paces, { model: gates[name].model, ...QUESTION_SIZES[name] }, bounds),
  );
  return Math.max(...waits);
}
