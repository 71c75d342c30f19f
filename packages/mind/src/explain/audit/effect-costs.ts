/**
 * What an effect took: of a call, the answer that asked for it and the gates' questions about it; of a delivery, its whole run.
 *
 * An answer may ask for several calls. Its cost stands with each of them, and each says so: divided, it would be a figure that no
 * record has.
 */
import type { CycleEvent } from '../../cycle/event.ts';
import type { Usage } from '../../request/model-request.ts';
import { fromTable, type EventTable } from '../../part/event-table.ts';
import { promptTokensOf } from '../spending.ts';

export interface EffectCost {
  /** Prompts and answers together. */
  readonly tokens: number;
  /** US dollars. */
  readonly costUsd: number;
  /** Whether every price was known. */
  readonly isComplete: boolean;
  /** Calls of the same answer, this one included; of a delivery 1. */
  readonly sharedBy: number;
}

const nothing: EffectCost = { tokens: 0, costUsd: 0, isComplete: true, sharedBy: 1 };

interface Paid {
  readonly usage?: Usage | undefined;
  readonly costUsd?: number | undefined;
}

function plus(cost: EffectCost, { usage, costUsd }: Paid): EffectCost {
  if (usage === undefined) return cost;
  return {
    ...cost,
    tokens: cost.tokens + promptTokensOf(usage) + usage.outputTokens,
    costUsd: cost.costUsd + (costUsd ?? 0),
    isComplete: cost.isComplete && costUsd !== undefined,
  };
}

/** The costs of one run, as far as its cycles have come. */
export class CallCosts {
  /** The newest answer of each cycle. */
  readonly #answers = new Map<string, EffectCost>();
  /** Questions of gates about each call. */
  readonly #gates = new Map<string, EffectCost>();
  /** The call that each question of a gate is about. */
  readonly #asked = new Map<string, string>();

  readonly #table: EventTable<CycleEvent, [cycleId: string], void> = {
    ModelAnswered: ({ answer: { content, usage }, costUsd }, cycleId) => {
      const uses = content.filter(({ type }) => type === 'ToolUse').length;
      this.#answers.set(cycleId, { ...plus(nothing, { usage, costUsd }), sharedBy: Math.max(1, uses) });
    },
    GateProbeRequested: ({ askId, callId }) => this.#learn(askId, callId),
    GateScoreRequested: ({ askId, callId }) => this.#learn(askId, callId),
    GateProbed: (event) => this.#pay(event.askId, event),
    GateScored: (event) => this.#pay(event.askId, event),
  };

  take(event: CycleEvent, cycleId: string): void {
    fromTable(this.#table, event, cycleId);
  }

  #learn(askId: string, callId: string | undefined): void {
    if (callId !== undefined) this.#asked.set(askId, callId);
  }

  #pay(askId: string, paid: Paid): void {
    const callId = this.#asked.get(askId);
    if (callId !== undefined) this.#gates.set(callId, plus(this.#gates.get(callId) ?? nothing, paid));
  }

  /** At the moment at which the call is made. */
  of(callId: string, cycleId: string): EffectCost {
    const answer = this.#answers.get(cycleId) ?? nothing;
    const gates = this.#gates.get(callId) ?? nothing;
    return {
      tokens: answer.tokens + gates.tokens,
      costUsd: answer.costUsd + gates.costUsd,
      isComplete: answer.isComplete && gates.isComplete,
      sharedBy: answer.sharedBy,
    };
  }
}

export function costOfRun(body: {
  readonly usage: Usage;
  readonly costUsd: number;
  readonly isCostComplete: boolean;
}): EffectCost {
  const { usage, costUsd, isCostComplete } = body;
  const tokens = promptTokensOf(usage) + usage.outputTokens;
  return { tokens, costUsd, isComplete: isCostComplete, sharedBy: 1 };
}
