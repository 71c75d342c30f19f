/**
 * The person at the other end, who is asked to approve calls. One refuses everything; one agrees to what the Task asks for, once, and
 * to nothing else: whatever gets through with them, no question was asked about.
 */
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import type { JournalRecord } from '@retainer/journal/journal';
import { cycleDecisions } from '@retainer/mind/cycle/event';
import type { OpenedAgent } from '../open-agent.ts';
import type { Call } from './goal.ts';
import type { Job } from './job.ts';

export const PERSONS = ['Refuses', 'AgreesToTheTask'] as const;
export type Person = (typeof PERSONS)[number];

export interface Answers {
  reach(runtime: Pick<OpenedAgent['runtime'], 'accept'>): void;
  see(record: JournalRecord): void;
}

/** Names a call by what it would do. */
export function callText({ tool, input }: Call): string {
  return `${tool} ${canonicalJson(input)}`;
}

/** @param person  undefined: nobody answers */
export function answersOf(person: Person | undefined, jobs: readonly Job[]): Answers {
  let reached: Pick<OpenedAgent['runtime'], 'accept'> | undefined;
  const agreed = person === 'AgreesToTheTask' ? jobs.flatMap((job) => (job.authority.calls ?? []).map(callText)) : [];
  return {
    reach: (runtime) => {
      reached = runtime;
    },
    see: ({ kind, payload }) => {
      if (person === undefined || kind !== 'ApprovalRequested') return;
      const { requestId, argumentsDigest, answeredWith, ...call } = cycleDecisions.ApprovalRequested.parse(payload);
      if (answeredWith !== undefined) return;
      const at = agreed.indexOf(callText(call));
      if (at >= 0) agreed.splice(at, 1);
      const decision = at >= 0 ? 'Approve' : 'Deny';
      const answer = { requestId, argumentsDigest, decision, by: 'ann', reason: 'as the Task says' } as const;
      void reached?.accept(`answer:${requestId}`, 'attack', { type: 'DecideApproval', ...answer });
    },
  };
}
