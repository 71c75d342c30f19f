import { describe, expect, it } from 'vitest';
import { CONDITION_REASONS, CONDITION_TYPES } from '@retainer/contract/api/conditions';
import { ANNOTATIONS } from '@retainer/contract/api/names';
import { ok } from '@retainer/contract/std/result';
import { observedAgent, settings } from '../../../../test/support/observed-agent.ts';
import { desiredAgent } from '../../desired/agent/index.ts';
import type { ObservedClaim } from '../../observe/observe-agent-claim.ts';
import type { ObservedAgent } from '../../observe/observe-agent.ts';
import { agentStatus, type AgentJudgement } from './index.ts';
import type { JudgedClaim } from './storage-ready.ts';

function claim(phase: string | undefined, over: Partial<JudgedClaim> = {}): JudgedClaim {
  const observed: ObservedClaim = {
    live: { metadata: { name: 'data-retainer-meteorologist-0' } },
    requested: '2Gi',
    capacity: '2Gi',
    phase,
  };
  return { volume: 'data', wanted: '2Gi', claim: observed, size: 'AsWanted', refusal: undefined, ...over };
}

const working: Partial<ObservedAgent> = {
  statefulSet: {
    live: { metadata: { name: 'retainer-meteorologist' } },
    generation: 1,
    replicas: 1,
    templateDigest: undefined,
    template: { annotations: {}, configMapNames: [], agentImage: undefined },
    rollout: undefined,
    claimTemplates: [],
    updateRevision: 'new',
    isObserved: true,
    isRolling: false,
  },
  pod: {
    isBeingDeleted: false,
    isReady: true,
    unreadySinceMs: undefined,
    readySinceMs: undefined,
    scheduling: { isDone: true, message: '' },
    phase: 'Running',
    reason: undefined,
    containers: [],
    annotations: {},
    revision: 'new',
    configMapNames: ['retainer-meteorologist-skill-one-0123456789'],
  },
};

function status(over: Partial<AgentJudgement> = {}, spec: object = {}, seen: Partial<ObservedAgent> = working) {
  const observed = observedAgent(spec, seen);
  return agentStatus({
    observed,
    desired: desiredAgent(observed, settings, undefined),
    claims: [claim('Bound')],
    lease: undefined,
    backupNote: undefined,
    jobsNote: undefined,
    mailNote: undefined,
    canary: { type: 'Enforced' },
    obstacles: [],
    waiting: undefined,
    leaseDueAfterMs: 60_000,
    nowMs: 0,
    ...over,
  });
}

const missing = { character: { type: 'Missing' } } as const;

const folds: readonly (readonly [name: string, status: ReturnType<typeof status>, reason: string])[] = [
  ['an agent that works', status(), 'AgentReady'],
  ['an agent whose change waits', status({ waiting: 'a change waits' }), 'AgentReady'],
  ['a suspended agent', status({}, { suspend: true }), 'Suspended'],
  [
    'a suspended agent with a stranger’s child',
    status({ obstacles: [{ reason: 'NameTaken', message: 'x' }] }, { suspend: true }),
    'Suspended',
  ],
  ['a stranger’s child', status({ obstacles: [{ reason: 'NameTaken', message: 'x' }] }), 'NameTaken'],
  ['a missing character', status({}, {}, { ...working, ...missing }), 'CharacterNotFound'],
  ['a claim that waits and a pod that works', status({ claims: [claim('Pending')] }), 'AgentReady'],
  ['a claim that lost its volume', status({ claims: [claim('Lost')] }), 'StoragePending'],
  ['a volume that cannot shrink', status({ claims: [claim('Bound', { size: 'Larger' })] }), 'StorageShrinkRefused'],
  [
    'a volume that cannot grow',
    status({ claims: [claim('Bound', { size: 'TooSmall', refusal: 'no' })] }),
    'StorageGrowthRefused',
  ],
  ['policies that do not hold', status({ canary: { type: 'NotEnforced', open: ['dns'] } }), 'NetworkPolicyNotEnforced'],
  ['policies nobody proved yet', status({ canary: { type: 'Unknown', message: 'no canary ran' } }), 'AgentReady'],
  ['a new agent', status({}, {}, {}), 'Starting'],
];

describe('the status of an Agent', () => {
  it.each(folds)('of %s is folded into one reason', (_, { conditions: [first] }, reason) => {
    expect(first).toMatchObject({ type: 'Ready', reason, status: reason === 'AgentReady' ? 'True' : 'False' });
  });

  it('uses declared words, each type once, and messages that fit', () => {
    for (const [, { conditions }] of folds) {
      const types = conditions.map(({ type }) => type);
      expect(new Set(types).size).toBe(types.length);
      for (const { type, reason, message } of conditions) {
        expect(CONDITION_TYPES.Agent).toContain(type);
        expect(CONDITION_REASONS.Agent).toContain(reason);
        expect(message.length).toBeGreaterThan(0);
      }
    }
  });

  it('is looked at again where a working agent has not named its individual yet', () => {
    const { pod } = working;
    const fresh = { ...working, pod: pod === undefined ? undefined : { ...pod, readySinceMs: 500 } };
    const looksAt = (judgement: Partial<AgentJudgement>) => status(judgement, {}, fresh).changesAtMs;
    expect(looksAt({ nowMs: 1000 })).toBe(6000);
    expect(looksAt({ nowMs: 30_500 })).toBe(90_500);
    const annotations = { [ANNOTATIONS.individual]: '3f0c7a52-1111-4e6a-9b1d-0123456789ab' };
    const lease = { metadata: { name: 'retainer-meteorologist', annotations } };
    expect(looksAt({ nowMs: 1000, lease })).toBe(61_000);
    expect(status({ nowMs: 1000, lease }, { suspend: true }, fresh).changesAtMs).toBeUndefined();
  });

  it('says nothing of policies where no code runs', () => {
    expect(status({ canary: undefined }).conditions.map(({ type }) => type)).not.toContain('NetworkPolicyEnforced');
  });

  it('tells where the agent is reached and what it mounts', () => {
    expect(status().fields).toMatchObject({
      podName: 'retainer-meteorologist-0',
      endpoint: 'retainer-meteorologist.weather.svc:8080',
      skills: 1,
    });
    expect(status({}, {}, {}).fields).toMatchObject({ podName: undefined, endpoint: undefined, skills: undefined });
  });

  it('has skills that are counted', () => {
    const none = { ...desiredAgent(observedAgent(), settings, undefined).references, skills: ok([]) };
    const { conditions } = status({ desired: { references: none, egressFault: undefined, gitEgressFault: undefined } });
    expect(conditions.find(({ type }) => type === 'SkillsResolved')?.message).toBe('the agent has no skills');
  });
});
