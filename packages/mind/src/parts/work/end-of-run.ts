/**
 * What work notes of a run that is over: its cycles count for the items that it worked on, and a session that it held is over.
 *
 * I1  The same end comes again after a crash: what is counted by id is counted once, and an ended session stays as it is.
 */
import type { RunEnd } from '../../part/part.ts';
import { recordIn } from '../../part/record-in.ts';
import type { PartRecord } from '../../part/store.ts';
import { isGoodEnd, type Jobs } from '../jobs/jobs.ts';
import type { Endeavour, Session } from './endeavour.ts';
import { workStore } from './store.ts';
import type { Work } from './work-state.ts';

export function endOfRun(
  { work, jobs }: { readonly work: Work; readonly jobs: Jobs },
  end: RunEnd,
): readonly PartRecord[] {
  const { runId } = end;
  const held = sessionOfRun(work, jobs, runId);
  const itemIds = [...work.items.values(), ...work.ended.values()]
    .filter((it) => it.runId === runId)
    .map((it) => it.itemId);
  const counted = itemIds.length === 0 && held === undefined ? [] : [countedCycles(itemIds, held?.endeavour, end)];
  return held === undefined ? counted : [...counted, ended(held, end)];
}

/** A session as it stands: that of a job that fired is under way, and that of one that ended without a run does not come. */
export function sessionStatus(
  { status, jobId }: Session,
  { byId }: Pick<Jobs, 'byId'>,
): Session['status'] | 'InProgress' {
  const job = jobId === undefined ? undefined : byId.get(jobId);
  if (status !== 'Scheduled' || job === undefined) return status;
  if (job.open !== undefined) return 'InProgress';
  if (job.status === 'Cancelled') return 'Cancelled';
  return job.skipped > 0 && job.fired === 0 ? 'Skipped' : status;
}

interface Held {
  readonly endeavour: Endeavour;
  readonly session: Session;
}

/** The session whose job this run is the firing of. */
export function sessionOfRun(work: Work, { byId }: Jobs, runId: string): Held | undefined {
  for (const endeavour of work.endeavours.values())
    for (const session of endeavour.sessions) {
      const job = session.jobId === undefined ? undefined : byId.get(session.jobId);
      if (session.status === 'Scheduled' && (job?.open?.runId === runId || job?.last?.runId === runId))
        return { endeavour, session };
    }
  return undefined;
}

function countedCycles(itemIds: readonly string[], endeavour: Endeavour | undefined, end: RunEnd): PartRecord {
  const of = endeavour === undefined ? {} : { endeavourId: endeavour.endeavourId };
  const payload = { itemIds: [...itemIds], cycleIds: [...end.cycleIds], tokens: end.tokens, ...of };
  return recordIn(workStore, 'CycleCounted', payload, { runId: end.runId });
}

function ended({ endeavour, session }: Held, { runId, outcome, cycleIds, tokens }: RunEnd): PartRecord {
  const status = isGoodEnd(outcome) ? 'Completed' : 'Failed';
  const said = status === 'Completed' ? {} : { outcome: `its run ended ${outcome}` };
  const of = { endeavourId: endeavour.endeavourId, sessionId: session.sessionId };
  const payload = { ...of, status, cycles: cycleIds.length, tokens, ...said } as const;
  return recordIn(workStore, 'SessionEnded', payload, { runId });
}
