/**
 * Merges the outputs of a run's subtasks by code, for its result and for the context of later subtasks. No model writes either, so
 * nothing is added on the way.
 *
 * Source: artoo A.8 (merge order), A.4 (what an earlier round brought comes first), A.7 (what later subtasks are told), A.9 (an
 * abandoned run delivers it, too).
 * Differs: the source hands on a list of values; the bus carries text, so several become one text with a heading each.
 */
import type { Salvage, SubTaskOutcome } from '@retainer/contract/wire/bus/payloads';
import { headAndTail } from '@retainer/contract/std/head-and-tail';
import { indent, oneLine } from '../../request/lines.ts';

/** Most characters of the merged text. Artifacts hold the whole of a longer result; a message of the bus stays small. */
export const MERGED_CHARACTERS_MAX = 256 * 1024;

/** Characters of a subtask's intent in its heading. */
const HEADING_CHARACTERS = 200;

type Mergeable = Pick<SubTaskOutcome, 'status' | 'sequence' | 'position' | 'intent' | 'output' | 'artifactId'>;

/**
 * Merges the outputs that matched: first the salvage of earlier rounds in their order, then this round's by sequence and
 * position.
 *
 * @returns nothing merged: an empty text; one output: that output; several: each indented below its heading. At most
 *          `MERGED_CHARACTERS_MAX` characters and the headings; shorter outputs leave their share to the longer ones.
 */
export function mergeOutputs(outcomes: readonly Mergeable[], salvage: readonly Salvage[] = []): string {
  const parts = partsOf(outcomes, salvage);
  const [only] = parts;
  if (parts.length <= 1) return only?.text ?? '';
  return parts.map((part) => `${headingOf(part)}\n${indent(part.text)}`).join('\n\n');
}

/** The same without headings and without numbers of what was left out, which are not the result's: what it states itself. */
export function mergedStatements(outcomes: readonly Mergeable[], salvage: readonly Salvage[] = []): string {
  return partsOf(outcomes, salvage, () => '[…]')
    .map(({ text }) => text)
    .join('\n\n');
}

/** Kept results in the order of their rounds, then the new ones, each with its fair share of the whole. */
function partsOf(
  outcomes: readonly Mergeable[],
  salvage: readonly Salvage[],
  middle?: (leftOut: number) => string,
): readonly (Part & { readonly text: string })[] {
  const parts: readonly Part[] = [...salvage.toSorted((a, b) => a.round - b.round), ...matchedInOrder(outcomes)];
  const limits = fairShares(
    parts.map((it) => it.output.length),
    MERGED_CHARACTERS_MAX,
  );
  return parts.map((part, index) => ({ ...part, text: headAndTail(part.output, limits[index] ?? 0, middle) }));
}

interface Part {
  readonly intent: string;
  readonly output: string;
  readonly artifactId?: string;
}

/** By sequence, then by position in the manifest, whatever the order of arrival. Failed ones are left out. */
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
 * Divides `total` so that no share exceeds its need, and no text is cut while a longer one is not.
 *
 * @param lengths  the need of each
 * @returns the share of each, in the same order
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
  return `## ${oneLine(intent.slice(0, HEADING_CHARACTERS))}${wholeOf(artifactId)}`;
}

/** Where the whole of a text is that is cut here. */
const wholeOf = (artifactId: string | undefined): string =>
  artifactId === undefined ? '' : ` (whole: artifact:${artifactId})`;

/** Most characters of one output in the context of a later subtask, and of all outputs together. Source: artoo A.7. */
const PRIOR_CHARACTERS_MAX = 4000;
const PRIORS_CHARACTERS_MAX = 8000;

/** Characters of an intent in its label. */
const LABEL_CHARACTERS = 120;

interface Prior {
  readonly label: string;
  readonly output: string;
  readonly artifactId?: string;
}

/**
 * The context of a later subtask, with the outputs of earlier ones that matched in a block below. Lines of outputs are indented: none
 * can pose as a label.
 */
export function withPriorOutputs(
  context: string,
  earlier: readonly SubTaskOutcome[],
  salvage: readonly Salvage[],
): string {
  const priors: readonly Prior[] = [
    ...salvage.map((it) => ({ ...it, label: labelOf(`round ${it.round}`, it.intent) })),
    ...matchedInOrder(earlier).map((it) => ({ ...it, label: labelOf(`${it.sequence}`, it.intent) })),
  ];
  if (priors.length === 0) return context;
  const needs = priors.map((it) => Math.min(it.output.length, PRIOR_CHARACTERS_MAX));
  const shares = fairShares(needs, PRIORS_CHARACTERS_MAX);
  const block = priors.map((prior, at) => blockOf(prior, shares[at] ?? 0)).join('\n');
  return [...(context === '' ? [] : [context, '']), 'What earlier steps brought:', block].join('\n');
}

function labelOf(origin: string, intent: string): string {
  return `[${origin}/${oneLine(intent.slice(0, LABEL_CHARACTERS))}]`;
}

function blockOf({ label, output, artifactId }: Prior, characters: number): string {
  return `${label}${wholeOf(artifactId)}\n${indent(headAndTail(output, characters))}`;
}
