/**
 * What a request asks for beside its conversation: the form of the answer, and thinking.
 *
 * I1  What a model thought goes back to it only where everything before it is as it was, because a provider refuses it elsewhere.
 * I2  Once a server refused what its model should take, the cycle asks for nothing but text and XML.
 *
 * Source: Messages API (structured outputs, thinking).
 */
import { answerAs, answerForm } from '../request/answers.ts';
import type { AnswerForm, Effort, Message, ModelRequest, Thinking } from '../request/model-request.ts';
import { withoutThinking } from './reply.ts';
import { systemOf } from './shared-request.ts';
import type { CycleState } from './state.ts';

/** Tokens of an answer that are left for its text where a budget of thinking takes the others. */
const ANSWER_TOKENS_MIN = 1024;

/** The least budget of thinking that there is. Source: Messages API (thinking). */
const THINKING_TOKENS_MIN = 1024;

/** Tokens added to the limit of an answer for what its model thinks, which counts as answer; paid only as far as used. */
const THINKING_TOKENS: Readonly<Record<Effort, number>> = {
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 32_768,
  max: 65_536,
};

/** What an answer may be beyond the role's limit, because models think by themselves if they are not told how hard. */
const EFFORT_DEFAULT: Effort = 'high';

/** The form in which the cycle's answer is asked now. */
export function formOf({ spec, isPlain }: CycleState): AnswerForm {
  return isPlain ? 'Xml' : (spec.ask?.answers ?? 'Xml');
}

type Asked = Pick<ModelRequest, 'system' | 'messages' | 'answerAs'>;

/** @param isAsBefore  the conversation only grew: no turn was dropped, and the tools are those of the turns before */
export function askedFor(state: CycleState, messages: readonly Message[], isAsBefore: boolean): Asked {
  const { ask, structured } = state.spec;
  const system = systemOf(state.spec);
  const kept = isAsBefore && !state.isPlain ? messages : messages.map(withoutThinking);
  if (ask === undefined || structured === undefined) return { system, messages: kept };
  const form = formOf(state);
  const held = answerAs(structured, form);
  return {
    system: [...system, { text: answerForm(structured, form), cache: true }],
    messages: kept,
    ...(held === undefined ? {} : { answerAs: held }),
  };
}

/** @param messages  as they are sent  @param left  tokens of an answer within budget and money, its thinking included */
export function thoughtOf(
  { spec, isPlain }: CycleState,
  messages: readonly Message[],
  left: number,
): Pick<ModelRequest, 'maxOutputTokens' | 'thinking'> {
  const { outputTokens } = spec.limits;
  const thinking = isPlain ? undefined : spec.ask?.thinking;
  const maxOutputTokens = Math.min(outputTokens + thinkingTokens(thinking), left);
  if (thinking?.mode !== 'Budget') return { maxOutputTokens, ...(thinking === undefined ? {} : { thinking }) };
  const budgetTokens = Math.min(thinking.budgetTokens ?? 0, maxOutputTokens - ANSWER_TOKENS_MIN);
  if (budgetTokens < THINKING_TOKENS_MIN || lacksThought(messages)) {
    return { maxOutputTokens: Math.min(outputTokens, left) };
  }
  return { maxOutputTokens, thinking: { ...thinking, budgetTokens } };
}

/** Tokens of an answer that its thoughts may take. */
export function thinkingTokens(thinking: Thinking | undefined): number {
  if (thinking?.mode === 'Budget') return thinking.budgetTokens ?? 0;
  return thinking?.mode === 'Adaptive' ? THINKING_TOKENS[thinking.effort ?? EFFORT_DEFAULT] : 0;
}

/** Whether the first call came without thoughts: the conversation goes on without, as providers demand it. */
function lacksThought(messages: readonly Message[]): boolean {
  const first = messages.find(({ content }) => content.some(({ type }) => type === 'ToolUse'));
  return first !== undefined && !first.content.some(({ type }) => type === 'Thinking');
}
