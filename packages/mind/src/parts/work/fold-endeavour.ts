/** How the operations on an endeavour are folded. Total: what does not fit any more changes nothing. */
import type { Recorded } from '../../part/projection.ts';
import { isOver, type Blocker, type Endeavour, type NewPhase, type Phase, type Session } from './endeavour.ts';
import { openBlockers } from './endeavour.ts';
import type { endeavourKinds, WorkPayload } from './kinds.ts';
import { RESOLVED_BLOCKERS_KEPT, SESSIONS_KEPT } from './limits.ts';
import { bury, joined, putEndeavour, type Work } from './work-state.ts';

type Folds = {
  readonly [K in keyof typeof endeavourKinds]: (work: Work, payload: WorkPayload<K>, record: Recorded) => void;
};

/** Changes an open endeavour. */
function change(work: Work, id: string, { timeMs }: Recorded, changed: (it: Endeavour) => Endeavour): void {
  const endeavour = work.endeavours.get(id);
  if (endeavour !== undefined) putEndeavour(work, { ...changed(endeavour), updatedAtMs: timeMs });
}

/** Phases of a plan with their ids, and the ids of those that each waits for. */
export function numbered(phases: readonly NewPhase[]): readonly Phase[] {
  const ids = new Map(phases.map(({ name }, at) => [name, `p${at + 1}`]));
  return phases.map(({ dependsOn = [], ...phase }, at) => ({
    ...phase,
    phaseId: `p${at + 1}`,
    dependsOn: dependsOn.flatMap((name) => ids.get(name) ?? []),
    status: 'NotStarted',
    actualSessions: 0,
  }));
}

const REMOVABLE = ['deadlineMs', 'featureOverrides', 'thresholdOverride'] as const;

function edited(endeavour: Endeavour, edit: WorkPayload<'EndeavourEdited'>, atMs: number): Endeavour {
  const { endeavourId: _, label, tells: _tells, ...change_ } = edit;
  const next: Partial<Record<keyof Endeavour, unknown>> = { ...endeavour, ...change_ };
  for (const key of REMOVABLE) if (edit[key] === null) delete next[key];
  const made = { ...next, label: joined(endeavour.label, label) } as Endeavour;
  return isOver(made) ? { ...made, endedAtMs: atMs } : begun(made, endeavour.status);
}

/** The work begins: what is planned now is what it is measured by. */
function begun(endeavour: Endeavour, before: Endeavour['status']): Endeavour {
  if (before !== 'Draft' || endeavour.status === 'Draft') return endeavour;
  return { ...endeavour, originalPhaseCount: endeavour.phases.length };
}

function advanced(endeavour: Endeavour, { phaseId, to, reason, label }: WorkPayload<'PhaseAdvanced'>): Endeavour {
  const phases = endeavour.phases.map((it): Phase => {
    if (it.phaseId !== phaseId) return it;
    const { reason: _, ...phase } = it;
    return { ...phase, status: to, ...(reason === undefined ? {} : { reason }) };
  });
  const status = endeavour.status === 'Draft' ? 'Active' : endeavour.status;
  return begun({ ...endeavour, phases, status, label: joined(endeavour.label, label) }, endeavour.status);
}

function added(endeavour: Endeavour, { phase, label }: WorkPayload<'PhaseAdded'>): Endeavour {
  if (endeavour.phases.some(({ phaseId }) => phaseId === phase.phaseId)) return endeavour;
  const phases = [...endeavour.phases, { ...phase, status: 'NotStarted' as const, actualSessions: 0 }];
  const isDraft = endeavour.status === 'Draft';
  return {
    ...endeavour,
    phases,
    originalPhaseCount: isDraft ? phases.length : endeavour.originalPhaseCount,
    replanCount: endeavour.replanCount + (isDraft ? 0 : 1),
    label: joined(endeavour.label, label),
  };
}

function withSession(endeavour: Endeavour, id: string, changed: (it: Session) => Session): Endeavour {
  return { ...endeavour, sessions: endeavour.sessions.map((it) => (it.sessionId === id ? changed(it) : it)) };
}

function scheduled(endeavour: Endeavour, { session, label }: WorkPayload<'SessionScheduled'>): Endeavour {
  if (endeavour.sessions.some(({ sessionId }) => sessionId === session.sessionId)) return endeavour;
  const made: Session = { ...session, status: 'Scheduled', cycles: 0, tokens: 0 };
  return {
    ...endeavour,
    sessions: [...endeavour.sessions, made].slice(-SESSIONS_KEPT),
    sessionsMade: endeavour.sessionsMade + 1,
    label: joined(endeavour.label, label),
  };
}

/** A session that was held counts for its phase. */
function sessionEnded(endeavour: Endeavour, ended: WorkPayload<'SessionEnded'>): Endeavour {
  const { sessionId, status, cycles, tokens, outcome, label } = ended;
  const session = endeavour.sessions.find((it) => it.sessionId === sessionId);
  if (session === undefined || !isOpen(session)) return endeavour;
  const isHeld = status !== 'Skipped';
  const phases = endeavour.phases.map((phase) =>
    isHeld && phase.phaseId === session.phaseId ? { ...phase, actualSessions: phase.actualSessions + 1 } : phase,
  );
  const made = { ...session, status, cycles, tokens, ...(outcome === undefined ? {} : { outcome }) };
  return withSession({ ...endeavour, phases, label: joined(endeavour.label, label) }, sessionId, () => made);
}

const isOpen = ({ status }: Session): boolean => status === 'Scheduled';

function reported(endeavour: Endeavour, payload: WorkPayload<'BlockerReported'>, atMs: number): Endeavour {
  const { blocker, label } = payload;
  if (endeavour.blockers.some(({ blockerId }) => blockerId === blocker.blockerId)) return endeavour;
  return {
    ...endeavour,
    status: endeavour.status === 'Active' ? 'Blocked' : endeavour.status,
    blockers: [...endeavour.blockers, { ...blocker, detectedAtMs: atMs }],
    blockersMade: endeavour.blockersMade + 1,
    label: joined(endeavour.label, label),
  };
}

function resolved(endeavour: Endeavour, payload: WorkPayload<'BlockerResolved'>, atMs: number): Endeavour {
  const { blockerId, resolution, label } = payload;
  const all = endeavour.blockers.map((it): Blocker => {
    return it.blockerId === blockerId && it.resolvedAtMs === undefined ? { ...it, resolvedAtMs: atMs, resolution } : it;
  });
  const open = openBlockers({ blockers: all });
  const past = all.filter(({ resolvedAtMs }) => resolvedAtMs !== undefined).slice(-RESOLVED_BLOCKERS_KEPT);
  return {
    ...endeavour,
    status: endeavour.status === 'Blocked' && open.length === 0 ? 'Active' : endeavour.status,
    blockers: all.filter((it) => open.includes(it) || past.includes(it)),
    label: joined(endeavour.label, label),
  };
}

export const endeavourFolds: Folds = {
  EndeavourCreated: (work, { phases, ...made }, { timeMs }) => {
    const { endeavourId } = made;
    if (work.endeavours.has(endeavourId) || work.over.has(endeavourId) || work.deleted.has(endeavourId)) return;
    putEndeavour(work, {
      ...made,
      status: 'Draft',
      phases: [...numbered(phases)],
      sessions: [],
      sessionsMade: 0,
      blockers: [],
      blockersMade: 0,
      replanCount: 0,
      originalPhaseCount: phases.length,
      createdAtMs: timeMs,
      updatedAtMs: timeMs,
      cycles: 0,
      tokens: 0,
    });
  },
  EndeavourEdited: (work, edit, record) =>
    change(work, edit.endeavourId, record, (it) => edited(it, edit, record.timeMs)),
  PhaseAdded: (work, payload, record) => change(work, payload.endeavourId, record, (it) => added(it, payload)),
  PhaseAdvanced: (work, payload, record) => change(work, payload.endeavourId, record, (it) => advanced(it, payload)),
  SessionScheduled: (work, payload, record) =>
    change(work, payload.endeavourId, record, (it) => scheduled(it, payload)),
  SessionCancelled: (work, { endeavourId, sessionId, reason }, record) =>
    change(work, endeavourId, record, (it) =>
      withSession(it, sessionId, (session) =>
        isOpen(session) ? { ...session, status: 'Cancelled', outcome: reason } : session,
      ),
    ),
  SessionEnded: (work, payload, record) => change(work, payload.endeavourId, record, (it) => sessionEnded(it, payload)),
  BlockerReported: (work, payload, record) =>
    change(work, payload.endeavourId, record, (it) => reported(it, payload, record.timeMs)),
  BlockerResolved: (work, payload, record) =>
    change(work, payload.endeavourId, record, (it) => resolved(it, payload, record.timeMs)),
  EndeavourDeleted: (work, { endeavourId, ...why }, record) => bury(work, endeavourId, why, record),
};
