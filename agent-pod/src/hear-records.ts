/** What hears each record of an agent when it is durable. */
import type { JournalRecord } from '@retainer/journal/journal';
import { changesWhatIsDue } from './jobs-of-agent.ts';
import type { Bell } from './loop/bell.ts';
import { noteEvent, type RecentEvents } from './loop/recent-events.ts';
import { isOfMail } from './mail-of-agent.ts';
import type { BackupWatch } from './upkeep/backup-watch.ts';

export interface Hearing {
  readonly backup: Pick<BackupWatch, 'see'> | undefined;
  readonly events: RecentEvents;
  readonly jobBell: Bell;
  readonly workBell: Bell;
  readonly mailBell: Pick<Bell, 'ring'>;
  readonly onRecord: ((record: JournalRecord) => void) | undefined;
}

export function hearing({
  backup,
  events,
  jobBell,
  workBell,
  mailBell,
  onRecord,
}: Hearing): (record: JournalRecord) => void {
  return (record) => {
    // The backup learns so what is not in it, and that a run has ended.
    backup?.see(record);
    noteEvent(events, record);
    if (changesWhatIsDue(record)) jobBell.ring();
    if (record.store === 'work') workBell.ring();
    if (isOfMail(record)) mailBell.ring();
    onRecord?.(record);
  };
}
