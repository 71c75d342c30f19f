/** The mail of the agent, recounted from the records of each letter. */
import type { JournalRecord } from '@retainer/journal/journal';
import { fieldsOf, textIn, type Fields, type Moment } from './past.ts';
import { tagged, type Tag } from './told-state.ts';

export function mail({ past }: Moment): readonly Tag[] {
  if (past.of('mail', 'MailboxOpened').length === 0) return [];
  const begun = new Set(past.ofRuns('RunAdmitted').map(({ spec }) => spec.runId));
  const answered = new Set(past.of('mail', 'MailRequested').map((it) => textIn(inside(it, 'mail'), 'letterId')));
  const released = past.of('mail', 'MailReleased').map(fieldsOf);
  const letGo = new Set(released.map((it) => textIn(it, 'letterId')));
  const admitted = past.of('mail', 'MailAdmitted').filter((it) => inside(it, 'as')['kind'] === 'Run');
  const working = [
    ...admitted.map((it) => ({ letterId: idOf(it), runId: textIn(inside(it, 'as'), 'runId') })),
    ...released.map((it) => ({ letterId: textIn(it, 'letterId'), runId: textIn(it, 'runId') })),
  ];
  return [
    tagged('mail', {
      unread: working.filter(({ runId }) => !begun.has(runId)).length,
      held: past.of('mail', 'MailHeld').filter((it) => !letGo.has(idOf(it))).length,
      unanswered: working.filter(({ letterId }) => !answered.has(letterId)).length,
    }),
  ];
}

const idOf = (record: JournalRecord): string => textIn(fieldsOf(record), 'letterId');
const inside = (record: JournalRecord, name: string): Fields => fieldsOf(record)[name] as Fields;
