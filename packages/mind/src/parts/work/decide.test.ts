import { describe, expect } from 'vitest';
import { START_MS, WorkRecord } from '../../../../../test/support/work-life.ts';
import { verifies } from '../../../../../test/verifies.ts';
import * as endeavours from './decide-endeavour.ts';
import * as items from './decide-item.ts';
import type { Endeavour } from './endeavour.ts';
import { STEPS_MAX } from './limits.ts';
import { endeavourOf } from './work-state.ts';

/** Two items, of which `b` waits for `a`; a third that failed; an endeavour with two phases. */
function world() {
  const record = new WorkRecord();
  const a = record.item({ title: 'First' });
  const b = record.item({ title: 'Second', dependsOn: [a] });
  const failed = record.item({ title: 'Third' });
  record.do(items.endItem(record.making(), { itemId: failed, status: 'Failed', reason: 'No data.' }));
  const e = record.endeavour();
  return { record, a, b, failed, e };
}
type World = ReturnType<typeof world>;
type Row = readonly [string, (world: World) => ReturnType<typeof items.activateItem>, (world: World) => string];

const words = { title: 'x', description: 'x' };
const one = [{ description: 'x' }];

const refused: readonly Row[] = [
  [
    'an item without a step',
    ({ record }) => items.createItem(record.making(), { ...words, steps: [] }),
    () => 'steps: an item needs a step at least; say what is to be done first.',
  ],
  [
    'an item that waits for one that there is not',
    ({ record }) => items.createItem(record.making(), { ...words, steps: one, dependsOn: ['w-none'] }),
    () => 'dependsOn: there is no item "w-none"; name items that exist, or make that one first.',
  ],
  [
    'a circle of items',
    ({ record, a, b }) => items.editItem(record.making(), a, { dependsOn: [b] }),
    ({ a, b }) => `dependsOn: ${b} waits for ${a} itself, so both would wait for ever; leave it out.`,
  ],
  [
    'an item that waits for itself',
    ({ record, a }) => items.editItem(record.making(), a, { dependsOn: [a] }),
    ({ a }) => `dependsOn: ${a} waits for ${a} itself, so both would wait for ever; leave it out.`,
  ],
  [
    'a deadline that is past',
    ({ record, a }) => items.editItem(record.making(), a, { deadlineMs: START_MS }),
    () => 'deadline: the moment is past; name a later one, or leave it out.',
  ],
  [
    'an item of no endeavour',
    ({ record }) => items.createItem(record.making(), { ...words, steps: one, endeavourId: 'e-none' }),
    ({ e }) => `endeavourId: there is no "e-none"; known: ${e}.`,
  ],
  [
    'an item of a phase that there is not',
    ({ record, e }) => items.createItem(record.making(), { ...words, steps: one, endeavourId: e, phaseId: 'p9' }),
    ({ e }) => `phaseId: ${e} has no phase "p9"; its phases: p1, p2.`,
  ],
  [
    'a phase without its endeavour',
    ({ record }) => items.createItem(record.making(), { ...words, steps: one, phaseId: 'p1' }),
    () => 'phaseId: a phase belongs to an endeavour; name its endeavourId, too.',
  ],
  [
    'to work on what waits',
    ({ record, b }) => items.activateItem(record.making(), b),
    ({ a, b }) => `itemId: ${b} waits for ${a}; complete that first.`,
  ],
  [
    'a step of an item that nobody works on',
    ({ record, a }) => items.completeStep(record.making(), { itemId: a, step: 1 }),
    ({ a }) => `itemId: ${a} is not active; activate it before you complete its steps.`,
  ],
  [
    'a step twice',
    ({ record, a }) => {
      record.do(items.activateItem(record.making(), a));
      record.do(items.completeStep(record.making(), { itemId: a, step: 1 }));
      return items.completeStep(record.making(), { itemId: a, step: 1 });
    },
    ({ a }) => `step: step 1 of ${a} is complete already; open steps: 2.`,
  ],
  [
    'a step that there is not',
    ({ record, a }) => items.completeStep(record.making(), { itemId: a, step: 7 }),
    ({ a }) => `step: ${a} has no step 7; open steps: 1, 2.`,
  ],
  [
    'a step of an ended item',
    ({ record, failed }) => items.completeStep(record.making(), { itemId: failed, step: 1 }),
    ({ failed }) => `itemId: ${failed} is Failed and does not change any more; make a new item for new work.`,
  ],
  [
    'to add to an ended item',
    ({ record, failed }) => items.addStep(record.making(), failed, { description: 'x' }),
    ({ failed }) => `itemId: ${failed} is Failed and does not change any more; make a new item for new work.`,
  ],
  [
    'to take the only step',
    ({ record, a }) => {
      record.do(items.removeStep(record.making(), a, 1));
      return items.removeStep(record.making(), a, 2);
    },
    ({ a }) => `step: it is the only step of ${a}, and no item is without one; delete or abandon the item.`,
  ],
  [
    'too many steps',
    ({ record, a }) => {
      for (let at = 2; at < STEPS_MAX; at += 1) record.do(items.addStep(record.making(), a, { description: 'x' }));
      return items.addStep(record.making(), a, { description: 'x' });
    },
    ({ a }) => `itemId: ${a} has 40 steps, and that is the most; make another item for the rest.`,
  ],
  [
    'to delete what others wait for',
    ({ record, a }) => items.deleteItem(record.making(), a, 'x'),
    ({ a, b }) => `itemId: ${b} waits for ${a}; change its dependsOn first.`,
  ],
  [
    'an edit of nothing',
    ({ record, a }) => items.editItem(record.making(), a, {}),
    () => 'itemId: nothing is to be changed; name a field with its new value.',
  ],
  [
    'an endeavour with two phases of one name',
    ({ record }) => {
      const phase = { name: 'Gather', description: 'x', estimatedSessions: 1 };
      return endeavours.createEndeavour(record.making(), { ...words, goal: 'x', phases: [phase, phase] });
    },
    () => 'phases: two phases are called "Gather"; rename one.',
  ],
  [
    'a phase that waits for a later one',
    ({ record, e }) =>
      endeavours.addPhase(record.making(), e, {
        name: 'Check',
        description: 'x',
        estimatedSessions: 1,
        dependsOn: ['Print'],
      }),
    () =>
      'phases: "Check" waits for "Print", which no phase before it is called; put it behind that one, or name another.',
  ],
  [
    'to begin a phase that waits',
    ({ record, e }) => endeavours.advancePhase(record.making(), { endeavourId: e, phaseId: 'p2' }),
    () => 'phaseId: phase p2 waits for p1; complete or skip that first.',
  ],
  [
    'to skip a phase without a reason',
    ({ record, e }) => endeavours.advancePhase(record.making(), { endeavourId: e, phaseId: 'p1', to: 'Skipped' }),
    () => 'reason: a phase that becomes Skipped needs one; say why.',
  ],
  [
    'to complete an endeavour with open phases',
    ({ record, e }) => endeavours.editEndeavour(record.making(), e, { status: 'Complete' }),
    () => 'status: its phase p1 is NotStarted; complete or skip it first.',
  ],
  [
    'to delete an endeavour with open items',
    ({ record, e }) => {
      record.item({ endeavourId: e });
      return endeavours.deleteEndeavour(record.making(), e, 'x');
    },
    ({ record }) => {
      const [itemId] = [...record.state.items.keys()].slice(-1);
      return `endeavourId: its items ${itemId} are open; complete, abandon or delete them first.`;
    },
  ],
  [
    'to abandon an endeavour without a reason',
    ({ record, e }) => endeavours.editEndeavour(record.making(), e, { status: 'Abandoned' }),
    () => 'reason: an endeavour that becomes Abandoned needs one; say why.',
  ],
  [
    'a session in the past',
    ({ record, e }) => endeavours.scheduleSession(record.making(), { endeavourId: e, atMs: START_MS, focus: 'x' }),
    () => 'at: the moment is past; name a later one.',
  ],
  [
    'to cancel a session that there is not',
    ({ record, e }) => endeavours.cancelSession(record.making(), { endeavourId: e, sessionId: 's1', reason: 'x' }),
    ({ e }) => `sessionId: ${e} has no session "s1" ahead; none is scheduled.`,
  ],
  [
    'to resolve a blocker that there is not',
    ({ record, e }) => endeavours.resolveBlocker(record.making(), { endeavourId: e, blockerId: 'b1', resolution: 'x' }),
    ({ e }) => `blockerId: ${e} has no open blocker "b1"; none is open.`,
  ],
];

describe('an operation that does not fit', () => {
  for (const [what, attempt, sentence] of refused)
    verifies('work:refused', `is ${what}: one sentence with field and fix, and nothing is written`, () => {
      const made = world();
      const attempted = attempt(made);
      const before = made.record.records.length;
      expect(made.record.do(attempted)).toBe(sentence(made));
      expect(made.record.records.length).toBe(before);
    });
});

describe('an endeavour', () => {
  verifies(
    'work:folded',
    'goes through its phases, is blocked and goes on, and is measured by what it began with',
    () => {
      const { record, e } = world();
      const now = (): Endeavour => {
        const found = endeavourOf(record.state, e);
        if (found === undefined) throw new Error('no endeavour');
        return found;
      };
      const step = (more: object = {}) =>
        record.do(endeavours.advancePhase(record.making(), { endeavourId: e, ...more }));
      expect([step(), now().status, now().phases.map(({ status }) => status)]).toEqual([
        undefined,
        'Active',
        ['InProgress', 'NotStarted'],
      ]);
      record.do(
        endeavours.addPhase(record.making(), e, {
          name: 'Print',
          description: 'x',
          estimatedSessions: 0,
          dependsOn: ['Write'],
        }),
      );
      expect([now().originalPhaseCount, now().replanCount, now().phases.at(-1)?.dependsOn]).toEqual([2, 1, ['p2']]);
      expect([step(), now().phases.map(({ status }) => status)]).toEqual([
        undefined,
        ['Complete', 'InProgress', 'NotStarted'],
      ]);
      const said = { description: 'No key.', strategy: 'Ask.', requiresHuman: true };
      record.do(endeavours.reportBlocker(record.making(), e, said));
      expect(now().status).toBe('Blocked');
      record.do(
        endeavours.resolveBlocker(record.making(), { endeavourId: e, blockerId: 'b1', resolution: 'There is one.' }),
      );
      expect(now().status).toBe('Active');
      const session = { endeavourId: e, atMs: record.atMs + 600_000, focus: 'Write.', phaseId: 'p2' };
      record.do(endeavours.scheduleSession(record.making(), session, 'job-1'));
      expect(now().sessions).toMatchObject([
        { sessionId: 's1', jobId: 'job-1', maxTokens: 100_000, status: 'Scheduled' },
      ]);
      record.write('SessionEnded', { endeavourId: e, sessionId: 's1', status: 'Completed', cycles: 3, tokens: 900 });
      expect(now().sessions).toMatchObject([{ status: 'Completed', cycles: 3, tokens: 900 }]);
      expect(now().phases.map(({ actualSessions }) => actualSessions)).toEqual([0, 1, 0]);
      step();
      step();
      record.do(endeavours.editEndeavour(record.making(), e, { status: 'Complete' }));
      expect(now().status).toBe('Complete');
    },
  );
});
