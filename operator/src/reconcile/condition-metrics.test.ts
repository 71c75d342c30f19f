import { Registry } from 'prom-client';
import { describe, expect } from 'vitest';
import type { Cache } from '@retainer/kube/cache';
import type { KubeObject } from '@retainer/kube/kube-object';
import type { Resource } from '@retainer/kube/resource';
import { resources } from '@retainer/kube/resources';
import { verifies } from '../../../test/verifies.ts';
import { watchConditions } from './condition-metrics.ts';

const AGENTS = 1000;
const TASKS = 5000;
const condition = (type: string, status: string, reason: string) => ({ type, status, reason, message: 'a secret' });

async function figures(objects: ReadonlyMap<Resource, readonly KubeObject[]>): Promise<readonly string[]> {
  const of = <T extends KubeObject>(resource: Resource) =>
    ({ list: () => objects.get(resource) ?? [] }) as unknown as Cache<T>;
  const registry = new Registry();
  watchConditions(registry, { of, inSandboxes: of });
  return (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

const agents = (status: (at: number) => object): readonly KubeObject[] =>
  Array.from({ length: AGENTS }, (_, at) => ({
    metadata: { name: `agent-${at}`, namespace: 'team' },
    status: { conditions: status(at) },
  }));

describe('the figures of Agents and Tasks', () => {
  verifies('operator-agent:conditions-are-figures', 'tell why an Agent that never started is not Ready', async () => {
    const told = await figures(
      new Map<Resource, readonly KubeObject[]>([
        [
          resources.agents,
          [
            {
              metadata: { name: 'ada', namespace: 'team' },
              status: {
                conditions: [condition('Ready', 'False', 'PodCrashing'), condition('PodReady', 'False', 'PodCrashing')],
              },
            },
          ],
        ],
      ]),
    );
    expect(told).toContain(
      'retainer_agent_condition{agent="ada",agent_namespace="team",condition="Ready",reason="PodCrashing"} 0',
    );
    expect(told.some((line) => line.includes('condition="PodReady"'))).toBe(true);
  });

  verifies('operator-agent:conditions-are-figures', 'stay few, whatever anybody writes into a status', async () => {
    const well = (type: string) => condition(type, 'True', 'AgentReady');
    const told = await figures(
      new Map<Resource, readonly KubeObject[]>([
        [resources.agents, agents(() => [well('Ready'), well('PodReady'), well('StorageReady')])],
        [
          resources.tasks,
          Array.from({ length: TASKS }, (_, at) => ({
            metadata: { name: `task-${at}`, namespace: 'team' },
            spec: { intent: 'a secret' },
            status: at % 2 === 0 ? { outcome: `Word${at}` } : { conditions: [condition('Ready', 'False', 'Queued')] },
          })),
        ],
      ]),
    );
    expect(told).toHaveLength(AGENTS + 2);
    expect(told).toContain(`retainer_tasks{state="Finished",reason="Other"} ${TASKS / 2}`);
    expect(told).toContain(`retainer_tasks{state="Waiting",reason="Queued"} ${TASKS / 2}`);
    expect(told.join()).not.toContain('secret');
  });
});
