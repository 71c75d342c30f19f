/**
 * Attempts in which a worker went round: it repeated a call until that ended its work, or did and said nothing that an earlier
 * attempt had not done and said. The same words to the same model come to the same again, so the next attempt gets something else besides words: the
 * capable model where the fast one worked, and more chance in its answers.
 */
import { knownModel } from '@retainer/contract/api/known-models';
import type { AskedModel } from '../cycle/event.ts';
import { callText } from './steer/corrections.ts';
import { isCircle, type ExecutionResult } from './verdict/pre-gates.ts';

/** @param results  of one subtask in one round, oldest first @returns how many of them went round */
export function circlesIn(results: readonly ExecutionResult[]): number {
  return results.filter((result, at) => isCircle(result) || bringsNothingNew(result, results.slice(0, at))).length;
}

function bringsNothingNew({ calls, output }: ExecutionResult, earlier: readonly ExecutionResult[]): boolean {
  if (!earlier.some((it) => it.output === output)) return false;
  const made = new Set(earlier.flatMap((it) => it.calls.map(callText)));
  return calls.length > 0 && calls.every((it) => made.has(callText(it)));
}

/** After the first circle, and after each later one. 0 to 1. A server of one's own mostly starts at or near 0. */
const TEMPERATURES = [0.7, 1] as const;

/**
 * For the answers of a worker that went round so often; empty where the Agent has set a temperature, and for models of a provider:
 * they take none, or have the highest already.
 */
export function variedBy(circles: number, { model, temperature }: AskedModel): Pick<AskedModel, 'temperature'> {
  const varied = TEMPERATURES[Math.min(circles, TEMPERATURES.length) - 1];
  return varied === undefined || temperature !== undefined || knownModel(model) !== undefined
    ? {}
    : { temperature: varied };
}
