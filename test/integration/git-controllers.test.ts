/** How objects of every phase look to Flux (kstatus) and to Argo CD, by their own libraries. */
import { describe, expect, it } from 'vitest';
import { CONDITION_REASONS, Conditions } from '@retainer/contract/api/conditions';
import { progressOf } from '@retainer/contract/api/progress';
import { API_VERSION, KINDS, type KindName } from '@retainer/contract/api/names';
import { TASK_OUTCOMES, type TaskOutcome } from '@retainer/contract/api/task-status';
import { readyAtEnd } from '../../agent-pod/src/deliver/ready-at-end.ts';
import { nextConditions } from '../../operator/src/apply/next-conditions.ts';
import { withProgress } from '../../operator/src/apply/with-progress.ts';
import { healthOf } from '../support/git-health.ts';
import { verifies } from '../verifies.ts';

/** Reasons with which Ready is True. */
const GOOD: Readonly<Record<KindName, readonly string[]>> = {
  Agent: ['AgentReady'],
  Task: ['Accepted', 'Succeeded', 'Scheduled'],
  Skill: ['SkillReady', 'Deprecated'],
  CharacterSpec: ['CharacterReady'],
  SandboxRun: ['Serving', 'Running', 'Exited'],
};
/** Reasons of other conditions only. */
const NEVER_OF_READY: ReadonlySet<string> = new Set([
  'Resolved',
  'Compiled',
  'AllInEffect',
  'NoEffectYet',
  'NotSuspended',
  'NetworkPolicyEnforced',
  'Admitted',
  'DependencyDeprecated',
  'RecordIntact',
  'RecordChanged',
  'AnotherIndividual',
]);

const now = '2030-01-01T00:00:00Z';
const GENERATION = 2;

interface Phase {
  readonly name: string;
  readonly object: object;
}

function objectOf(kind: KindName, status: object, metadata: object = {}): object {
  return {
    apiVersion: API_VERSION,
    kind,
    metadata: { name: 'one', namespace: 'team', generation: GENERATION, ...metadata },
    status,
  };
}

/** As the operator writes it. */
function statusOf(kind: KindName, reason: string, observedGeneration = GENERATION, hasFailed = false): object {
  const status = GOOD[kind].includes(reason) ? 'True' : 'False';
  const ready = { type: 'Ready', status, reason, message: 'so it is' } as const;
  const conditions = hasFailed ? [ready, { ...ready, type: 'Failed', status: 'True' as const }] : [ready];
  const context = { stored: [], generation: observedGeneration, now };
  return { observedGeneration, conditions: nextConditions(withProgress(kind, conditions), context) };
}

function phasesOf(kind: KindName): readonly Phase[] {
  const reasons: readonly string[] = CONDITION_REASONS[kind];
  const [good = ''] = GOOD[kind];
  return [
    { name: 'new', object: objectOf(kind, { observedGeneration: -1 }, { generation: 1 }) },
    { name: 'changed since', object: objectOf(kind, statusOf(kind, good, GENERATION - 1)) },
    ...reasons.flatMap((reason) => phasesOfReason(kind, reason)),
    ...(kind === 'Task' ? TASK_OUTCOMES.map(toldByAgent) : []),
  ];
}

/** The agent ends a Task that the operator said to be under way. */
function toldByAgent(outcome: TaskOutcome): Phase {
  const before = Conditions.parse((statusOf('Task', 'Running') as { readonly conditions: unknown }).conditions);
  const reason = outcome === 'Failed' ? 'InfrastructureFailed' : outcome;
  const told = readyAtEnd({ outcome, reason, unmet: [], atMs: Date.parse(now), before });
  const conditions = told.map(({ atMs, ...condition }) => ({
    ...condition,
    observedGeneration: GENERATION,
    lastTransitionTime: new Date(atMs).toISOString(),
  }));
  return {
    name: `${outcome}, told by its agent`,
    object: objectOf('Task', { observedGeneration: GENERATION, conditions }),
  };
}

/** A run of code waits for some of its reasons before it ends for them. */
function phasesOfReason(kind: KindName, reason: string): readonly Phase[] {
  if (NEVER_OF_READY.has(reason)) return [];
  const phase = { name: reason, object: objectOf(kind, statusOf(kind, reason)) };
  if (kind !== 'SandboxRun' || GOOD[kind].includes(reason)) return [phase];
  const ended = statusOf(kind, reason, GENERATION, true);
  return [phase, { name: `${reason}, ended`, object: objectOf(kind, ended) }];
}

const phases = KINDS.flatMap((kind) => phasesOf(kind).map((phase) => ({ kind, ...phase })));
const health = healthOf(phases.map(({ object }) => object));
const lines = phases.map(({ kind, name }, index) => {
  const { kstatus, argo } = health[index] ?? {};
  return `${kind.padEnd(14)}${name.padEnd(36)}${String(kstatus?.status).padEnd(12)}${argo?.status}`;
});

describe('objects of every phase', () => {
  verifies('operator:kstatus', 'stand to kstatus and to Argo CD as the table says', async () => {
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('../golden/git-controllers.txt');
  });

  it.each(KINDS)('of kind %s are never taken for current before the operator has judged their spec', (kind) => {
    const early = phases.flatMap((phase, index) => {
      const isEarly = phase.kind === kind && (phase.name === 'new' || phase.name === 'changed since');
      return isEarly ? [health[index]] : [];
    });
    expect(early.map((one) => [one?.kstatus.status, one?.argo.status])).toEqual([
      ['InProgress', 'Progressing'],
      ['InProgress', 'Progressing'],
    ]);
  });

  verifies('operator:argo-health', 'tell Argo CD the reason and the next action', () => {
    const index = phases.findIndex(({ kind, name }) => kind === 'Task' && name === 'Refused');
    expect(health[index]).toMatchObject({ argo: { status: 'Degraded', message: 'Refused: so it is' } });
  });

  it('of a reason that this version does not know are in progress', () => {
    expect(progressOf('Task', [{ type: 'Ready', status: 'False', reason: 'SomethingNew' }])).toBe('Reconciling');
  });
});
