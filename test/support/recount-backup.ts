/** What the sensorium says of the second copy, recounted from the records alone. */
import { fieldsOf, minute, textIn, type Moment } from './past.ts';
import { tagged, type Tag } from './told-state.ts';

const WEEK_MS = 7 * 24 * 3_600_000;

export function backup({ past, nowMs }: Moment): readonly Tag[] {
  const restored = past.of('agent', 'Restored').at(-1);
  const told = [...past.of('agent', 'BackupLate'), ...past.of('agent', 'BackupCaughtUp')]
    .filter(({ seq }) => seq > (restored?.seq ?? -1))
    .toSorted((a, b) => a.seq - b.seq);
  const newest = (copy: string) => {
    const record = told.findLast((it) => textIn(fieldsOf(it), 'copy') === copy);
    return record?.kind === 'BackupLate' ? fieldsOf(record) : {};
  };
  const since = ({ sinceMs }: ReturnType<typeof newest>): string | undefined =>
    sinceMs === undefined ? undefined : minute(sinceMs as number);
  const [commit, push] = [newest('Commit'), newest('Push')];
  const recent = restored !== undefined && nowMs - restored.timeMs <= WEEK_MS ? restored : undefined;
  const figures = {
    commit: commit['why'] === undefined ? undefined : 'late',
    unsaved_since: since(commit),
    remote: { Late: 'late', Diverged: 'another history' }[textIn(push, 'why')],
    unpushed_since: since(push),
    restored: recent === undefined ? undefined : minute(recent.timeMs),
    from_commit: recent === undefined ? undefined : shortId(textIn(fieldsOf(recent), 'from')),
    as_of: recent === undefined ? undefined : minute(fieldsOf(recent)['at'] as number),
  };
  return Object.values(figures).every((it) => it === undefined) ? [] : [tagged('backup', figures)];
}

/** The event of a restoring. */
export function restoring(fields: ReturnType<typeof fieldsOf>): string {
  const [, day = '', clock = ''] = /^(.*)T(.*)\.\d+Z$/.exec(new Date(fields['at'] as number).toISOString()) ?? [];
  return `from commit ${shortId(textIn(fields, 'from'))} as of ${day} ${clock} UTC`;
}

/** Twelve digits, and more up to the first letter where they have none. */
function shortId(commit: string): string {
  return /^\d{12,}[a-f]/.exec(commit)?.[0] ?? commit.slice(0, 12);
}
