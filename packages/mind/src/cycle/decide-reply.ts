/** Decides an answer without tool calls. */
import type { ModelAnswer } from '../request/model-request.ts';
import { formOf } from './asked-for.ts';
import { decideOutput } from './decide-output.ts';
import { decideRequest } from './decide-request.ts';
import { endCycle, push, type Draft } from './draft.ts';
import { declinedReason, type Guard } from './end-fault.ts';
import type { CycleInput, CycleSpec } from './event.ts';
import { textOf } from './reply.ts';

/** The default for records that do not state the number. */
const STRUCTURED_RETRIES = 2;

type Answered = Extract<CycleInput, { kind: 'ModelAnswered' }>;

const ANSWERS = { Schema: 'the JSON object', Tool: 'the call', Xml: 'the XML' } as const;

interface Failing {
  readonly guard: Guard;
  /** Goes to the model. */
  readonly nudge: string;
  /** Replaces the reply when the retries are used up: an admission, never a guess. */
  readonly admission: string;
}

/** First the guards, then the output gate; then the reply is final. */
export function decideReply(draft: Draft, input: Answered): void {
  const text = textOf(input.answer.content);
  if (input.answer.stop === 'Refusal') {
    return endCycle(draft, { outcome: 'Failed', text, reason: declinedReason(input.answer.refusalCategory) });
  }
  const failing = failingGuard(draft, input, text);
  if (failing === undefined) return decideOutput(draft);
  if ((draft.state.nudges[failing.guard] ?? 0) < nudgesMax(draft.state.spec, failing.guard)) {
    push(draft, { kind: 'Nudged', why: failing.guard, text: failing.nudge });
    return decideRequest(draft);
  }
  return endCycle(draft, { outcome: 'Failed', text: failing.admission, reason: failing.guard });
}

/** Source: springdrift 6 (empty, truncated); artoo C (malformed structure). */
function nudgesMax({ limits }: CycleSpec, guard: Guard): number {
  return guard === 'Malformed' ? (limits.structuredRetries ?? STRUCTURED_RETRIES) : 1;
}

function failingGuard(draft: Draft, input: Answered, text: string): Failing | undefined {
  const { answer, structured } = input;
  if (answer.stop === 'MaxTokens') {
    return {
      guard: 'Truncated',
      nudge: '[guard] Your answer was cut off at the output limit. Answer again, shorter: the result first.',
      admission: truncationAdmission(draft, answer),
    };
  }
  if (text.length === 0) {
    return {
      guard: 'EmptyReply',
      nudge: '[guard] Your answer was empty. Answer the task, or say what is missing.',
      admission: '[empty_reply_guard] The model gave no answer twice.',
    };
  }
  if (draft.state.spec.structured === undefined || structured?.ok === true) return undefined;
  const faults = structured === undefined ? 'no structured answer was found' : structured.faults;
  return {
    guard: 'Malformed',
    nudge: `[guard] Your answer does not have the required form:\n${faults}\nMend that alone, and keep what you decided. Answer again with ${ANSWERS[formOf(draft.state)]} alone.`,
    admission: '[structure_guard] The model gave no well-formed answer.',
  };
}

function truncationAdmission(draft: Draft, answer: ModelAnswer): string {
  const tools = new Set(draft.state.calls.map((call) => call.tool));
  const used = tools.size === 0 ? 'none' : [...tools].join(', ');
  return `[truncation_guard] ${answer.model} stopped at ${answer.usage.outputTokens} of ${draft.state.maxOutputTokens} output tokens, twice. Tools used: ${used}.`;
}
