/**
 * The narrative as pages for people, beside the record: `narrative/2026-01-31.md` for each day. They are made of the record alone and
 * are not restored.
 */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Json } from '@retainer/contract/std/canonical-json';
import { recordLinesIn, type JournalMoment } from '@retainer/journal/moment';
import { renderDayPage, type NarrativeLine } from '@retainer/mind/parts/narrative/day-page';

export const PAGES = 'narrative/';
/** Segments of a store begin with their day. */
const SEGMENT = /^narrative\/(\d{4}-\d\d-\d\d)\./;

export interface DayPage {
  /** In the repository. */
  readonly path: string;
  readonly bytes: Buffer;
}

/** @param hasGrown  whether a segment differs from what the repository has, or its page is not there */
export async function* dayPages(
  journalDirectory: string,
  { grown }: Pick<JournalMoment, 'grown'>,
  hasGrown: (segment: JournalMoment['grown'][number], page: string) => boolean,
): AsyncGenerator<DayPage> {
  const days = new Map<string, JournalMoment['grown'][number][]>();
  for (const segment of grown) {
    const day = SEGMENT.exec(segment.path)?.[1];
    if (day !== undefined) days.set(day, [...(days.get(day) ?? []), segment]);
  }
  for (const [day, segments] of days) {
    const path = `${PAGES}${day}.md`;
    if (!segments.some((segment) => hasGrown(segment, path))) continue;
    const records: NarrativeLine[] = [];
    for (const segment of segments) records.push(...(await recordsIn(journalDirectory, segment)));
    yield { path, bytes: Buffer.from(renderDayPage(day, records)) };
  }
}

/** A day of a narrative is some hundred records, so it is read whole. */
async function recordsIn(
  journalDirectory: string,
  { path, sizeBytes }: JournalMoment['grown'][number],
): Promise<readonly NarrativeLine[]> {
  const file = await open(join(journalDirectory, path), 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(sizeBytes), 0, sizeBytes, 0);
    return [...recordLinesIn(buffer.subarray(0, bytesRead))].map(({ kind, timeMs, whole }) => {
      const { runId = '', payload } = whole();
      return { kind, runId, timeMs, payload: payload as Readonly<Record<string, Json>> | undefined };
    });
  } finally {
    await file.close();
  }
}
