/**
 * The narrative of a day as a page of Markdown for people. A page only grows: each record adds its own lines at the end, so git tells
 * of each line which commit brought it.
 *
 * Words of a run may be anybody's. So each text is one line, and its hidden signs are shown.
 */
import { printable } from '@retainer/contract/std/printable';
import type { Json } from '@retainer/contract/std/canonical-json';
import { clockSecond } from '@retainer/contract/std/utc-date';
import { fieldOf, listIn, textIn } from '../../part/part.ts';

/** A record of the narrative as its line has it. */
export interface NarrativeLine {
  readonly kind: string;
  readonly runId: string;
  /** Milliseconds since 1970. */
  readonly timeMs: number;
  /** Undefined: it is so long that it stands in a file of its own. */
  readonly payload: Readonly<Record<string, Json>> | undefined;
}

/** @param day  `2026-01-31` */
export function renderDayPage(day: string, records: readonly NarrativeLine[]): string {
  return [`# ${day}`, '', ...records.flatMap((record) => linesOf(record))].join('\n').concat('\n');
}

type Teller = (payload: Readonly<Record<string, Json>>, runId: string) => readonly string[];

/** By kind; a kind that is not here adds nothing. */
const tellers: Readonly<Record<string, Teller>> = {
  RunRemembered: ({ task, outcome, intent, tools }, runId) => [
    `run ${textIn(fieldOf(task, 'name'))} **${textIn(outcome)}** (${[runId, ...listIn(tools)].join(', ')})`,
    `wanted: ${textIn(intent)}`,
  ],
  RunReflected: ({ prose }, runId) => [`thought of ${runId}`, textIn(prose)],
  RunImported: ({ system, outcome, words }) => [
    `taken over from ${textIn(system)} (${textIn(outcome)})`,
    textIn(fieldOf(words, 'prose')),
  ],
  RunAmended: ({ as, by, reason }, runId) => [`${textIn(as)} by ${textIn(by)}: ${runId}`, textIn(reason)],
};

function linesOf({ kind, runId, timeMs, payload }: NarrativeLine): readonly string[] {
  const tell = Object.hasOwn(tellers, kind) ? tellers[kind] : undefined;
  if (tell === undefined) return [];
  const [first = '', ...more] =
    payload === undefined ? [`${kind} of ${runId}: long, see the record`] : tell(payload, runId);
  return [`- ${clockSecond(timeMs)} ${oneLine(first)}`, ...more.map((text) => `  ${oneLine(text)}`), ''];
}

function oneLine(text: string): string {
  return printable(text.replaceAll(/\s+/g, ' ').trim());
}
