import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { hasOldProgress, withProgress } from './with-progress.ts';

const ready = (status: 'True' | 'False', reason: string) =>
  ({ type: 'Ready', status, reason, message: 'so it is' }) as const;
const failed = { type: 'Failed', status: 'True', reason: 'TimedOut', message: 'too slow' } as const;

const cases = [
  { name: 'a Task at work', kind: 'Task', given: [ready('False', 'Running')], added: ['Reconciling'] },
  { name: 'a refused Task', kind: 'Task', given: [ready('False', 'Refused')], added: ['Stalled'] },
  { name: 'an accepted Task', kind: 'Task', given: [ready('True', 'Accepted')], added: [] },
  { name: 'code at work', kind: 'SandboxRun', given: [ready('True', 'Running')], added: ['Reconciling'] },
  { name: 'code that serves', kind: 'SandboxRun', given: [ready('True', 'Serving')], added: [] },
  {
    name: 'code that ended early',
    kind: 'SandboxRun',
    given: [ready('False', 'TimedOut'), failed],
    added: ['Stalled'],
  },
  { name: 'a writer who does not own Ready', kind: 'Task', given: [failed], added: [] },
  { name: 'a kind of others', kind: 'Pod', given: [ready('False', 'Running')], added: [] },
] as const;

describe('withProgress', () => {
  for (const { name, kind, given, added } of cases)
    verifies('operator:kstatus', `adds ${added.join() || 'nothing'} for ${name}`, () => {
      const told = withProgress(kind, given).slice(given.length);
      expect(told).toEqual(added.map((type) => ({ ...given[0], type, status: 'True' })));
    });
});

describe('hasOldProgress', () => {
  it.each([
    { stored: ['Ready', 'Reconciling'], written: ['Ready', 'Stalled'], isOld: true },
    { stored: ['Ready', 'Reconciling'], written: ['Ready'], isOld: true },
    { stored: ['Ready', 'Stalled'], written: ['Ready', 'Stalled'], isOld: false },
    { stored: ['Ready', 'Stalled'], written: ['Failed'], isOld: false },
  ])('of $stored by $written is $isOld', ({ stored, written, isOld }) => {
    const of = (types: readonly string[]) => types.map((type) => ({ ...ready('True', 'Running'), type }));
    expect(hasOldProgress(of(stored), of(written))).toBe(isOld);
  });

  it('is false of one that is no longer True', () => {
    const told = ready('True', 'Accepted');
    expect(hasOldProgress([told, { ...told, type: 'Reconciling', status: 'False' }], [told])).toBe(false);
  });
});
