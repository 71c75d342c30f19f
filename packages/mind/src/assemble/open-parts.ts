/** The parts of a task that are not yet shown, for the planner: what may be tried next, and what is refused. Source: design 5. */
import type { PartAdvice, WorkPair } from '@retainer/contract/wire/bus/payloads';
import { quoted, safeName } from '../request/lines.ts';
import { clipped } from './sections.ts';

/** Characters of a criterion, and of the sentence on a part. */
const TEXT_CHARACTERS = 512;

/** Characters of a target. */
const TARGET_CHARACTERS = 256;

/** Number of options of one part, best first, and of named pairs, newest first. All refused pairs are refused. */
const LISTED_MAX = 12;

/** Characters of all parts together: a dozen usual ones. */
const SECTION_CHARACTERS_MAX = 24_000;

type Option = PartAdvice['options'][number];

/** Empty where the whole was advised. */
export function openPartLines(parts: readonly PartAdvice[]): readonly string[] {
  if (parts.length === 0) return [];
  return [
    'Plan one subtask for each part, with its criteria word for word. Follow its first choice; where the task does not offer that, the next one. Choices of one rank are equally good: take the one that fits the task best.',
    ...within(parts.map(partLines)),
  ];
}

/** Whole parts, first ones first, as far as there is room; the others are counted. */
function within(parts: readonly (readonly string[])[]): readonly string[] {
  const shown: string[] = [];
  let left = SECTION_CHARACTERS_MAX;
  for (const [at, lines] of parts.entries()) {
    left -= lines.reduce((sum, it) => sum + it.length, 0);
    if (left < 0) return [...shown, `${parts.length - at} more open parts, for which there is no room here`];
    shown.push(...lines);
  }
  return shown;
}

function partLines({ criteria, directive, options, avoid, why }: PartAdvice): readonly string[] {
  return [
    `part ${criteria.map((it) => quoted(clipped(it, TEXT_CHARACTERS))).join(', ')}: ${directive}`,
    `  why: ${clipped(why, TEXT_CHARACTERS)}`,
    ...options.slice(0, LISTED_MAX).map((it) => `  choice ${it.rank}: ${wayText(it)}${figures(it)}`),
    ...avoid.slice(-LISTED_MAX).map((it) => `  refused: ${pairText(it)}`),
  ];
}

function wayText({ tool, target }: Option): string {
  const on =
    target === '' ? '' : ` on ${target === undefined ? 'another target' : quoted(clipped(target, TARGET_CHARACTERS))}`;
  return `${tool === undefined ? 'another tool' : `tool ${safeName(tool)}`}${on}`;
}

function pairText({ tool, target }: WorkPair): string {
  return `tool ${safeName(tool)} on ${quoted(clipped(target, TARGET_CHARACTERS))}`;
}

function figures({ chance, tokens }: Option): string {
  if (chance === undefined || tokens === undefined) return '';
  return ` (chance ${chance.toFixed(2)}, about ${Math.round(tokens / 1000)} k tokens)`;
}
