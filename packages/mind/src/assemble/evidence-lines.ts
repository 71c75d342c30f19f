/**
 * Recorded tool calls as a validator sees them: one line of the agent for each call, with the texts of others indented below it.
 *
 * Source: artoo A.6 (the records are the truth), A.5 (head and tail of each output).
 */
import { headAndTail } from '@retainer/contract/std/head-and-tail';
import { indent, quoted, safeName } from '../request/lines.ts';

/** Characters of one call's output that the validator sees, one third of them from its start. Source: artoo A.5. */
const OUTPUT_CHARACTERS = 3000;

const ARGUMENTS_CHARACTERS = 2000;

/** Characters of a written file's path, and number of named files. */
const PATH_CHARACTERS = 256;
const FILES_MAX = 8;

export interface EvidenceView {
  /** As the prompt names it: `t3`. */
  readonly callId: string;
  readonly tool: string;
  readonly arguments: string;
  readonly outcome?: { readonly status: string; readonly text: string; readonly exitCode?: number };
  readonly unrun?: { readonly why: string; readonly text: string };
  /** Files that the call wrote below the workspace. */
  readonly files?: readonly { readonly path: string; readonly sizeBytes: number }[];
  /** Files that it removed there. */
  readonly gone?: readonly string[];
}

/** Characters reserved for the sentences on omissions. */
const OMISSION_CHARACTERS = 300;

/** At most `characters`, in the order of the calls. The newest calls appear in full, because the final state counts. */
export function renderCalls(evidence: readonly EvidenceView[], characters: number): readonly string[] {
  const space = characters - OMISSION_CHARACTERS;
  const titles = newestFitting(evidence, titleOf, space);
  const unlisted = evidence.length - titles.length;
  const titleCharacters = titles.reduce((sum, title) => sum + title.length + 1, 0);
  const bodies = newestFitting(evidence.slice(unlisted), bodyOf, space - titleCharacters);
  const bare = titles.length - bodies.length;
  return [
    ...(unlisted === 0 ? [] : [indent(`[The oldest ${unlisted} calls are left out.]`)]),
    ...(bare === 0 ? [] : [indent(`[The oldest ${bare} calls are listed without arguments and output.]`)]),
    ...titles.flatMap((title, position) => (position < bare ? [title] : [title, bodies[position - bare] ?? ''])),
  ];
}

/** The texts of the newest calls that fit, counting a line break for each; in the order of the calls. */
function newestFitting(
  evidence: readonly EvidenceView[],
  textOf: (call: EvidenceView) => string,
  characters: number,
): readonly string[] {
  const texts: string[] = [];
  let left = characters;
  for (const call of evidence.toReversed()) {
    const text = textOf(call);
    left -= text.length + 1;
    if (left < 0) break;
    texts.push(text);
  }
  return texts.toReversed();
}

function titleOf(call: EvidenceView): string {
  const status = call.outcome?.status.toLowerCase() ?? 'refused';
  const exit = call.outcome?.exitCode === undefined ? '' : ` exit=${call.outcome.exitCode}`;
  return `tool-call ${call.callId} tool=${safeName(call.tool)} status=${status}${exit}${wroteOf(call.files ?? [])}${removedOf(call.gone ?? [])}`;
}

/** In the title, which no output can imitate. */
function wroteOf(files: NonNullable<EvidenceView['files']>): string {
  const named = files
    .slice(0, FILES_MAX)
    .map(({ path, sizeBytes }) => ` wrote=${quoted(path.slice(0, PATH_CHARACTERS))}:${sizeBytes}`);
  return `${named.join('')}${files.length > FILES_MAX ? ` and ${files.length - FILES_MAX} more files` : ''}`;
}

function removedOf(gone: NonNullable<EvidenceView['gone']>): string {
  const named = gone.slice(0, FILES_MAX).map((path) => ` removed=${quoted(path.slice(0, PATH_CHARACTERS))}`);
  return `${named.join('')}${gone.length > FILES_MAX ? ` and ${gone.length - FILES_MAX} more` : ''}`;
}

function bodyOf(call: EvidenceView): string {
  const text = call.outcome?.text ?? call.unrun?.text ?? '';
  return [
    indent(`arguments: ${headAndTail(call.arguments, ARGUMENTS_CHARACTERS)}`),
    indent(headAndTail(text, OUTPUT_CHARACTERS)),
  ].join('\n');
}
