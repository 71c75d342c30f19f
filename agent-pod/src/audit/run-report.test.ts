import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { messageFact, type MessageFact } from './message-fact.ts';
import type { NotedMessage } from './run-note.ts';
import { countMessage, isIdle, openWindow, reportOf, type AuditReport } from './run-report.ts';

function message(seq: number, fact: MessageFact | undefined, runId = 'r'): NotedMessage {
  const envelope = { runId, seq, atMs: seq, type: 'T', from: 'F', to: 'T', contentHash: 'h', isHashRight: true };
  return { ...envelope, fact };
}

function report(facts: readonly (MessageFact | undefined)[]): AuditReport {
  const window = facts.reduce((it, fact, index) => countMessage(it, message(index + 1, fact)), openWindow(0));
  return reportOf(window, 'Periodic', 1000);
}

const attempt = (number: number, isFailed = false): MessageFact => ({ kind: 'Attempt', attempt: number, isFailed });
const steering = (directive: string, d: number, gradL = 0, isFinal = false): MessageFact => ({
  kind: 'Steering',
  directive,
  gradL,
  d,
  isFinal,
});
const kinds = (facts: readonly MessageFact[]): readonly string[] => report(facts).anomalies.map(({ kind }) => kind);

describe('a report of the runs', () => {
  verifies('audit-bus:report', 'counts corrections, not attempts: five that succeed at once are none', () => {
    expect(report([1, 1, 1, 1, 1].map((it) => attempt(it)))).toMatchObject({ totalCorrections: 0 });
    expect(report([attempt(1), attempt(2), attempt(3, true), attempt(1)])).toMatchObject({
      totalCorrections: 2,
      averageCorrections: 1,
      toolHealth: { executionFailures: 1 },
    });
  });

  verifies('audit-bus:report', 'counts each run once, however often it is planned', () => {
    const window = [1, 2, 3].reduce((it, seq) => countMessage(it, message(seq, undefined)), openWindow(0));
    expect(reportOf(countMessage(window, message(1, undefined, 'other')), 'OnDemand', 1)).toMatchObject({
      tasksObserved: 2,
      messages: 4,
    });
  });

  it.each([
    [4, 0],
    [5, 1],
  ])('has a drift at %d corrections: %d', (corrections, alerts) => {
    expect(report([{ kind: 'Replan', corrections }]).driftAlerts).toHaveLength(alerts);
  });

  it.each([
    [-0.11, 'Improving'],
    [-0.1, 'Stable'],
    [0.1, 'Stable'],
    [0.11, 'Worsening'],
  ])('takes a gradient of %d for %s', (gradL, trend) => {
    expect(report([steering('Refine', 0.5, gradL)]).gapTrends).toEqual([{ runId: 'r', seq: 1, trend }]);
  });

  it('has a failure to converge where a plan is steered that grows worse, and not where the run ends', () => {
    expect(kinds([steering('Refine', 0.5, 0.11)])).toEqual(['ConvergenceFailure']);
    expect(kinds([steering('Refine', 0.5, 0.1)])).toEqual([]);
    expect(kinds([steering('Abandon', 0.5, 0.11, true)])).toEqual([]);
  });

  it.each([
    ['twice without coming nearer', [0.5, 0.5], ['GgsThrashing']],
    ['three times, which is told once', [0.5, 0.5, 0.6], ['GgsThrashing']],
    ['and comes nearer', [0.5, 0.4], []],
  ])('has thrashing where symmetry is broken %s', (_, distances, anomalies) => {
    expect(kinds(distances.map((d) => steering('BreakSymmetry', d)))).toEqual(anomalies);
  });

  it('has no thrashing where something else was tried between', () => {
    const facts = [steering('BreakSymmetry', 0.5), steering('Refine', 0.5), steering('BreakSymmetry', 0.5)];
    expect(kinds(facts)).toEqual([]);
  });

  it('tells apart whose fault a retry was, and writes zeros', () => {
    const facts: readonly MessageFact[] = [
      { kind: 'Correction', failureClass: 'Environmental' },
      { kind: 'Correction', failureClass: 'Logical' },
      { kind: 'Correction', failureClass: 'Logical' },
    ];
    expect(report(facts).toolHealth).toEqual({ executionFailures: 0, environmentalRetries: 1, logicalRetries: 2 });
    expect(JSON.parse(JSON.stringify(report([])))).toMatchObject({ tasksObserved: 0, totalCorrections: 0 });
  });

  it('is idle until something happens', () => {
    expect(isIdle(openWindow(0))).toBe(true);
    expect(isIdle(countMessage(openWindow(0), message(1, undefined)))).toBe(false);
  });
});

describe('what is counted of a message', () => {
  it.each([
    ['a type that is not counted', 'FastReply', { reply: 'hello' }],
    ['a payload that is not as its type says', 'ExecutionResult', { attempt: 'one' }],
    ['a type that every object has', 'constructor', {}],
    [
      'a second attempt that corrects nothing',
      'CorrectionSignal',
      { failureClass: 'Unverified', selfConsistency: 'Blind' },
    ],
  ])('is nothing of %s', (_, type, payload) => {
    expect(messageFact(type, payload)).toBeUndefined();
  });
});
