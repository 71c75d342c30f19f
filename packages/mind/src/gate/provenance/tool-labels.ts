/**
 * The label of each tool's result, and which tools carry data out.
 *
 * Decided for the worst case: what a file, a page or a program said is data of a stranger, unless this cycle can show that it
 * wrote the file itself from what it may believe (`read-so-far.ts`). What a tool says in its own words is believed. A tool that
 * is not in the table brings untrusted data that only the principal may read.
 *
 * Source: reliability-security 4.5, 4.7 (anyone's tool result is untrusted text).
 */
import type { Label, SourceKind } from './label.ts';

interface Row {
  readonly source: SourceKind;
  readonly trust: Label['trust'];
  readonly readers: Label['readers'];
  /** The argument that names where it comes from. */
  readonly name?: string;
}

const strangersFile: Row = { source: 'Workspace', trust: 'Untrusted', readers: 'Principal', name: 'path' };
const program: Row = { source: 'Workspace', trust: 'Untrusted', readers: 'Principal' };
const ownWords: Row = { source: 'Tool', trust: 'Trusted', readers: 'Everyone' };

/** Every tool of the catalog. */
const rows: Readonly<Record<string, Row>> = {
  list_files: strangersFile,
  read_file: strangersFile,
  search_files: strangersFile,
  write_file: ownWords,
  bash: program,
  run_code: program,
  serve_code: program,
  stop_serving: ownWords,
  memory_write: ownWords,
  // Facts keep the label that they were stored with: the outcome says it. This is for facts that have none.
  memory_read: { source: 'Memory', trust: 'Untrusted', readers: 'Principal' },
  fetch_url: { source: 'Web', trust: 'Untrusted', readers: 'Everyone', name: 'url' },
  request_approval: ownWords,
};

const strange: Row = { source: 'Tool', trust: 'Untrusted', readers: 'Principal' };

/** Names of the tools that are known here. */
export const labelledTools: readonly string[] = Object.keys(rows);

/** Whether a call of it may tell the outside something; of a tool that nobody knows it is assumed. */
export function reachesOutside(tool: string): boolean {
  return askingTools.has(tool) || !Object.hasOwn(rows, tool);
}

/** Tools that only read, and by what they ask tell the outside something: offered while the rule of two allows it. */
export const askingTools: ReadonlySet<string> = new Set(['fetch_url']);

/** Tools by which people see what a program says. */
export const showingTools: ReadonlySet<string> = new Set(['serve_code']);

export function toolResultLabel(tool: string, input: unknown): Label {
  const row = Object.hasOwn(rows, tool) ? (rows[tool] ?? strange) : strange;
  const name = row === strange ? tool : nameIn(row, input);
  return {
    source: { kind: row.source, ...(name === undefined ? {} : { name }) },
    trust: row.trust,
    readers: row.readers,
  };
}

/** Characters of a path: longer ones are no name. */
const NAME_CHARACTERS = 256;

function nameIn({ name }: Row, input: unknown): string | undefined {
  if (name === undefined || typeof input !== 'object' || input === null) return undefined;
  const value = (input as Readonly<Record<string, unknown>>)[name];
  if (typeof value !== 'string') return undefined;
  if (name !== 'url') return value.slice(0, NAME_CHARACTERS);
  return URL.canParse(value) ? new URL(value).hostname : undefined;
}
