/** The narrative of another system, as a person takes it over: one change of memory for each entry that is not in the record yet. */
import { sha256Hex } from '@retainer/contract/std/hash';
import type { JournalReader } from '@retainer/journal/journal';
import { NarrativeEntry } from '@retainer/mind/explain/audit/springdrift-log';
import {
  importedName,
  importedNames,
  IMPORTED_OUTCOMES,
  IMPORTED_PROSE_CHARACTERS,
} from '@retainer/mind/parts/narrative/imported-entry';
import type { PartCommand } from '@retainer/mind/parts/derived';
import { linesOf, type LogFile, type MalformedLine } from './springdrift-files.ts';

export type ImportedRun = Omit<Extract<PartCommand, { type: 'ImportRun' }>, 'by' | 'reason'>;

export interface Importable {
  /** Oldest file first. */
  readonly fresh: readonly ImportedRun[];
  /** Entries that the record has. */
  readonly known: number;
  readonly malformed: readonly MalformedLine[];
}

/** @param files  only those of the narrative are read */
export async function importableRuns(reader: JournalReader, files: readonly LogFile[]): Promise<Importable> {
  const taken = await takenOver(reader);
  const fresh = new Map<string, ImportedRun>();
  const malformed: MalformedLine[] = [];
  let known = 0;
  for (const { path } of files.filter(({ log }) => log === 'narrative'))
    for await (const { line, text } of linesOf(path)) {
      const entry = importedRun(text);
      if (typeof entry === 'string') malformed.push({ file: path, line, why: entry });
      else if (taken.has(entry.entryId) || fresh.has(entry.entryId)) known += 1;
      else fresh.set(entry.entryId, entry);
    }
  return { fresh: [...fresh.values()], known, malformed };
}

/** The same for the same entry, so that the inbox takes it once even while the record does not show it yet. */
export function importOrigin({ system, entryId }: ImportedRun): string {
  return `import-${system}-${sha256Hex(entryId)}`;
}

async function takenOver(reader: JournalReader): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for await (const { kind, payload } of reader.read('narrative'))
    if (kind === 'RunImported') ids.add((payload as { readonly entryId: string }).entryId);
  return ids;
}

/** @returns the change, or why the line is malformed */
function importedRun(line: string): ImportedRun | string {
  const entry = entryIn(line);
  if (typeof entry === 'string') return entry;
  const { cycle_id, timestamp, summary, intent, outcome, keywords, topics, metrics } = entry;
  const atMs = Date.parse(`${timestamp.slice(0, 19)}Z`);
  if (Number.isNaN(atMs)) return 'timestamp: it is no moment';
  const prose = [intent.description, summary, outcome.assessment].filter((it) => it !== '').join('\n');
  return {
    type: 'ImportRun',
    system: 'springdrift',
    entryId: importedName(cycle_id),
    atMs,
    outcome: IMPORTED_OUTCOMES.find((it) => it === outcome.status) ?? 'unknown',
    tokens: metrics.input_tokens + metrics.output_tokens,
    words: {
      prose: prose.slice(0, IMPORTED_PROSE_CHARACTERS),
      domain: importedName(intent.domain),
      keywords: importedNames(keywords),
      topics: importedNames(topics),
    },
  };
}

function entryIn(line: string): NarrativeEntry | string {
  try {
    const parsed = NarrativeEntry.safeParse(JSON.parse(line));
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'unknown'}`;
  } catch {
    return 'it is no JSON';
  }
}
