/** Decides whether the next model call may be made, and assembles its request. */
import type { ModelRequest } from '../request/model-request.ts';
import { promptTokens } from '../assemble/request-size.ts';
import { trimHistory } from '../assemble/trim-history.ts';
import { allowedText } from './allowed-text.ts';
import { askedFor, thoughtOf } from './asked-for.ts';
import { ALIKE_CALLS_MAX, alikeCalls } from './circling.ts';
import { awaitsReader } from './ask-reader.ts';
import { endCycle, push, type Draft } from './draft.ts';
import { limitReason } from './end-fault.ts';
import { agentName } from './event.ts';
import { messagesForNextRequest } from './evolve.ts';
import { contextLimit } from './mend-history.ts';
import { turnsOf } from './shared-request.ts';
import { tokensLeft, totalTokens, type CycleState } from './state.ts';

/** The model is warned when this many turns are left, this one included. Source: springdrift 7. */
const TURNS_LEFT_WARNING = 2;

type RecordedRequest = Extract<Parameters<typeof push>[1], { kind: 'ModelRequested' }>['request'];

function answeredTurns({ turns, unansweredTurns }: CycleState): number {
  return turns - unansweredTurns;
}

interface Limit {
  readonly limit: string;
  readonly value: (state: CycleState) => number;
  readonly max: (state: CycleState) => number;
  readonly sentence: string;
}

/**
 * Checked in this order before each model call.
 *
 * Source: springdrift 14 (max_consecutive_errors). Differs: counts turns in which any tool call failed, since a turn's
 * calls stand for one step of the model.
 */
const limits: readonly Limit[] = [
  {
    limit: 'turns',
    value: answeredTurns,
    max: (state) => state.spec.limits.turns,
    sentence: 'the turns of this cycle are used up',
  },
  {
    limit: 'tokens',
    value: (state) => totalTokens(state.usage),
    max: (state) => state.spec.limits.tokens,
    sentence: 'the tokens of this cycle are used up',
  },
  {
    limit: 'costUsd',
    value: (state) => state.costUsd,
    max: (state) => state.spec.limits.costUsd,
    sentence: 'the money of this cycle is used up',
  },
  {
    limit: 'failedTurnsInRow',
    value: (state) => state.failedTurnsInRow,
    max: (state) => state.spec.limits.failedTurnsInRow,
    sentence: 'a tool call failed in too many turns in a row',
  },
  {
    limit: 'alikeCalls',
    value: (state) => alikeCalls(state.calls),
    max: () => ALIKE_CALLS_MAX,
    sentence: 'the last calls were alike and brought nothing new',
  },
];

/** Asks the model when nothing is open and all results may be shown. Ends the cycle when a limit forbids the call. */
export function decideRequest(draft: Draft): void {
  if (draft.state.openCalls.some((call) => call.result === undefined)) return;
  const reached = limits.find((it) => it.value(draft.state) >= it.max(draft.state));
  if (reached !== undefined) return endAtLimit(draft, { ...reached, value: reached.value(draft.state) });
  if (awaitsReader(draft)) return;
  const left = draft.state.spec.limits.turns - answeredTurns(draft.state);
  if (left === TURNS_LEFT_WARNING && answeredTurns(draft.state) > 0) {
    push(draft, {
      kind: 'Nudged',
      why: 'TurnsLeft',
      text: `[budget] ${left} turns are left, this one included. Finish what matters and answer.`,
    });
  }
  const { request, dropped } = assembleRequest(draft);
  if (request.maxOutputTokens <= 0) return endBeforeRequest(draft, request);
  const turn = draft.state.turns + 1;
  push(draft, {
    kind: 'ModelRequested',
    callId: `${draft.state.spec.cycleId}-m${turn}`,
    turn,
    request: request as RecordedRequest,
    droppedMessages: dropped,
  });
}

/** The call is not made when its least cost exceeds what is left. */
function endBeforeRequest(draft: Draft, request: ModelRequest): void {
  const { costUsd, spec } = draft.state;
  const tokens = promptTokens(request);
  if (payableTokens(draft.state, tokens) <= 0)
    return endAtLimit(draft, {
      limit: 'costUsd',
      value: costUsd + tokens * (spec.price?.promptUsd ?? 0),
      max: (state) => state.spec.limits.costUsd,
      sentence: 'the next model call would use up the money of this cycle',
    });
  endAtLimit(draft, {
    limit: 'tokens',
    value: totalTokens(draft.state.usage) + tokens,
    max: (state) => state.spec.limits.tokens,
    sentence: 'the next model call would use up the tokens of this cycle',
  });
}

function endAtLimit(draft: Draft, reached: Omit<Limit, 'value'> & { readonly value: number }): void {
  const { value } = reached;
  const max = reached.max(draft.state);
  push(draft, { kind: 'LimitReached', limit: reached.limit, value, max });
  endCycle(draft, {
    outcome: 'OutOfBudget',
    text: allowedText(draft),
    reason: limitReason(reached.sentence, { limit: reached.limit, value, max }),
  });
}

function assembleRequest(draft: Draft): { readonly request: ModelRequest; readonly dropped: number } {
  const { state, config } = draft;
  const { spec } = state;
  const history = trimHistory(messagesForNextRequest(state, config.catalog.known), contextLimit(state));
  // The same whatever the cycle has read: without one of them, a provider would forget the whole conversation. The gate refuses.
  const tools = config.catalog.specs(state.isPlain ? spec.tools : spec.shared.tools);
  const { messages, ...asked } = askedFor(state, turnsOf(spec, history.messages), history.dropped === 0);
  const prompt = { messages, tools, ...asked };
  const size = promptTokens(prompt);
  const left = Math.min(tokensLeft(state) - size, payableTokens(state, size), state.outputTokens ?? Infinity);
  return {
    dropped: history.dropped,
    request: {
      role: agentName(spec),
      tier: spec.tier,
      model: spec.model,
      ...prompt,
      ...thoughtOf(state, messages, left),
      ...(tools.length > 0 && spec.tools.length === 0 ? { callsNoTool: true } : {}),
      ...(spec.callsFirst === true && spec.tools.length > 0 && state.calls.length === 0
        ? { callsTool: true as const }
        : {}),
      ...(state.isPlain ? { isPlain: true as const } : sampled(spec)),
    },
  };
}

function sampled({ temperature }: CycleState['spec']): Pick<ModelRequest, 'temperature'> {
  return temperature === undefined ? {} : { temperature };
}

/** Tokens of an answer that the remaining money pays for, after a prompt of this size; no limit when the price is unknown. */
function payableTokens({ spec: { limits, price }, costUsd }: CycleState, prompt: number): number {
  if (price === undefined) return Infinity;
  const leftUsd = limits.costUsd - costUsd - prompt * price.promptUsd;
  if (leftUsd <= 0) return 0;
  return price.answerUsd === 0 ? Infinity : Math.floor(leftUsd / price.answerUsd);
}
