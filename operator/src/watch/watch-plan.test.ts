import { describe, expect, it } from 'vitest';
import { resources } from '@retainer/kube/resources';
import { watchId, watchPlan } from './watch-plan.ts';

const byName = () => ['a'];

describe('watchPlan', () => {
  it('watches once what two controllers read, with the indexes of both', () => {
    const plan = watchPlan([
      { resource: resources.tasks, indexes: { one: byName } },
      { resource: resources.tasks, indexes: { two: byName } },
    ]);
    expect(plan.map(({ id, indexes }) => [id, Object.keys(indexes)])).toEqual([['tasks.retainer.dev', ['one', 'two']]]);
  });

  it('keeps pods of agents and pods of sandboxes apart', () => {
    const plan = watchPlan([{ resource: resources.pods }, { resource: resources.pods, isSandbox: true }]);
    expect(plan.map(({ id }) => id)).toEqual(['pods', 'sandbox/pods']);
  });

  it('refuses two selectors for one resource', () => {
    const watches = [{ resource: resources.pods }, { resource: resources.pods, labelSelector: 'a=b' }];
    expect(() => watchPlan(watches)).toThrow('two label selectors');
  });
});

describe('watchId', () => {
  it('names group and place', () => {
    expect(watchId({ resource: resources.jobs, isSandbox: true })).toBe('sandbox/jobs.batch');
  });
});
