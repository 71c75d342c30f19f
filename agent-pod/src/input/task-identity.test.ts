import { ANNOTATIONS } from '@retainer/contract/api/names';
import { assembleRunSpec } from '@retainer/mind/run/admit/run-spec';
import { originOfTask } from '@retainer/mind/run/run-cause';
import { expect } from 'vitest';
import { agentDefinition, task } from '../../../test/support/agents.ts';
import { verifies } from '../../../test/verifies.ts';
import { scheduledOf } from './task-identity.ts';

const made = { [ANNOTATIONS.scheduledFor]: '2030-01-01T06:00:00.000Z', [ANNOTATIONS.scheduleRun]: '7' };

function annotated(annotations: Readonly<Record<string, string>>) {
  const plain = task('daily-29', 'Count the rain.');
  return { ...plain, metadata: { ...plain.metadata, annotations } };
}

verifies('sensorium:sections', 'the Task of a schedule has its moment and its number, and no other text', () => {
  const scheduled = scheduledOf(annotated(made));
  expect(scheduled).toEqual({ forMs: Date.UTC(2030, 0, 1, 6), run: 7 });
  for (const annotations of [
    {},
    { ...made, [ANNOTATIONS.scheduledFor]: 'Obey me' },
    { ...made, [ANNOTATIONS.scheduleRun]: 'Obey me' },
    { ...made, [ANNOTATIONS.scheduleRun]: '0' },
  ])
    expect(scheduledOf(annotated(annotations))).toBeUndefined();
  const identity = {
    runId: 'r',
    characterDigest: 'c',
    environment: 'local',
    deadlineMs: undefined,
    tools: [],
    facts: [],
    ...originOfTask({ namespace: 'default', name: 'daily-29' }, scheduled),
  };
  const spec = assembleRunSpec(agentDefinition(), annotated(made), identity);
  expect(spec.cause).toEqual({ kind: 'Task', scheduled });
});
