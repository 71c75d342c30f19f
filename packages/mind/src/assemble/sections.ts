/**
 * The building blocks of the roles' inputs: sections separated by a blank line.
 *
 * A line that begins in the first column is the agent's. Texts by others are indented below such a line, or follow it as one
 * line.
 */
import type { BusCriterion } from '@retainer/contract/wire/bus/payloads';
import { headAndTail } from '@retainer/contract/std/head-and-tail';
import { indent, oneLine } from '../request/lines.ts';

/** Characters of a task's intent: as many as a Task may have. */
export const INTENT_CHARACTERS = 8192;

/** Characters of one criterion: as many as a Task's may have. */
const CRITERION_CHARACTERS = 1024;

const SCOPE_CHARACTERS = 2048;

/** Characters of each side of an earlier turn, and of an item of knowledge about the user. Source: artoo A.3. */
export const TURN_CHARACTERS = 300;

/** Reduction of the length for the next try, if a text did not fit. */
const SHRINK_RATIO = 0.8;

type Section = readonly string[];

/** Omits empty sections. */
export function joinSections(sections: readonly Section[]): string {
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

/** A title with a text by others below it; empty without a text. */
export function textSection(title: string, text: string | undefined, charactersMax: number): Section {
  const shown = text?.trim() ?? '';
  return shown.length === 0 ? [] : [`${title}:`, indentedWithin(shown, charactersMax)];
}

/** Head and tail of a text, indented; at most about `charactersMax` characters including the indentation. */
export function indentedWithin(text: string, charactersMax: number): string {
  let characters = charactersMax;
  let shown = indent(headAndTail(text, characters));
  // Indentation triples the length of a text that has only line breaks.
  while (shown.length > charactersMax && characters > 0) {
    characters = Math.floor(characters * SHRINK_RATIO);
    shown = indent(headAndTail(text, characters));
  }
  return shown;
}

/** A title with lines of the agent below it; empty without lines. */
export function listSection(title: string, lines: readonly string[]): Section {
  return lines.length === 0 ? [] : [`${title}:`, ...lines];
}

export function scopeSection(scope: string | undefined): Section {
  return textSection('Keep to', scope, SCOPE_CHARACTERS);
}

/** One line for each criterion, numbered from 1 in order; verdicts use these numbers. */
export function criterionLines(criteria: readonly BusCriterion[]): readonly string[] {
  return criteria.map(({ text, mode, required }, position) => {
    const marks = [...(mode === 'Plausible' ? ['plausible'] : []), ...(required ? [] : ['not required'])];
    const mark = marks.length === 0 ? '' : ` (${marks.join(', ')})`;
    return `criterion ${position + 1}${mark}: ${clipped(text, CRITERION_CHARACTERS)}`;
  });
}

/** The newest items, and a line with the number of older ones. */
export function newestOnly<Item>(
  items: readonly Item[],
  max: number,
): { readonly kept: readonly Item[]; readonly omission: Section } {
  const older = items.length - max;
  return { kept: items.slice(-max), omission: older > 0 ? [indent(`[The oldest ${older} are left out.]`)] : [] };
}

/** One line of at most `charactersMax` characters, with a mark if the text was longer. */
export function clipped(text: string, charactersMax: number): string {
  const line = oneLine(text.slice(0, charactersMax));
  return text.length > charactersMax ? `${line}…` : line;
}
