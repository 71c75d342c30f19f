/** The second copy of the record, as the record tells of it: a copy that is late or current again, and a restoring from it. */
import { shownCommit } from '@retainer/contract/std/shown-commit';
import { utcSecond } from '@retainer/contract/std/utc-date';
import { definePart, textIn } from '../../part/part.ts';
import { backupStore, secondCopy } from './second-copy.ts';

function asOf(from: unknown, at: unknown): string {
  const moment = typeof at === 'number' ? utcSecond(at) : 'an unknown time';
  return `from commit ${shownCommit(textIn(from))} as of ${moment}`;
}

export const backupPart = definePart({
  name: 'backup',
  stores: [backupStore],
  projections: { secondCopy },
  events: {
    Restored: ({ from, at }) => ({ name: 'restored', title: asOf(from, at) }),
  },
  tell: {
    Restored: ({ from, at, by }) => ({
      actor: 'person',
      tone: 'Warning',
      text: `restored ${asOf(from, at)} by ${textIn(by)}; what came after it is not in this record`,
      live: true,
    }),
  },
});
