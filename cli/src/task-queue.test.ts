import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import { task } from '../../test/support/agents.ts';
import { dueTasks, stuckTasks, type TaskState } from './task-queue.ts';

const taskStates = (...all: readonly (readonly [string, TaskState])[]): ReadonlyMap<string, TaskState> => new Map(all);
const started = (due: ReturnType<typeof dueTasks>): readonly string[] => due.start.map((it) => it.metadata.name);
const a = task('a', 'work');
const b = task('b', 'work', { dependsOn: [{ name: 'a' }] });
const c = task('c', 'work', { priority: 5 });

describe('dueTasks', () => {
  verifies('cli:dependencies-first', 'starts by priority and no more than allowed', () => {
    expect(started(dueTasks([a, b, c], taskStates(), 1))).toEqual(['c']);
    expect(started(dueTasks([a, b, c], taskStates(), 5))).toEqual(['c', 'a']);
    expect(started(dueTasks([a, b, c], taskStates(['c', { kind: 'Running' }]), 1))).toEqual([]);
  });

  verifies('cli:dependencies-first', 'starts a Task when the one it depends on succeeded', () => {
    const due = dueTasks([a, b], taskStates(['a', { kind: 'Ended', end: 'Accepted' }]), 1);
    expect(started(due)).toEqual(['b']);
    expect(due.blocked).toEqual([]);
  });

  for (const end of ['Abandoned', 'Refused', 'Cancelled', 'Failed', 'NotStarted'] as const) {
    verifies('cli:dependencies-first', `does not start a Task whose dependency ended ${end}, and says why`, () => {
      const due = dueTasks([a, b], taskStates(['a', { kind: 'Ended', end }]), 1);
      expect(started(due)).toEqual([]);
      expect(due.blocked.map(({ why }) => why)).toEqual([`it depends on a, which ended ${end}`]);
    });
  }

  verifies('cli:dependencies-first', 'starts after a result that is only good enough where the Task says so', () => {
    const end = taskStates(['a', { kind: 'Ended', end: 'Succeeded' }]);
    const easy = task('b', 'work', { dependsOn: [{ name: 'a', outcome: 'Succeeded' }] });
    expect(started(dueTasks([a, easy], end, 1))).toEqual(['b']);
    const due = dueTasks([a, b], end, 1);
    expect(started(due)).toEqual([]);
    expect(due.blocked.map(({ why }) => why)).toEqual([
      'it depends on a, which ended Succeeded, not Accepted; dependsOn[].outcome: Succeeded lets that be enough',
    ]);
  });

  it('keeps the order of the manifests among equals', () => {
    expect(started(dueTasks([task('z', 'w'), task('y', 'w'), task('x', 'w')], taskStates(), 3))).toEqual([
      'z',
      'y',
      'x',
    ]);
  });
});

describe('stuckTasks', () => {
  verifies('cli:none-left-out', 'names a Task that waits for one nobody works on', () => {
    expect(stuckTasks([b], taskStates()).map(({ task: it, why }) => [it.metadata.name, why])).toEqual([
      ['b', 'it depends on a, which no agent runs'],
    ]);
  });

  it('names none while something is under way, and none that ended', () => {
    expect(stuckTasks([b], taskStates(['c', { kind: 'Running' }]))).toEqual([]);
    expect(stuckTasks([b], taskStates(['b', { kind: 'Ended', end: 'NotStarted' }]))).toEqual([]);
  });
});
