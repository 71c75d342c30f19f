/**
 * What the inputs of the roles are made of: sections with a blank line between them.
 *
 * A line that begins in the first column is ours. Text of others is indented below such a line, or made one line at its end.
 */
import type { BusCriterion } from '@retainer/contract/wire/bus/payloads';
import { headAndTail } from '@retainer/contract/std/head-and-tail';
import { indent, oneLine } from '../request/lines.ts';

/** Characters of a task's intent: as many as a Task may have. */
export const INTENT_CHARACTERS = 8192;

/** Characters of one criterion: as many as a Task's may have. */
const CRITERION_CHARACTERS = 1024;

/** Characters of the area that a task keeps to. */
const SCOPE_CHARACTERS = 2048;

/** Characters of either side of a turn before, and of what is known of the user. Source: artoo A.3. */
export const TURN_CHARACTERS = 300;

/** How much shorter the next try is, where a text did not fit. */
const SHRINK_RATIO = 0.8;

type Section = readonly string[];

/** Empty sections leave no trace. */
export function joinSections(sections: readonly Section[]): string {
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

/** A title and a text of others below it; nothing where there is no text. */
export function textSection(title: string, text: string | undefined, charactersMax: number): Section {
  const shown = text?.trim() ?? '';
  return shown.length === 0 ? [] : [`${title}:`, indentedWithin(shown, charactersMax)];
}

/** Head and tail of a text, indented, of at most about so many characters with the indentation. */
export function indentedWithin(text: string, charactersMax: number): string {
  let characters = charactersMax;
  let shown = indent(headAndTail(text, characters));
  // A text of line breaks alone is three times as long when it is indented.
  while (shown.length > charactersMax && characters > 0) {
    characters = Math.floor(characters * SHRINK_RATIO);
    shown = indent(headAndTail(text, characters));
  }
  return shown;
}

/** A title and lines of ours below it; nothing where there are none. */
export function listSection(title: string, lines: readonly string[]): Section {
  return lines.length === 0 ? [] : [`${title}:`, ...lines];
}

export function scopeSection(scope: string | undefined): Section {
  return textSection('Keep to', scope, SCOPE_CHARACTERS);
}

/** One line for each, numbered from 1 in their order, as verdicts name them. */
export function criterionLines(criteria: readonly BusCriterion[]): readonly string[] {
  return criteria.map(({ text, mode, required }, position) => {
    const marks = [...(mode === 'Plausible' ? ['plausible'] : []), ...(required ? [] : ['not required'])];
    const mark = marks.length === 0 ? '' : ` (${marks.join(', ')})`;
    return `criterion ${position + 1}${mark}: ${clipped(text, CRITERION_CHARACTERS)}`;
  });
}

/** The newest ones, and a line on how many older ones there are. */
export function newestOnly<Item>(
  items: readonly Item[],
  max: number,
): { readonly kept: readonly Item[]; readonly omission: Section } {
  const older = items.length - max;
  return { kept: items.slice(-max), omission: older > 0 ? [indent(`[The oldest ${older} are left out.]`)] : [] };
}

/** At most so many characters, in one line. */
export function clipped(text: string, charactersMax: number): string {
  const line = oneLine(text.slice(0, charactersMax));
  return text.length > charactersMax ? `${line}…` : line;
}
