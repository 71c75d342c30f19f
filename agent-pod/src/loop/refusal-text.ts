import { sha256Hex } from '@retainer/contract/std/hash';
import type { ToolOutcome } from '@retainer/mind/cycle/tool-outcome';
import { budgetPath, type BudgetRefusal } from '@retainer/mind/gate/budget/budget';

/** The refusal of a budget as records have it. */
export type RecordedRefusal = Omit<BudgetRefusal, 'freeAtMs'> & { readonly message: string };

export function recordedRefusal(refusal: BudgetRefusal): RecordedRefusal {
  const { freeAtMs: _, ...line } = refusal;
  return { message: refusalText(refusal), ...line };
}

/** For people and the model: which field, how much, and when work can continue. */
export function refusalText({ field, used, asked, max, freeAtMs }: BudgetRefusal): string {
  const path = budgetPath(field);
  const then =
    freeAtMs === undefined ? `raise ${path}` : `try again at ${new Date(freeAtMs).toISOString()}, or raise it`;
  if (field === 'schedulerCyclesPerHour')
    return `${path} of the Agent is ${shown(max)}, and ${shown(used)} such cycles began within the hour: ${then}`;
  const has = `${path} of the Agent is ${shown(max)}, ${shown(used)} of it used or kept for calls under way`;
  return `${has}; this call may take ${shown(asked)}: ${then}`;
}

/** Six digits are enough for money and for tokens. */
function shown(value: number): string {
  return String(Number(value.toPrecision(6)));
}

/** The model reads this text as the result of the call, and can answer with what it has. */
export function refusedOutcome(message: string): ToolOutcome {
  const text = `[budget] The call was not made: ${message}.`;
  const outputBytes = Buffer.byteLength(text);
  return { status: 'Error', text, outputBytes, outputSha256: sha256Hex(text), files: [], durationMs: 0 };
}
