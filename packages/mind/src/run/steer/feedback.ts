/**
 * Negative memories of advice that an abandoned run followed.
 *
 * Source: artoo A.11 (negative feedback, credit by the memories that the planner was shown).
 * Differs: it fades as the memory of an abandoned run does. A rule does not decay, so a copy of its decay would blame it for ever.
 */
import type { ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import { headAndTail } from '@retainer/contract/std/head-and-tail';
import { oneLine } from '../../request/lines.ts';
import { toolOf } from '../../parts/megrams/megram-space.ts';
import { QUANTA, type MegramDraft } from './quantise.ts';

/** A rule that a planner saw, and the calls of the failed subtasks under its plan. */
export interface Followed {
  readonly id: string;
  readonly space: string;
  readonly entity: string;
  readonly content: string;
  readonly sigma: number;
  readonly calls: readonly ToolCallRecord[];
}

/** Most characters of the advice in the memory against it. */
const ADVICE_CHARACTERS_MAX = 400;

/** One memory for each followed advice, however many rounds followed it. */
export function feedbackMegrams(followed: readonly Followed[]): readonly MegramDraft[] {
  const blamed = new Map(followed.filter(wasUsed).map((it) => [it.id, it]));
  return [...blamed.values()].map(({ space, entity, content }) => ({
    level: 'M',
    space,
    entity,
    content: `following the advice ${JSON.stringify(oneLine(headAndTail(content, ADVICE_CHARACTERS_MAX)))}, after which the task was given up`,
    state: 'Abandon',
    ...QUANTA.Abandon,
  }));
}

/**
 * Whether the plan followed the advice: the rule's own tool, or a tool that its words name, ran.
 *
 * Differs: a rule that names no tool that was called is not blamed, since nobody can tell whether the plan followed it. Nor is
 * one that forbids: the planner that kept to it did not do what it names.
 */
function wasUsed({ space, content, sigma, calls }: Followed): boolean {
  if (sigma <= 0) return false;
  const own = toolOf(space);
  const words = new Set(content.split(/[^\p{L}\p{N}_-]+/u));
  return calls.some(({ tool, status }) => status !== 'Unrun' && (own === undefined ? words.has(tool) : own === tool));
}
