/**
 * Metrics of approvals: number of questions, time to the decision, decisions. No label contains text of a person or model.
 *
 * Source: reliability-security 4 (measure prompts per task, reading time).
 */
import { Counter, Histogram, type Registry } from 'prom-client';
import type { CycleEvent } from '@retainer/mind/cycle/event';
import type { Recorded } from '@retainer/mind/part/projection';
import { eventOf } from '@retainer/mind/part/projection';
import type { RunEvent } from '@retainer/mind/run/event';

/** Questions per run: usually none, more than five a day is too many for a person, the run stops at twenty. */
const QUESTION_BUCKETS = [0, 1, 2, 3, 5, 10, 20];

/** Seconds: an answer within two was given without reading; by default a request expires after ten minutes. */
const DECISION_BUCKETS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 3600];

const STEPS = { Approve: 'approved', Deny: 'denied', Answer: 'answered' } as const;

interface Asked {
  readonly cycleId: string | undefined;
  readonly atMs: number;
}

/** @returns what counts each durable record */
export function approvalMetrics(registry: Registry): (record: Recorded) => void {
  const registers = [registry];
  const steps = new Counter({
    name: 'retainer_agent_approvals_total',
    help: 'Approval requests and questions of who works, by outcome.',
    labelNames: ['step'],
    registers,
  });
  const perRun = new Histogram({
    name: 'retainer_agent_approval_questions_per_run',
    help: 'Approval requests in one run.',
    buckets: QUESTION_BUCKETS,
    registers,
  });
  const decisionTime = new Histogram({
    name: 'retainer_agent_approval_decision_duration_seconds',
    help: 'Time from the approval request to the decision of a person.',
    buckets: DECISION_BUCKETS,
    registers,
  });
  const asked = new Map<string, Asked>();
  const byRun = new Map<string, number>();

  const decided = (requestId: string, step: string, atMs: number | undefined): void => {
    const question = asked.get(requestId);
    asked.delete(requestId);
    steps.inc({ step });
    if (question !== undefined && atMs !== undefined) decisionTime.observe(Math.max(0, atMs - question.atMs) / 1000);
  };
  const begun = (requestId: string, { runId = '', cycleId, timeMs }: Recorded): void => {
    steps.inc({ step: 'requested' });
    asked.set(requestId, { cycleId, atMs: timeMs });
    byRun.set(runId, (byRun.get(runId) ?? 0) + 1);
  };
  const withdrawn = (cycleId: string | undefined): void => {
    for (const [requestId, it] of asked) if (it.cycleId === cycleId) decided(requestId, 'withdrawn', undefined);
  };
  return (record) => {
    const event = eventOf<RunEvent | CycleEvent>(record);
    switch (event.kind) {
      case 'ApprovalRequested':
        return event.answeredWith === undefined ? begun(event.requestId, record) : undefined;
      case 'ApprovalDecided':
        return decided(event.requestId, STEPS[event.decision], event.atMs);
      case 'TimeExpired':
        return event.requestId === undefined ? undefined : decided(event.requestId, 'timed_out', undefined);
      case 'CycleEnded':
        return withdrawn(record.cycleId);
      case 'RunConcluded': {
        const { runId = '' } = record;
        perRun.observe(byRun.get(runId) ?? 0);
        byRun.delete(runId);
        return undefined;
      }
      default:
        return undefined;
    }
  };
}
