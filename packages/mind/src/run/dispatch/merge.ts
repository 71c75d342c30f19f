/**
 * What the subtasks of a run brought, put together by code: no model writes it, so nothing can be added on the way.
 *
 * Source: artoo A.8 (merge order), A.4 (what an earlier round brought comes first), A.9 (an abandoned run delivers it, too).
 * Differs: the source hands on a list of values; the bus carries text, so several become one text with a heading each.
 */
import type { Salvage, SubTaskOutcome } from '@retainer/contract/wire/bus/payloads';
import { headAndTail } from '@retainer/contract/std/head-and-tail';
import { indent, oneLine } from '../../request/lines.ts';

/** Characters of all that is merged. A result that is longer is read from its artifacts; a message of the bus stays small. */
export const MERGED_CHARACTERS_MAX = 256 * 1024;

/** Characters of a subtask's intent in its heading. */
const HEADING_CHARACTERS = 200;

type Mergeable = Pick<SubTaskOutcome, 'status' | 'sequence' | 'position' | 'intent' | 'output' | 'artifactId'>;

/**
 * The outputs of what matched: salvage first, in the order of its rounds, then this round's by sequence and position.
 *
 * @returns nothing merged: an empty text; one output: that output; several: each indented below its heading. At most
 *          `MERGED_CHARACTERS_MAX` characters and the headings; each output gets an equal share of what the shorter leave.
 */
export function mergeOutputs(outcomes: readonly Mergeable[], salvage: readonly Salvage[] = []): string {
  const parts: readonly Part[] = [...salvage.toSorted((a, b) => a.round - b.round), ...matchedInOrder(outcomes)];
  const limits = fairShares(
    parts.map((it) => it.output.length),
    MERGED_CHARACTERS_MAX,
  );
  const texts = parts.map((part, index) => headAndTail(part.output, limits[index] ?? 0));
  const [only] = texts;
  if (texts.length <= 1) return only ?? '';
  return parts.map((part, index) => `${headingOf(part)}\n${indent(texts[index] ?? '')}`).join('\n\n');
}

interface Part {
  readonly intent: string;
  readonly output: string;
  readonly artifactId?: string;
}

/** By sequence, then by place in the manifest, whatever the order of arrival. Failed ones are left out. */
export function matchedInOrder<T extends Pick<Mergeable, 'status' | 'sequence' | 'position'>>(
  outcomes: readonly T[],
): readonly T[] {
  return outcomes.filter((it) => it.status === 'Matched').toSorted(byPlace);
}

/** The order of everything that is shown or merged. */
export function byPlace(
  a: Pick<Mergeable, 'sequence' | 'position'>,
  b: Pick<Mergeable, 'sequence' | 'position'>,
): number {
  return a.sequence - b.sequence || a.position - b.position;
}

/**
 * Divides `total` so that none gets more than it needs and no text is cut while a longer one is not.
 *
 * @param lengths  what each needs
 * @returns        what each gets, in the same order
 */
export function fairShares(lengths: readonly number[], total: number): readonly number[] {
  const shares = lengths.map(() => 0);
  let left = total;
  const ascending = lengths.map((length, index) => ({ length, index })).toSorted((a, b) => a.length - b.length);
  for (const [rank, { length, index }] of ascending.entries()) {
    const share = Math.min(length, Math.floor(left / (ascending.length - rank)));
    shares[index] = share;
    left -= share;
  }
  return shares;
}

function headingOf({ intent, artifactId }: Part): string {
  const whole = artifactId === undefined ? '' : ` (whole: artifact:${artifactId})`;
  return `## ${oneLine(intent.slice(0, HEADING_CHARACTERS))}${whole}`;
}
