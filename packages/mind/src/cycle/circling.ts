/**
 * Detects calls that go in a circle: consecutive calls of one tool with similar arguments and the same output. Another
 * check finds identical calls; these differ in a number or a word, and bring nothing new.
 *
 * Only calls that change nothing count: ten written facts are ten facts, although each answer is "written".
 *
 * Source: reliability-security 4 (the same pair and similar text ten times; no progress). Differs: the pair is a role and a tool,
 * since agents write no mail to each other yet.
 */
import { lexicalEmbedding, likeness } from '../meaning/intent-likeness.ts';
import type { CallRecord } from './state.ts';

/** From this number on, similar calls are a circle. */
export const ALIKE_CALLS_MAX = 10;

/** Effect classes that change nothing: pure calls and external reads. */
const READS: ReadonlySet<number | undefined> = new Set([0, 2]);

/** The number of newest calls that form a circle: the maximum, or 0. Compares arguments only when nothing cheaper differs. */
export function alikeCalls(calls: readonly CallRecord[]): number {
  const looked = calls.slice(-ALIKE_CALLS_MAX);
  const newest = looked.at(-1);
  if (newest === undefined || looked.length < ALIKE_CALLS_MAX || !READS.has(newest.effectClass)) return 0;
  const output = outputOf(newest);
  if (output === undefined) return 0;
  if (looked.some((call) => call.tool !== newest.tool || outputOf(call) !== output)) return 0;
  const direction = directionOf(newest);
  const isCircle = looked.every((call) => likeness(directionOf(call), direction) >= lexicalEmbedding.neighbourMin);
  return isCircle ? ALIKE_CALLS_MAX : 0;
}

function outputOf({ end }: CallRecord): string | undefined {
  return end.kind === 'Ran' && end.outcome.status === 'Ok' ? end.outcome.outputSha256 : undefined;
}

function directionOf({ input }: CallRecord): ReturnType<typeof lexicalEmbedding.embed> {
  return lexicalEmbedding.embed(JSON.stringify(input));
}
