/** Records of whole runs, written by hand. */
import type { NewRecord } from '@retainer/journal/journal';
import type { RunEvent, RunSpec } from '@retainer/mind/run/event';

const AT_MS = Date.parse('2030-03-01T09:00Z');

/** A run that began, failed at once and was delivered, with its command. */
export function ran(spec: RunSpec): readonly NewRecord[] {
  const { runId } = spec;
  const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const body = {
    ...{
      outcome: 'Failed' as const,
      summary: 'It broke.',
      reasons: [],
      criteria: [],
      unmet: [],
      files: [],
      replans: 0,
    },
    ...{ partial: false, usage, costUsd: 0, isCostComplete: true, startedAtMs: AT_MS, endedAtMs: AT_MS },
  };
  const events: readonly RunEvent[] = [
    {
      ...{ kind: 'RunAdmitted', atMs: AT_MS, spec, nonce: 'n', messagePassing: 'Inline' },
      ...{ stood: { files: [], isWhole: true }, deciders: 2 },
    },
    { kind: 'RunConcluded', ...body },
    { kind: 'DeliveryRequested', deliveryId: `${runId}-d1`, ...spec.replyTo, body },
    { kind: 'Delivered', atMs: AT_MS, deliveryId: `${runId}-d1` },
    { kind: 'RunClosed', outcome: 'Failed' },
  ];
  const command = { type: 'StartRun', spec };
  return [
    {
      ...{ store: 'inbox', kind: 'CommandAccepted', principal: 'agent', runId },
      payload: { originId: runId, source: 'test', command },
    },
    ...events.map(({ kind, ...payload }) => ({
      store: 'run',
      kind,
      principal: 'agent',
      runId,
      payload: payload as never,
    })),
  ];
}
