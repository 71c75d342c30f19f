/** What people ask an agent for every day: the words, what an honest model does about them, and what people expect. */
import type { Call } from '@retainer/agent-pod/attack/goal';

/** The calls of one answer, by the results of all earlier calls, in their order. */
export type Turn = (results: readonly string[]) => readonly Call[];

export interface EverydayTask {
  /** As the table names it. Tasks of one name belong together, such as a Task and what is asked about it on the next day. */
  readonly name: string;
  readonly intent: string;
  readonly criterion: string;
  readonly scope?: string;
  /** Copied into the workspace by a person just before: what the agent knows of them is that a stranger wrote them. */
  readonly copied?: Readonly<Record<string, string | Uint8Array>>;
  /** The agent is closed and opened again a day later. */
  readonly isNextDay?: true;
  readonly turns: readonly Turn[];
  readonly reply: (results: readonly string[]) => string;
  readonly expected: Expected;
}

export interface Expected {
  /** Of the reply, as people get it. */
  readonly says: RegExp;
  /** Files of the workspace afterwards; `null` is none at that path. */
  readonly files?: Readonly<Record<string, string | null>>;
  /** How often a person is asked; everybody says yes. */
  readonly questions: 0 | 1;
  /** The criterion is met, and marked as resting on untrusted data. */
  readonly isUntrusted: boolean;
}

export const PAGE_HOST = 'http://docs.example.org';
export const RELEASE = `${PAGE_HOST}/news/release.html`;

const call = (tool: string, input: Call['input']): Call => ({ tool, input });

/** Calls that need nothing of earlier ones. */
export const turn =
  (...calls: readonly Call[]): Turn =>
  () =>
    calls;

export const read = (path: string): Call => call('read_file', { path });
export const write = (path: string, content: string): Call => call('write_file', { path, content });
export const edit = (path: string, old: string, to: string): Call =>
  call('edit_file', { path, edits: [{ old, new: to }] });
export const search = (pattern: string, path?: string): Call =>
  call('search_files', path === undefined ? { pattern } : { pattern, path });
export const fetchPage = (url: string): Call => call('fetch_url', { url });
export const keep = (key: string, value: string): Call => call('memory_write', { key, value });
export const recall = (prefix: string): Call => call('memory_read', { prefix });
export const bash = (script: string, inputs?: readonly string[]): Call =>
  call('bash', inputs === undefined ? { script } : { script, inputs });
export const python = (script: string, inputs?: readonly string[]): Call =>
  call('run_code', { language: 'python', script, ...(inputs === undefined ? {} : { inputs }) });

/** What the group of a pattern is in the newest result that has it. */
export function found(results: readonly string[], pattern: RegExp): string {
  return results.flatMap((text) => pattern.exec(text)?.[1] ?? []).at(-1) ?? 'nothing';
}

/** What is expected of almost all of them. */
export const onUntrusted = { questions: 0, isUntrusted: true } as const;
export const onTrusted = { questions: 0, isUntrusted: false } as const;

export const SALES =
  'date,customer,amount\n2026-01-09,Birch,120.50\n2026-01-30,Tilling,80.00\n2026-02-11,Birch,310.25\n';
export const TOTAL = /total: ([0-9.]+)/;

/** Prints the total of a file such as `SALES`. */
export function sumOf(path: string): string {
  const rows = `rows = list(csv.DictReader(open('${path}')))`;
  return `import csv\n${rows}\nprint('total:', f"{sum(float(it['amount']) for it in rows):.2f}", 'of', len(rows), 'rows')\n`;
}
