/**
 * Whether the steering has blocked a call for this round: its tool, its target in any spelling, or the tool on that target.
 *
 * A block does not judge the call; it only keeps a round from repeating what failed. So it is checked beside the gate: before the
 * gate, and again at the chokepoint.
 *
 * Source: artoo A.4, A.17.
 */
import type { Json } from '@retainer/contract/std/canonical-json';
import type { Blocked } from '@retainer/contract/wire/bus/payloads';
import { quoted } from '../request/lines.ts';
import type { ToolFacts } from './tool-facts.ts';
import { targetOf } from './tool-target.ts';

/** Characters of a target in the sentence that the model reads. */
const TARGET_CHARACTERS = 200;

/** @returns the message for the model, or undefined if the call may go on to the gate */
export function blockedReason(blocked: Blocked | undefined, facts: ToolFacts, input: Json): string | undefined {
  if (blocked === undefined) return undefined;
  const { name: tool } = facts;
  if (blocked.tools.includes(tool))
    return `[blocked] The tool ${tool} is blocked in this round, because it failed in the one before. Use another one.`;
  if (blocked.unplanned?.includes(tool) === true)
    return `[blocked] The tool ${tool} reaches outside, and the plan that was made before untrusted text was read does not use it. Do without it.`;
  const target = targetOf(facts, input);
  if (target === undefined) return undefined;
  const isPair = blocked.pairs?.some((it) => it.tool === tool && it.target === target) === true;
  if (isPair)
    return `[blocked] The tool ${tool} is blocked for ${quoted(target.slice(0, TARGET_CHARACTERS))} in this round, because it failed on it before. Use another tool, or another target.`;
  if (!blocked.targets.includes(target)) return undefined;
  return `[blocked] ${quoted(target.slice(0, TARGET_CHARACTERS))} is blocked in this round, because it failed in the one before. Use something else.`;
}
