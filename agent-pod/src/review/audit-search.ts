/** A text looked for in every record, oldest first; and the skills that were shown. */
import type { JournalReader } from '@retainer/journal/journal';
import { hitIn, type Hit } from '@retainer/mind/explain/audit/search';
import { SKILL_STORES, skillsShown, type ShownSkill } from '@retainer/mind/explain/audit/skills-shown';

export interface RecordSearch {
  /** Not empty. */
  readonly text: string;
  /** Records at most. */
  readonly limit: number;
}

export interface SearchResult {
  /** Oldest first. */
  readonly hits: readonly Hit[];
  /** The limit was reached: later records were not read. */
  readonly isCut: boolean;
}

export async function searchRecord(reader: JournalReader, { text, limit }: RecordSearch): Promise<SearchResult> {
  const hits: Hit[] = [];
  for await (const record of reader.readAll(reader.stores)) {
    const hit = hitIn(record, text);
    if (hit === undefined) continue;
    if (hits.length === limit) return { hits, isCut: true };
    hits.push(hit);
  }
  return { hits, isCut: false };
}

export async function skillsInRecord(reader: JournalReader): Promise<readonly ShownSkill[]> {
  const shown = skillsShown();
  for await (const record of reader.readAll(SKILL_STORES)) shown.take(record);
  return shown.skills();
}
