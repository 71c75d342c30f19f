/**
 * When a change of an endeavour needs a person. Code asks by what is recorded; no text of a prompt can answer it.
 *
 * I1  A mode holds for the endeavour that names it. Nothing that an agent does makes it milder without a person.
 * I2  `Require` is asked before the change, `Notify` is told after it, `Auto` is neither.
 *
 * Source: springdrift 8 (kinds, modes and their defaults). Differs: there they are stored, and nothing enforces them.
 */
import { z } from 'zod';

export const APPROVAL_KINDS = [
  'PhaseTransition',
  'BudgetIncrease',
  'ExternalCommunication',
  'Replan',
  'Completion',
] as const;
export type ApprovalKind = (typeof APPROVAL_KINDS)[number];

/** From the mildest to the strictest. */
export const MODES = ['Auto', 'Notify', 'Require'] as const;
export type Mode = (typeof MODES)[number];

export const Approvals = z.strictObject({
  PhaseTransition: z.enum(MODES),
  BudgetIncrease: z.enum(MODES),
  ExternalCommunication: z.enum(MODES),
  Replan: z.enum(MODES),
  Completion: z.enum(MODES),
});
export type Approvals = Readonly<z.infer<typeof Approvals>>;

/** Source: springdrift 8. */
export const DEFAULT_APPROVALS: Approvals = {
  PhaseTransition: 'Auto',
  BudgetIncrease: 'Require',
  ExternalCommunication: 'Auto',
  Replan: 'Notify',
  Completion: 'Require',
};

/** What a change of an endeavour means, for who decides about it. */
const MEANING: Readonly<Record<ApprovalKind, string>> = {
  PhaseTransition: 'starts, ends or skips a phase',
  BudgetIncrease: 'gives it more sessions or tokens than planned',
  ExternalCommunication: 'changes whom it is reported to',
  Replan: 'changes the plan after the work began',
  Completion: 'declares it complete',
};

/** Kinds whose mode one of both makes milder. */
export function loosened(before: Approvals, after: Approvals): readonly ApprovalKind[] {
  return APPROVAL_KINDS.filter((kind) => MODES.indexOf(after[kind]) < MODES.indexOf(before[kind]));
}

/** The sentence that a person reads; undefined: no kind of the change requires one. */
export function whyRequired(title: string, approvals: Approvals, kinds: readonly ApprovalKind[]): string | undefined {
  const required = kinds.filter((kind) => approvals[kind] === 'Require');
  if (required.length === 0) return undefined;
  const meanings = required.map((kind) => MEANING[kind]).join(', and ');
  return `The endeavour ${JSON.stringify(title)} asks a person first: the call ${meanings} (${required.join(', ')}).`;
}

/** Kinds of a change that a person is told about. */
export function told(approvals: Approvals, kinds: readonly ApprovalKind[]): readonly ApprovalKind[] {
  return kinds.filter((kind) => approvals[kind] === 'Notify');
}
