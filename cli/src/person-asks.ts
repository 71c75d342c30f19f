/** What open work waits for a person to say: leave for a call, or the answer to a question. */
import { approvalQuestions, workQuestions, type ApprovalQuestion, type CycleState } from '@retainer/mind/cycle/state';
import type { RunState } from '@retainer/mind/run/state';
import { printable } from '@retainer/contract/std/printable';
import { decideCommand, effectLines } from './render-approval.ts';

export type PersonAsk =
  | (Asked & { readonly kind: 'Approval'; readonly call: ApprovalQuestion })
  | (Asked & { readonly kind: 'Question'; readonly question: string });

interface Asked {
  readonly id: string;
  readonly runId: string;
  /** Absent: it waits as long as the Task does. */
  readonly expiresAtMs?: number | undefined;
}

export interface OpenWork {
  openCycles(): readonly CycleState[];
  openRuns(): readonly RunState[];
}

/** Of runs first, then of their work; each oldest first. */
export function personAsks(work: OpenWork): readonly PersonAsk[] {
  const ofRuns = work
    .openRuns()
    .flatMap(({ spec, question }): readonly PersonAsk[] =>
      question === undefined ? [] : [{ kind: 'Question', id: question.questionId, runId: spec.runId, ...question }],
    );
  return [...ofRuns, ...work.openCycles().flatMap(asksOfWork)];
}

function asksOfWork(state: CycleState): readonly PersonAsk[] {
  const { runId } = state.spec;
  return [
    ...workQuestions(state).map((it) => ({ kind: 'Question', id: it.questionId, runId, ...it }) as const),
    ...approvalQuestions(state).map((call) => {
      const { requestId: id, expiresAtMs } = call;
      return { kind: 'Approval', id, runId, expiresAtMs, call } as const;
    }),
  ];
}

/** What a run waits for while nothing else of it goes on; empty while any of it works. */
export function waitingAsks(work: OpenWork, runId: string): readonly PersonAsk[] {
  const isStill = work
    .openCycles()
    .filter(({ spec }) => spec.runId === runId)
    .every(
      ({ pendingModelCall, pendingTools, pendingAsks, pendingApprovals }) =>
        pendingModelCall === undefined &&
        pendingTools.length === 0 &&
        pendingAsks.length === 0 &&
        pendingApprovals.length > 0,
    );
  return isStill ? personAsks(work).filter((it) => it.runId === runId) : [];
}

/** What is asked. No character of it steers a terminal. */
export function askLines(ask: PersonAsk): readonly string[] {
  if (ask.kind === 'Approval') return effectLines(ask.call);
  return ask.question.trim().split('\n').map(printable);
}

/** What to type to decide later, elsewhere. */
export function askCommand(ask: PersonAsk, dataDirectory: string): string {
  return ask.kind === 'Approval'
    ? decideCommand(ask.id, { program: 'retainer', options: `--data ${dataDirectory}` })
    : `retainer answer ${ask.runId} "TEXT" --data ${dataDirectory}`;
}
