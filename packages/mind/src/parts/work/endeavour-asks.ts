/**
 * What a change of an endeavour means for its approvals, and whether a person must allow it first. Pure: the gate asks it with what is
 * recorded, before the call runs.
 *
 * I1  Approvals that an agent gives an endeavour are never milder than the shipped ones or those that it has, unless a person says so.
 *
 * Source: springdrift 8.
 */
import { DEFAULT_APPROVALS, loosened, whyRequired, type ApprovalKind, type Approvals } from './approvals.ts';
import { plannedSessions, type Endeavour, type NewPhase, type SessionLimits, type Stakeholder } from './endeavour.ts';
import type { WorkPayload } from './kinds.ts';
import type { Work } from './work-state.ts';

export type EndeavourEdit = Omit<WorkPayload<'EndeavourEdited'>, 'endeavourId' | 'label' | 'tells' | 'callId'>;

export interface NewSession extends Partial<SessionLimits> {
  readonly endeavourId: string;
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly phaseId?: string;
  readonly focus: string;
}

export type EndeavourChange =
  | { readonly kind: 'AdvancePhase' }
  | { readonly kind: 'AddPhase'; readonly phase: Pick<NewPhase, 'estimatedSessions'> }
  | { readonly kind: 'Schedule'; readonly session: Pick<NewSession, 'maxTokens'> }
  | { readonly kind: 'Edit'; readonly edit: EndeavourEdit };

/** Kinds of approval that a change falls under. */
export function kindsOf(endeavour: Endeavour, change: EndeavourChange): readonly ApprovalKind[] {
  const isDraft = endeavour.status === 'Draft';
  switch (change.kind) {
    case 'AdvancePhase':
      return ['PhaseTransition'];
    case 'AddPhase':
      if (isDraft) return [];
      return change.phase.estimatedSessions > 0 ? ['Replan', 'BudgetIncrease'] : ['Replan'];
    case 'Schedule':
      return isBeyondPlan(endeavour, change.session) ? ['BudgetIncrease'] : [];
    case 'Edit':
      return kindsOfEdit(endeavour, change.edit);
  }
}

function kindsOfEdit(endeavour: Endeavour, edit: EndeavourEdit): readonly ApprovalKind[] {
  const isDraft = endeavour.status === 'Draft';
  const kinds: ApprovalKind[] = [];
  if (edit.status === 'Complete') kinds.push('Completion');
  if (edit.sessionLimits !== undefined && isMore(edit.sessionLimits, endeavour.sessionLimits))
    kinds.push('BudgetIncrease');
  if (edit.stakeholders !== undefined && hasNewReceiver(endeavour.stakeholders, edit.stakeholders))
    kinds.push('ExternalCommunication');
  if (!isDraft && (edit.goal !== undefined || edit.successCriteria !== undefined)) kinds.push('Replan');
  return kinds;
}

const isMore = (after: Partial<SessionLimits>, before: SessionLimits): boolean =>
  (after.maxTokens ?? 0) > before.maxTokens;

function isBeyondPlan(endeavour: Endeavour, session: Partial<SessionLimits>): boolean {
  const counted = endeavour.sessions.filter(({ status }) => status !== 'Cancelled' && status !== 'Skipped').length;
  return isMore(session, endeavour.sessionLimits) || counted >= plannedSessions(endeavour);
}

/** Where something is sent: a new person, or a known one elsewhere. */
function hasNewReceiver(before: readonly Stakeholder[], after: readonly Stakeholder[]): boolean {
  const keyOf = ({ channel, address = '', name }: Stakeholder): string => JSON.stringify([channel, address, name]);
  const known = new Set(before.map(keyOf));
  return after.some((it) => !known.has(keyOf(it)));
}

/** Why a person has to allow the change; undefined: its approvals ask nobody, or there is no such endeavour. */
export function whyChangeAsks(work: Work, endeavourId: string, change: EndeavourChange): string | undefined {
  const endeavour = work.endeavours.get(endeavourId);
  if (endeavour === undefined) return undefined;
  const { title, approvals } = endeavour;
  const milder = change.kind === 'Edit' ? whyMilder(approvals, change.edit.approvals) : undefined;
  return milder ?? whyRequired(title, approvals, kindsOf(endeavour, change));
}

/** @param before  what may not become milder without a person; absent: the shipped approvals */
export function whyMilder(before: Approvals = DEFAULT_APPROVALS, after: Approvals | undefined): string | undefined {
  const milder = after === undefined ? [] : loosened(before, after);
  return milder.length === 0
    ? undefined
    : `The call makes the approvals of an endeavour milder (${milder.join(', ')}), which only a person may do.`;
}
