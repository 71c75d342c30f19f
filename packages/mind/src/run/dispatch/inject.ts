/**
 * Adds the outputs of earlier subtasks to the context of later ones: labelled, bounded, and only those that matched.
 *
 * Source: artoo A.7, A.4 (what an earlier round brought is told as well).
 */
import type { Salvage, SubTaskOutcome } from '@retainer/contract/wire/bus/payloads';
import { headAndTail } from '@retainer/contract/std/head-and-tail';
import { indent, oneLine } from '../../request/lines.ts';
import { fairShares, matchedInOrder } from './merge.ts';

/** Most characters of one output, and of all outputs together. Source: artoo A.7. */
const OUTPUT_CHARACTERS_MAX = 4000;
const OUTPUTS_CHARACTERS_MAX = 8000;

/** Characters of an intent in its label. */
const LABEL_CHARACTERS = 120;

interface Prior {
  readonly label: string;
  readonly output: string;
  readonly artifactId?: string;
}

/** The context with a block below if anything matched. Lines of outputs are indented: none can pose as a label. */
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
  const needs = priors.map((it) => Math.min(it.output.length, OUTPUT_CHARACTERS_MAX));
  const shares = fairShares(needs, OUTPUTS_CHARACTERS_MAX);
  const block = priors.map((prior, at) => blockOf(prior, shares[at] ?? 0)).join('\n');
  return [...(context === '' ? [] : [context, '']), 'What earlier steps brought:', block].join('\n');
}

function labelOf(origin: string, intent: string): string {
  return `[${origin}/${oneLine(intent.slice(0, LABEL_CHARACTERS))}]`;
}

function blockOf({ label, output, artifactId }: Prior, characters: number): string {
  const whole = artifactId === undefined ? '' : ` (whole: artifact:${artifactId})`;
  return `${label}${whole}\n${indent(headAndTail(output, characters))}`;
}
