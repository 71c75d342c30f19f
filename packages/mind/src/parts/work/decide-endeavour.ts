/**
 * Operations on endeavours: what fits becomes a record, what does not gets one sentence with field and fix.
 *
 * Which of them a person must allow first stands in `endeavour-asks.ts`; here each record says what people are told of it.
 *
 * Source: springdrift 8.
 */
import { err, ok } from '@retainer/contract/std/result';
import { DEFAULT_APPROVALS, told } from './approvals.ts';
import { deadlineFault } from './decide-item.ts';
import { isPhaseOver, openBlockers, type Endeavour, type NewPhase, type Phase, type PhaseStatus } from './endeavour.ts';
import { kindsOf, type EndeavourChange, type EndeavourEdit, type NewSession } from './endeavour-asks.ts';
import type { WorkPayload } from './kinds.ts';
import { OPEN_BLOCKERS_MAX, OPEN_ENDEAVOURS_MAX, PHASES_MAX, SESSION_TOKENS } from './limits.ts';
import { anyEndeavour, newId, one, openEndeavour, operation, type Making, type Operation } from './operation.ts';
import { itemsOf } from './work-state.ts';
import { isEnded } from './item.ts';

type Created = Omit<WorkPayload<'EndeavourCreated'>, 'endeavourId' | 'origin' | 'label' | 'callId'>;
type Optional = 'successCriteria' | 'stakeholders' | 'sessionLimits' | 'approvals' | 'phases';
export type NewEndeavour = Omit<Created, Optional> & Partial<Pick<Created, Optional>>;

/** As planned, with what an endeavour has that says nothing of it. */
export function completeEndeavour(endeavour: NewEndeavour): Created {
  return {
    successCriteria: [],
    stakeholders: [],
    sessionLimits: { maxTokens: SESSION_TOKENS },
    approvals: DEFAULT_APPROVALS,
    phases: [],
    ...endeavour,
  };
}

export function createEndeavour(making: Making, endeavour: NewEndeavour): Operation {
  const { work, label, atMs } = making;
  const made = completeEndeavour(endeavour);
  if (work.endeavours.size >= OPEN_ENDEAVOURS_MAX)
    return err(
      `endeavourId: ${OPEN_ENDEAVOURS_MAX} endeavours are open, and that is the most; end or delete one first.`,
    );
  const fault = phasesFault(made.phases) ?? deadlineFault(made.deadlineMs, atMs);
  if (fault !== undefined) return err(fault);
  const endeavourId = newId('e', making);
  return one(making, 'EndeavourCreated', { ...made, endeavourId, origin: 'Agent', label });
}

/** A phase waits for phases before it: so no two wait for each other. */
function phasesFault(phases: readonly Pick<NewPhase, 'name' | 'dependsOn'>[]): string | undefined {
  for (const [at, { name, dependsOn = [] }] of phases.entries()) {
    const before = phases.slice(0, at).map((it) => it.name);
    if (before.includes(name)) return `phases: two phases are called ${JSON.stringify(name)}; rename one.`;
    const unknown = dependsOn.find((it) => !before.includes(it));
    if (unknown !== undefined)
      return `phases: ${JSON.stringify(name)} waits for ${JSON.stringify(unknown)}, which no phase before it is called; put it behind that one, or name another.`;
  }
  return undefined;
}

function tells(endeavour: Endeavour, change: EndeavourChange): Pick<WorkPayload<'PhaseAdded'>, 'tells'> {
  const kinds = told(endeavour.approvals, kindsOf(endeavour, change));
  return kinds.length === 0 ? {} : { tells: [...kinds] };
}

export function editEndeavour(making: Making, endeavourId: string, edit: EndeavourEdit): Operation {
  const { work, label, atMs } = making;
  const found = openEndeavour(work, endeavourId);
  if (!found.ok) return found;
  if (Object.keys(edit).length === 0)
    return err('endeavourId: nothing is to be changed; name a field with its new value.');
  const fault = deadlineFault(edit.deadlineMs, atMs) ?? statusFault(found.value, edit, making);
  if (fault !== undefined) return err(fault);
  const told_ = tells(found.value, { kind: 'Edit', edit });
  return one(making, 'EndeavourEdited', { endeavourId, ...edit, label, ...told_ });
}

function statusFault(endeavour: Endeavour, { status, reason }: EndeavourEdit, { work }: Making): string | undefined {
  if (status === undefined) return undefined;
  if (status === 'Draft') return 'status: an endeavour is a draft until its first phase begins; name another status.';
  const needsReason = status === 'Failed' || status === 'Abandoned' || status === 'OnHold';
  if (needsReason && reason === undefined) return `reason: an endeavour that becomes ${status} needs one; say why.`;
  if (status !== 'Complete') return undefined;
  const open = itemsOf(work, endeavour.endeavourId).filter((it) => !isEnded(it));
  if (open.length > 0)
    return `status: its items ${open.map((it) => it.itemId).join(', ')} are open; complete, abandon or delete them first.`;
  const phase = endeavour.phases.find((it) => !isPhaseOver(it));
  return phase && `status: its phase ${phase.phaseId} is ${phase.status}; complete or skip it first.`;
}

export function addPhase(making: Making, endeavourId: string, phase: NewPhase): Operation {
  const found = openEndeavour(making.work, endeavourId);
  if (!found.ok) return found;
  const { phases } = found.value;
  if (phases.length >= PHASES_MAX)
    return err(`phase: ${endeavourId} has ${PHASES_MAX} phases, and that is the most; plan an endeavour of its own.`);
  const fault = phasesFault([...phases.map(({ name }) => ({ name })), phase]);
  if (fault !== undefined) return err(fault);
  const { dependsOn = [], ...said } = phase;
  const ids = dependsOn.flatMap((name) => phases.find((it) => it.name === name)?.phaseId ?? []);
  const made = { ...said, phaseId: `p${phases.length + 1}`, dependsOn: ids };
  const told_ = tells(found.value, { kind: 'AddPhase', phase });
  return one(making, 'PhaseAdded', { endeavourId, phase: made, label: making.label, ...told_ });
}

export interface PhaseStep {
  readonly endeavourId: string;
  /** Absent: the one that is in progress, or the next one. */
  readonly phaseId?: string;
  /** Absent: a phase in progress is completed and the next one begins. */
  readonly to?: Exclude<PhaseStatus, 'NotStarted'>;
  readonly reason?: string;
}

export function advancePhase(making: Making, step: PhaseStep): Operation {
  const { endeavourId, to, reason } = step;
  const found = openEndeavour(making.work, endeavourId);
  if (!found.ok) return found;
  const endeavour = found.value;
  const phase = phaseToAdvance(endeavour, step.phaseId);
  if (phase === undefined) return err(phaseMissing(endeavour, step.phaseId));
  const status = to ?? (phase.status === 'InProgress' ? 'Complete' : 'InProgress');
  const fault = stepFault(endeavour, phase, { to: status, reason });
  if (fault !== undefined) return err(fault);
  const said = reason === undefined ? {} : { reason, label: making.label };
  const told_ = tells(endeavour, { kind: 'AdvancePhase' });
  const first = operation(making, 'PhaseAdvanced', {
    endeavourId,
    phaseId: phase.phaseId,
    to: status,
    ...said,
    ...told_,
  });
  const next = to === undefined && status === 'Complete' ? phaseAfter(endeavour, phase) : undefined;
  if (next === undefined) return ok([first]);
  return ok([
    first,
    operation(making, 'PhaseAdvanced', { endeavourId, phaseId: next.phaseId, to: 'InProgress', ...told_ }),
  ]);
}

function phaseToAdvance({ phases }: Endeavour, phaseId: string | undefined): Phase | undefined {
  if (phaseId !== undefined) return phases.find((it) => it.phaseId === phaseId);
  return phases.find(({ status }) => status === 'InProgress') ?? phases.find((it) => !isPhaseOver(it));
}

function phaseMissing({ endeavourId, phases }: Endeavour, phaseId: string | undefined): string {
  if (phases.length === 0) return `phaseId: ${endeavourId} has no phase; add one first.`;
  if (phaseId === undefined)
    return `phaseId: every phase of ${endeavourId} is over; add one, or complete the endeavour.`;
  return `phaseId: ${endeavourId} has no phase ${JSON.stringify(phaseId)}; its phases: ${phases.map((it) => it.phaseId).join(', ')}.`;
}

function stepFault(
  endeavour: Endeavour,
  phase: Phase,
  { to, reason }: { readonly to: PhaseStatus; readonly reason: string | undefined },
): string | undefined {
  if (isPhaseOver(phase)) return `phaseId: phase ${phase.phaseId} is ${phase.status} already; name another one.`;
  if (phase.status === to) return `to: phase ${phase.phaseId} is ${to} already; name another status.`;
  if ((to === 'Blocked' || to === 'Skipped') && reason === undefined)
    return `reason: a phase that becomes ${to} needs one; say why.`;
  if (to !== 'InProgress') return undefined;
  const waiting = endeavour.phases.filter((it) => phase.dependsOn.includes(it.phaseId) && !isPhaseOver(it));
  if (waiting.length > 0)
    return `phaseId: phase ${phase.phaseId} waits for ${waiting.map((it) => it.phaseId).join(', ')}; complete or skip that first.`;
  return undefined;
}

/** The next phase, if what it waits for is over with this one. */
function phaseAfter({ phases }: Endeavour, { phaseId }: Phase): Phase | undefined {
  const isOverThen = (id: string): boolean =>
    id === phaseId || phases.some((it) => it.phaseId === id && isPhaseOver(it));
  return phases.find((it) => it.status === 'NotStarted' && it.dependsOn.every(isOverThen));
}

/** The session as it would be recorded, without its job. */
export function sessionOf(endeavour: Endeavour, session: NewSession): WorkPayload<'SessionScheduled'>['session'] {
  const { endeavourId: _endeavourId, ...said } = session;
  return { ...endeavour.sessionLimits, ...said, sessionId: `s${endeavour.sessionsMade + 1}` };
}

/** Sessions that are scheduled and not begun: more are no plan, and each is a job. */
const SCHEDULED_MAX = 20;

export function scheduleSession(making: Making, session: NewSession, jobId?: string): Operation {
  const { endeavourId, atMs, phaseId } = session;
  const found = openEndeavour(making.work, endeavourId);
  if (!found.ok) return found;
  const { phases, sessions } = found.value;
  if (atMs <= making.atMs) return err('at: the moment is past; name a later one.');
  if (phaseId !== undefined && phases.every((it) => it.phaseId !== phaseId))
    return err(phaseMissing(found.value, phaseId));
  if (sessions.filter(({ status }) => status === 'Scheduled').length >= SCHEDULED_MAX)
    return err(`at: ${endeavourId} has ${SCHEDULED_MAX} sessions ahead, and that is the most; cancel one first.`);
  const made = { ...sessionOf(found.value, session), ...(jobId === undefined ? {} : { jobId }) };
  const told_ = tells(found.value, { kind: 'Schedule', session });
  return one(making, 'SessionScheduled', { endeavourId, session: made, label: making.label, ...told_ });
}

export function cancelSession(
  making: Making,
  {
    endeavourId,
    sessionId,
    reason,
  }: { readonly endeavourId: string; readonly sessionId: string; readonly reason: string },
): Operation {
  const found = openEndeavour(making.work, endeavourId);
  if (!found.ok) return found;
  const scheduled = found.value.sessions.filter(({ status }) => status === 'Scheduled');
  if (scheduled.some((it) => it.sessionId === sessionId))
    return one(making, 'SessionCancelled', { endeavourId, sessionId, reason });
  const ids = scheduled.map((it) => it.sessionId).join(', ');
  return err(
    `sessionId: ${endeavourId} has no session ${JSON.stringify(sessionId)} ahead; ${ids === '' ? 'none is scheduled' : `scheduled: ${ids}`}.`,
  );
}

export function reportBlocker(
  making: Making,
  endeavourId: string,
  said: { readonly description: string; readonly strategy: string; readonly requiresHuman: boolean },
): Operation {
  const found = openEndeavour(making.work, endeavourId);
  if (!found.ok) return found;
  if (openBlockers(found.value).length >= OPEN_BLOCKERS_MAX)
    return err(
      `endeavourId: ${endeavourId} has ${OPEN_BLOCKERS_MAX} open blockers, and that is the most; resolve one.`,
    );
  const blocker = { ...said, blockerId: `b${found.value.blockersMade + 1}` };
  return one(making, 'BlockerReported', { endeavourId, blocker, label: making.label });
}

export function resolveBlocker(
  making: Making,
  {
    endeavourId,
    blockerId,
    resolution,
  }: { readonly endeavourId: string; readonly blockerId: string; readonly resolution: string },
): Operation {
  const found = openEndeavour(making.work, endeavourId);
  if (!found.ok) return found;
  const open = openBlockers(found.value).map((it) => it.blockerId);
  if (open.includes(blockerId))
    return one(making, 'BlockerResolved', { endeavourId, blockerId, resolution, label: making.label });
  return err(
    `blockerId: ${endeavourId} has no open blocker ${JSON.stringify(blockerId)}; ${open.length === 0 ? 'none is open' : `open: ${open.join(', ')}`}.`,
  );
}

export function deleteEndeavour(making: Making, endeavourId: string, reason: string): Operation {
  const found = anyEndeavour(making.work, endeavourId);
  if (!found.ok) return found;
  const open = itemsOf(making.work, endeavourId).filter((it) => !isEnded(it));
  if (open.length > 0)
    return err(
      `endeavourId: its items ${open.map((it) => it.itemId).join(', ')} are open; complete, abandon or delete them first.`,
    );
  return one(making, 'EndeavourDeleted', { endeavourId, reason, by: 'agent' });
}
