/** `retainer audit search|skills`: a text looked for in every record, and which skills were shown in which runs. */
import { searchRecord, skillsInRecord, type SearchResult } from '@retainer/agent-pod/review/audit-search';
import { renderPlural } from '@retainer/mind/explain/figures';
import { NO_CAUSE, renderSkills } from '@retainer/mind/explain/audit/render-skills';
import { askRecord } from '../access/ask-record.ts';
import type { PlaceFlags } from '../access/place.ts';
import { readEnvironment } from '../config.ts';
import { exitCodes } from '../exit-codes.ts';
import { createOutput, type Output, type OutputFormat } from '../output.ts';
import { refuse } from '../refuse.ts';
import { utcSecond } from '@retainer/contract/std/utc-date';

export interface SkillsFlags extends PlaceFlags {
  readonly output: OutputFormat;
}

export interface SearchFlags extends SkillsFlags {
  readonly limit: number;
}

export async function searchCommand(text: string, flags: SearchFlags): Promise<number> {
  const { limit } = flags;
  if (text === '') return refuse(createOutput(flags.output, readEnvironment().colour), 'give a text to look for');
  const command = { words: ['audit', 'search', `--limit=${limit}`], arguments: [text] };
  return askRecord(flags, command, async ({ output, reader }) =>
    tellFound(output, await searchRecord(reader, { text, limit })),
  );
}

function tellFound(output: Output, { hits, isCut }: SearchResult): number {
  output.data({ hits, isCut });
  for (const { store, seq, atMs, kind, runId, cycleId, path, places, excerpt } of hits) {
    const of = cycleId ?? runId;
    const more = places === 1 ? '' : `, ${renderPlural(places, 'place')}`;
    output.line(`${utcSecond(atMs)}  ${store}/${seq}  ${kind}${of === undefined ? '' : `  ${of}`}`);
    output.line(`  ${path}${more}: ${JSON.stringify(excerpt)}`, 'Quiet');
  }
  const end = `${renderPlural(hits.length, 'record')} found`;
  if (isCut) output.line(`${end}; there are more: give a longer text or a higher --limit`, 'Warning');
  else output.line(end, 'Quiet');
  return exitCodes.done;
}

export function skillsCommand(flags: SkillsFlags): Promise<number> {
  return askRecord(flags, { words: ['audit', 'skills'] }, async ({ output, reader }) => {
    const skills = await skillsInRecord(reader);
    output.data({ skills, note: NO_CAUSE });
    output.lines(renderSkills(skills));
    return exitCodes.done;
  });
}
