import { FIELD_MANAGERS } from '@retainer/contract/api/names';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { startFakeApiServer, type FakeApiServer } from '../../../test/support/fake-api-server/fake-api-server.ts';
import { fakeKubeClient } from '../../../test/support/fake-api-server/fake-kube-client.ts';
import { killAt } from '../../../test/support/fake-api-server/fault-rules.ts';
import { manualClock, type ManualClock } from '../../../test/support/manual-clock.ts';
import { agentObject, condition, iso, minuteMs, startMs, taskObject } from '../../../test/support/observed-tasks.ts';
import { verifies } from '../../../test/verifies.ts';
import { KubeApplier } from '../apply/kube-applier.ts';
import type { Cache } from '@retainer/kube/cache';
import type { HttpsClient } from '@retainer/kube/https-client';
import { keyText, type KubeObject, type ObjectKey } from '@retainer/kube/kube-object';
import { ObjectCache } from '@retainer/kube/object-cache';
import type { Resource } from '@retainer/kube/resource';
import { taskIndexes } from '../observe/observe-task.ts';
import { resources } from '@retainer/kube/resources';
import type { Controller } from './controller.ts';
import type { Outcome } from './outcome.ts';
import { taskController } from './task-controller.ts';

const signal = new AbortController().signal;
const key = (name: string): ObjectKey => ({ namespace: 'team', name });

let server: FakeApiServer;
let clock: ManualClock;
let user: HttpsClient;
let agent: HttpsClient;
let operator: Operator;

/** One process of the operator: its caches are what it was last shown. */
class Operator {
  readonly client = fakeKubeClient(server, { user: 'operator' });
  readonly events: string[] = [];
  readonly #tasks = new ObjectCache(taskIndexes);
  readonly #agents = new ObjectCache();
  readonly controller: Controller = taskController({
    client: this.client,
    clock,
    applier: new KubeApplier({
      client: this.client,
      clock,
      record: (_, { reason }) => this.events.push(reason),
    }),
    caches: {
      of: <T extends KubeObject>(resource: Resource) =>
        (resource.kind === 'Task' ? this.#tasks : this.#agents) as unknown as Cache<T>,
      inSandboxes: () => {
        throw new Error('no sandboxes here');
      },
    },
  });

  /** What the API server has, for an operator of another version. */
  asRead: (task: KubeObject) => KubeObject = (task) => task;

  look(): void {
    this.#tasks.replace(server.list(resources.tasks).map((task) => this.asRead(task)));
    this.#agents.replace(server.list(resources.agents));
  }

  pass(name: string): Promise<Outcome> {
    return this.controller.reconcile(key(name), signal);
  }

  /** Passes over everything until nothing is written any more. */
  async settle(): Promise<Outcome | undefined> {
    let outcome: Outcome | undefined;
    for (let revision = -1; revision !== server.store.revision;) {
      revision = server.store.revision;
      for (const { metadata } of server.list(resources.tasks)) {
        this.look();
        outcome = await this.pass(metadata.name);
      }
    }
    return outcome;
  }
}

function statusOf(name: string): Readonly<Record<string, unknown>> & {
  readonly conditions?: readonly { type: string; status: string; reason: string }[];
} {
  return (server.get(resources.tasks, key(name))?.['status'] ?? {}) as ReturnType<typeof statusOf>;
}

const readyReason = (name: string): string | undefined =>
  statusOf(name).conditions?.find(({ type }) => type === 'Ready')?.reason;

const conditionOf = (name: string, type: string): object | undefined =>
  statusOf(name).conditions?.find((one) => one.type === type);

/** As a person writes it: name and spec. */
const bare = ({ apiVersion = '', kind = '', metadata: { name, namespace = '' }, spec }: KubeObject): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace },
  spec,
});

/** What the agent says of its Task: all its fields, each time. */
async function agentWrites(name: string, status: object): Promise<void> {
  const { apiVersion = '', kind = '' } = taskObject(name);
  const object = { apiVersion, kind, metadata: key(name), status };
  await agent.apply(resources.tasks, object, {
    fieldManager: FIELD_MANAGERS.agentTaskStatus,
    force: true,
    subresource: 'status',
  });
}

const started = {
  acceptedAt: iso(startMs),
  startedAt: iso(startMs),
  conditions: [condition('Running', 'True', 'Running')],
};
const writes = (): number => server.audit.filter(({ isChange, resource }) => isChange && resource === 'tasks').length;

beforeEach(async () => {
  clock = manualClock(startMs);
  server = await startFakeApiServer({ clock });
  user = fakeKubeClient(server, { user: 'ann' });
  agent = fakeKubeClient(server, { user: 'ada' });
  operator = new Operator();
});

afterEach(async () => {
  for (const client of [user, agent, operator.client]) client.close();
  await server.stop();
});

describe('the life of a Task', () => {
  verifies(
    'operator-task:few-writes',
    'takes eight writes at most, its Agent coming late and its deletion included',
    async () => {
      await user.create(resources.tasks, bare(taskObject('a', { spec: { ttlSecondsAfterFinished: 60 } })));
      await operator.settle();
      expect(readyReason('a')).toBe('AgentNotFound');
      server.put(resources.agents, agentObject({ status: {} }));
      await operator.settle();
      expect(readyReason('a')).toBe('Queued');
      await agentWrites('a', started);
      await operator.settle();
      expect(readyReason('a')).toBe('Queued');
      clock.advance(10_000);
      await operator.settle();
      expect(readyReason('a')).toBe('Running');
      await agentWrites('a', {
        ...started,
        outcome: 'Accepted',
        finishedAt: iso(startMs),
        conditions: [condition('Complete', 'True', 'Accepted')],
      });
      await operator.settle();
      expect(readyReason('a')).toBe('Accepted');
      expect(operator.events).toEqual([]);
      clock.advance(minuteMs);
      await operator.settle();
      expect(server.get(resources.tasks, key('a'))).toBeUndefined();
      expect(writes()).toBeLessThanOrEqual(8);
    },
  );

  verifies(
    'operator-task:few-writes',
    'takes five where its Agent is of a version that does not tell Ready',
    async () => {
      server.put(resources.agents, agentObject());
      await user.create(resources.tasks, bare(taskObject('a')));
      await operator.settle();
      expect(readyReason('a')).toBe('Running');
      await agentWrites('a', started);
      await operator.settle();
      clock.advance(minuteMs);
      await operator.settle();
      await agentWrites('a', {
        ...started,
        outcome: 'Accepted',
        finishedAt: iso(startMs),
        conditions: [condition('Complete', 'True', 'Accepted')],
      });
      await operator.settle();
      expect(readyReason('a')).toBe('Accepted');
      expect(conditionOf('a', 'Reconciling')).toBeUndefined();
      // One of a person, two of the Agent, two of the operator.
      expect(writes()).toBe(5);
    },
  );

  verifies('operator-task:about-to-run', 'waits after all where its Agent does not begin', async () => {
    server.put(resources.agents, agentObject());
    await user.create(resources.tasks, bare(taskObject('a')));
    await operator.settle();
    expect(readyReason('a')).toBe('Running');
    operator.look();
    expect(await operator.pass('a')).toMatchObject({ type: 'Wait', afterMs: 10_000 });
    clock.advance(10_000);
    await operator.settle();
    expect(readyReason('a')).toBe('Queued');
    await agentWrites('a', { ...started, startedAt: iso(startMs + 10_000) });
    await operator.settle();
    expect(readyReason('a')).toBe('Queued');
    clock.advance(10_000);
    await operator.settle();
    expect(readyReason('a')).toBe('Running');
  });

  verifies('operator-task:few-writes', 'none at rest, not even by an operator that has just started', async () => {
    server.put(resources.agents, agentObject());
    for (const [name, spec] of Object.entries({
      plain: {},
      waits: { dependsOn: [{ name: 'nobody' }] },
      daily: { schedule: { cron: '@daily' } },
    }))
      await user.create(resources.tasks, bare(taskObject(name, { spec })));
    await operator.settle();
    // The Agent takes none of them, which is told once.
    clock.advance(minuteMs);
    await operator.settle();
    const before = server.store.revision;
    for (let restart = 0; restart < 3; restart++) {
      operator.client.close();
      operator = new Operator();
      clock.advance(minuteMs);
      await operator.settle();
    }
    expect(server.store.revision).toBe(before);
  });

  verifies('operator-task:waits-and-heals', 'each change brings the Tasks that it concerns', async () => {
    const task = taskObject('b', { spec: { dependsOn: [{ name: 'a' }] } });
    for (const it of [task, taskObject('c')]) server.put(resources.tasks, it);
    operator.look();
    const concerned = (kind: string, object: KubeObject): readonly string[] =>
      operator.controller.watches
        .filter(({ resource }) => resource.kind === kind)
        .flatMap(({ roots }) => roots(object).map(keyText));
    expect(concerned('Task', taskObject('a'))).toEqual(['team/a', 'team/b']);
    expect(concerned('Agent', agentObject())).toEqual(['team/b', 'team/c']);
    expect(concerned('Agent', agentObject({ metadata: { name: 'other' } }))).toEqual([]);
  });
});

describe('an end by the operator', () => {
  const overdue = minuteMs * 12;

  beforeEach(async () => {
    server.put(resources.agents, agentObject());
    await user.create(resources.tasks, bare(taskObject('a')));
    await agentWrites('a', started);
    operator.look();
  });

  verifies(
    'operator-task:agent-ends-its-own',
    'comes at its time, by a field manager of its own, and is told',
    async () => {
      expect(await operator.pass('a')).toMatchObject({ type: 'Wait', afterMs: 11 * minuteMs });
      clock.advance(overdue);
      await operator.settle();
      expect(statusOf('a')).toMatchObject({ outcome: 'Failed', finishedAt: iso(startMs + overdue) });
      expect(readyReason('a')).toBe('InfrastructureFailed');
      expect(operator.events).toEqual(['InfrastructureFailed']);
      const managers = server.audit
        .filter(({ isChange, user: by }) => isChange && by === 'operator')
        .map(({ query }) => query);
      expect(managers.filter((query) => query.includes(FIELD_MANAGERS.operatorDeadline))).toHaveLength(1);
    },
  );

  verifies('operator-task:ended-is-settled', 'leaves nothing that says that the run goes on', async () => {
    await agentWrites('a', {
      ...started,
      conditions: [...started.conditions, condition('AwaitingApproval', 'True', 'ApprovalRequested')],
    });
    await user.mergePatch(resources.tasks, key('a'), { spec: { cancel: true } });
    server.remove(resources.agents, { namespace: 'team', name: 'ada' });
    await operator.settle();
    expect(statusOf('a')).toMatchObject({ outcome: 'Cancelled' });
    for (const type of ['Running', 'AwaitingApproval'])
      expect(conditionOf('a', type)).toMatchObject({ status: 'False', reason: 'Cancelled' });
    const settled = writes();
    await operator.settle();
    expect(writes()).toBe(settled);
  });

  verifies('operator-task:ended-is-settled', 'stays settled where the Agent was late to hear of it', async () => {
    clock.advance(overdue);
    await operator.settle();
    const ended = statusOf('a');
    await agentWrites('a', started);
    await operator.settle();
    expect(conditionOf('a', 'Running')).toMatchObject({ status: 'False', reason: 'InfrastructureFailed' });
    expect(conditionOf('a', 'Failed')).toEqual(ended.conditions?.find(({ type }) => type === 'Failed'));
    expect(statusOf('a')).toMatchObject({ outcome: 'Failed', finishedAt: ended['finishedAt'] });
    expect(operator.events).toEqual(['InfrastructureFailed']);
  });

  verifies(
    'operator-task:agent-ends-its-own',
    'does not come where the cache does not know yet that the Agent ended it',
    async () => {
      await agentWrites('a', { ...started, outcome: 'Accepted' });
      clock.advance(overdue);
      expect(await operator.pass('a')).toMatchObject({ type: 'Wait', reason: 'CacheBehind' });
      expect(statusOf('a')).toMatchObject({ outcome: 'Accepted' });
      expect(operator.events).toEqual([]);
    },
  );

  verifies('operator-task:agent-ends-its-own', 'yields to an Agent that ends it in the very last moment', async () => {
    clock.advance(overdue);
    const off = server.faults.onRequest(({ query, verb }) => {
      if (verb !== 'apply' || !String(query).includes(FIELD_MANAGERS.operatorDeadline)) return undefined;
      const task = server.get(resources.tasks, key('a'));
      if (task !== undefined)
        server.putStatus(resources.tasks, { ...task, status: { ...statusOf('a'), outcome: 'Succeeded' } });
      off();
      return undefined;
    });
    expect(await operator.pass('a')).toMatchObject({ type: 'Wait', reason: 'CacheBehind' });
    await operator.settle();
    expect(statusOf('a')).toMatchObject({ outcome: 'Succeeded' });
    expect(readyReason('a')).toBe('Succeeded');
  });
});

describe('a Task of another version', () => {
  beforeEach(async () => {
    await user.create(resources.tasks, bare(taskObject('a')));
    operator.asRead = (task) => ({ ...task, spec: { ...(task['spec'] as object), budget: { wallClock: 'a while' } } });
  });

  const says = (status: object): Promise<unknown> =>
    operator.client.apply(
      resources.tasks,
      { ...bare(taskObject('a')), spec: undefined, status },
      { fieldManager: FIELD_MANAGERS.operatorStatus, force: true, subresource: 'status' },
    );

  verifies('operator-task:other-version', 'says which field nobody understands, once', async () => {
    expect(await operator.settle()).toMatchObject({ type: 'Stalled', reason: 'SpecInvalid' });
    expect(conditionOf('a', 'Ready')).toMatchObject({
      status: 'False',
      reason: 'SpecInvalid',
      message: expect.stringContaining('spec.budget.wallClock'),
    });
    expect(operator.events).toEqual(['SpecInvalid']);
    const told = writes();
    await operator.settle();
    expect(writes()).toBe(told);
  });

  verifies('operator-task:other-version', 'keeps what was said of it before', async () => {
    const before = { runs: 3, lastScheduledAt: iso(startMs), nextScheduledAt: iso(startMs + minuteMs) };
    await says({ ...before, conditions: [condition('Admitted', 'True', 'Scheduled')] });
    await operator.settle();
    expect(readyReason('a')).toBe('SpecInvalid');
    expect(statusOf('a')).toMatchObject(before);
    expect(conditionOf('a', 'Admitted')).toMatchObject({ status: 'True', reason: 'Scheduled' });
  });

  verifies('operator-task:other-version', 'keeps its end', async () => {
    await says({ outcome: 'Accepted', conditions: [condition('Ready', 'True', 'Accepted')] });
    await operator.settle();
    expect(readyReason('a')).toBe('Accepted');
    expect(operator.events).toEqual([]);
  });

  verifies('operator-task:other-version', 'is told by an event alone where no status of it is taken', async () => {
    server.faults.onRequest(({ verb, subresource }) =>
      verb === 'apply' && subresource === 'status' ? { type: 'Refuse', status: 422, reason: 'Invalid' } : undefined,
    );
    operator.look();
    expect(await operator.pass('a')).toMatchObject({ type: 'Stalled', reason: 'SpecInvalid' });
    expect(operator.events).toEqual(['SpecInvalid']);
  });
});

describe('a schedule', () => {
  const create = async (fields: object = {}, spec: object = {}): Promise<void> => {
    server.put(resources.agents, agentObject());
    await user.create(
      resources.tasks,
      bare(taskObject('often', { spec: { schedule: { cron: '*/10 * * * *', ...fields }, ...spec } })),
    );
  };
  const runs = (): readonly string[] =>
    server
      .list(resources.tasks)
      .map(({ metadata }) => metadata.name)
      .filter((name) => name !== 'often');

  verifies(
    'operator-task:moment-once',
    'makes the Task of a moment, counts it when it has ended, and makes the next',
    async () => {
      await create();
      expect(await operator.settle()).toMatchObject({ type: 'Wait', afterMs: 10 * minuteMs });
      expect(statusOf('often')).toMatchObject({ nextScheduledAt: iso(startMs + 10 * minuteMs) });
      clock.advance(10 * minuteMs);
      await operator.settle();
      expect(runs()).toHaveLength(1);
      expect(statusOf('often')).toMatchObject({ runs: 0, lastScheduledAt: iso(startMs + 10 * minuteMs) });
      clock.advance(10 * minuteMs);
      await operator.settle();
      expect(runs()).toHaveLength(1);
      await agentWrites(runs()[0] ?? '', { ...started, outcome: 'Accepted', finishedAt: iso(startMs) });
      await operator.settle();
      expect(runs()).toHaveLength(2);
      expect(statusOf('often')).toMatchObject({ runs: 1, nextScheduledAt: iso(startMs + 30 * minuteMs) });
      expect(readyReason('often')).toBe('Scheduled');
    },
  );

  verifies(
    'operator-task:moment-once',
    'killed before or after any of its calls, the moment has one Task in the end',
    async () => {
      await create();
      await operator.settle();
      clock.advance(10 * minuteMs);
      let names: readonly string[] = [];
      let kills = 0;
      for (let call = 1; kills === call - 1; call++) {
        for (const moment of ['Before', 'After'] as const) {
          for (const name of runs()) server.remove(resources.tasks, key(name));
          const often = server.get(resources.tasks, key('often'));
          if (often !== undefined)
            server.putStatus(resources.tasks, {
              ...often,
              status: { ...statusOf('often'), lastScheduledAt: undefined },
            });
          operator.client.close();
          operator = new Operator();
          const off = server.faults.onRequest(killAt({ user: 'operator', call, moment, kill: () => (kills = call) }));
          operator.look();
          await operator.pass('often').catch(() => undefined);
          off();
          operator.client.close();
          operator = new Operator();
          await operator.settle();
          expect(runs()).toHaveLength(1);
          names = [...new Set([...names, ...runs()])];
        }
      }
      expect(kills).toBeGreaterThan(3);
      expect(names).toHaveLength(1);
    },
  );

  verifies('operator-task:moment-once', 'is not served by a cache that lags behind', async () => {
    await create();
    await operator.settle();
    const stale = new Operator();
    stale.look();
    clock.advance(10 * minuteMs);
    await operator.settle();
    const [made = ''] = runs();
    await agentWrites(made, { ...started, outcome: 'Accepted' });
    await operator.settle();
    server.remove(resources.tasks, key(made));
    expect(await stale.pass('often')).toMatchObject({ type: 'Wait', reason: 'CacheBehind' });
    stale.client.close();
    expect(runs()).toEqual([]);
  });

  verifies(
    'operator-task:agent-ends-its-own',
    'that is cancelled cancels its unfinished Task and makes no other',
    async () => {
      await create();
      clock.advance(10 * minuteMs);
      await operator.settle();
      await user.mergePatch(resources.tasks, key('often'), { spec: { cancel: true } });
      await operator.settle();
      expect(statusOf('often')).toMatchObject({ outcome: 'Cancelled' });
      expect(statusOf(runs()[0] ?? '')).toMatchObject({ outcome: 'Cancelled' });
      clock.advance(60 * minuteMs);
      await operator.settle();
      expect(runs()).toHaveLength(1);
      expect(readyReason('often')).toBe('Cancelled');
    },
  );

  verifies(
    'operator-task:waits-and-heals',
    'a stranger with the name of its Task is left alone, and told',
    async () => {
      await create();
      await operator.settle();
      clock.advance(10 * minuteMs);
      const name = `often-${(startMs + 10 * minuteMs) / minuteMs}`;
      server.put(resources.tasks, taskObject(name));
      operator.look();
      expect(await operator.pass('often')).toMatchObject({
        type: 'Failed',
        error: { message: expect.stringContaining(name) },
      });
      expect(operator.events).toEqual(['InfrastructureFailed']);
      server.remove(resources.tasks, key(name));
      await operator.settle();
      expect(statusOf('often')).toMatchObject({ lastScheduledAt: iso(startMs + 10 * minuteMs) });
    },
  );
});
