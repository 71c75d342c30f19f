/**
 * Why a cycle has no answer of its model: the words in its record, and the fault that they name. Writer and reader of these words
 * stand together.
 */
import { modelFailureKinds, type ModelFailureKind } from '../request/model-request.ts';

/** The model answered, and each answer was of no use. */
export const GUARDS = ['EmptyReply', 'Truncated', 'Malformed'] as const;
export type Guard = (typeof GUARDS)[number];

const DECLINED = 'the model provider declined to answer';

export type EndFault = Guard | 'Declined' | ModelFailureKind;

/** @param category  as the provider names what it does not answer */
export function declinedReason(category: string | undefined): string {
  return category === undefined ? DECLINED : `${DECLINED} (category ${category})`;
}

export function modelFailedReason(kind: string, message: string): string {
  return `the model failed (${kind}): ${message}`;
}

const MODEL_FAILED = /^the model failed \((?<kind>\w+)\): /u;

/** @returns the fault that the reason of a failed cycle names; undefined when it names none */
export function endFault(reason: string | undefined): EndFault | undefined {
  if (reason === undefined) return undefined;
  if (reason === DECLINED || reason.startsWith(`${DECLINED} (`)) return 'Declined';
  const kind = MODEL_FAILED.exec(reason)?.groups?.['kind'];
  return GUARDS.find((it) => it === reason) ?? modelFailureKinds.find((it) => it === kind);
}

/** The model was reached and answered, and none of its answers was of use. */
export function isUseless(reason: string | undefined): boolean {
  return GUARDS.some((it) => it === reason) || isStuck(reason);
}

export function limitReason(sentence: string, reached: { limit: string; value: number; max: number }): string {
  return `${sentence} (${reached.limit} ${reached.value} of ${reached.max})`;
}

/** Limits that a model reaches which goes on asking for tools, and never answers. */
const STUCK = /\((?:turns|failedTurnsInRow|alikeCalls) \d+ of \d+\)$/u;

export function isStuck(reason: string | undefined): boolean {
  return reason !== undefined && (STUCK.test(reason) || wentRound(reason));
}

const REPEATED = 'the model repeated the same call of ';

export function repeatedReason(tool: string): string {
  return `${REPEATED}${tool}`;
}

/** The model's own repetition ended the cycle: nothing around it is to blame. */
export function wentRound(reason: string): boolean {
  return reason.startsWith(REPEATED) || /\(alikeCalls \d+ of \d+\)$/u.test(reason);
}

/** @param answers  of the model in this cycle, at least 1 */
const guardSentences: Readonly<Record<Guard, (answers: number) => string>> = {
  Malformed: (answers) => `none of the model's answers (${answers}) had the required form`,
  EmptyReply: (answers) => `the model's last answers were empty (${answers} in all)`,
  Truncated: (answers) => `the model's last answers were cut off at its output limit (${answers} in all)`,
};

/** The reason of a failed cycle as a sentence: a guard is recorded by its name alone. */
export function faultSentence(reason: string, modelCalls: number): string {
  const guard = GUARDS.find((it) => it === reason);
  return guard === undefined ? reason : `${guardSentences[guard](Math.max(1, modelCalls))} (${guard})`;
}
