/** What the agent is told when it notes that a refusal of a gate looks wrong. */
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { FalsePositiveNote } from '../gate/meta/agents-note.ts';
import type { CycleNode } from '../projections/cycle-nodes.ts';
import { telling, type Telling } from './telling.ts';

/** Refusals that an answer names. */
const REFUSALS_NAMED_MAX = 5;

/** An error names what was refused in the cycle. */
export function noteFalsePositive(
  nodes: readonly CycleNode[],
  { cycle, gate, rule }: FalsePositiveNote,
): Result<Telling, string> {
  const refusals = (nodes.find(({ id }) => id === cycle)?.gates ?? []).filter(({ verdict }) => verdict === 'Reject');
  if (refusals.some((it) => it.gate === gate && it.rule === rule))
    return ok(telling(['It is noted for people as your view. The refusal stands.'], [], ''));
  const named = refusals.slice(-REFUSALS_NAMED_MAX).map((it) => `${it.gate} by ${it.rule}`);
  const advice =
    named.length === 0 ? 'inspect_cycle shows what gates refused.' : `It was refused: ${named.join('; ')}.`;
  return err(`No gate refused that in cycle ${cycle}. ${advice}`);
}
