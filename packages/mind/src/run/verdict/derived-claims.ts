/** Which claims code can compute from what is shown, and how. */
import { textsOf, type Sources } from './claim-sources.ts';
import type { Claim } from './claims.ts';
import { contentWords, sentencesOf, type Sentence } from './content-words.ts';
import { withCellsApart } from './date-reading.ts';
import { derivationOf, type Material, type Target } from './derivation.ts';
import { figuresIn, sourceOf, type Figure } from './evidence-figures.ts';
import type { NumberClaim } from './number-claims.ts';
import {
  aboutSlack,
  NUMBER,
  readingsOf,
  roundingSlack,
  withAsciiDigits,
  type NumberReading,
} from './number-reading.ts';
import { clauseAt, partAt, sentenceAt } from './sentence-parts.ts';
import { daysIn, daysOfTwo, momentsIn } from './told-moments.ts';
import { aroundAt, isShownOtherwise } from './unit-shown.ts';
import { factorsOf } from './units.ts';

/** Figures that code tries to make from others; a reply with more of them is a table, and its rows are in the outputs. */
const DERIVED_MAX = 64;

/** Twice in their order: a figure may follow from one that is derived later in the text. */
export function derive(
  output: string,
  results: readonly NumberClaim[],
  shownOnes: readonly NumberClaim[],
  sources: Sources,
): ReadonlyMap<Claim, string> {
  const material = materialOf(sources);
  const outputDays = daysIn(withCellsApart(withAsciiDigits(sources.outputs.join('\n'))));
  const sentences = sentencesOf(output);
  const supported = shownOnes.filter((it) => it.remark === undefined);
  const labels = shownOnes.filter((it) => it.remark?.reads === 'Label');
  const derived = new Map<Claim, string>();
  for (const claim of [...results.slice(0, DERIVED_MAX), ...results.slice(0, DERIVED_MAX)]) {
    if (derived.has(claim)) continue;
    const told = [...supported, ...results.filter((it) => derived.has(it))];
    const sentence = sentenceAt(sentences, claim.start);
    const near = daysIn(sentence.text).filter((it) => outputDays.includes(it));
    const compared = near.length > 1 ? near : daysOfTwo(sources.outputs, `${sentence.text} ${material.asked}`);
    const marks = labels.filter((it) => sentenceAt(sentences, it.start) === sentence).map((it) => figureOf(it).value);
    const operands = { ...operandsOf(claim, sentence, told), marks, days: compared.length > 1 ? compared : outputDays };
    const isOther = isOtherUnit(claim, output, textsOf(sources));
    const shown = isOther ? materialOf(withoutNumber(sources, claim)) : material;
    const found = derivation(claim, { ...shown, ...operands });
    if (found !== undefined) derived.set(claim, found);
  }
  return derived;
}

function operandsOf(
  claim: NumberClaim,
  { start, text }: Sentence,
  told: readonly NumberClaim[],
): Pick<Material, 'sentence' | 'reply' | 'said' | 'clause' | 'words'> {
  const near = told.filter((it) => it.start >= start && it.start < start + text.length);
  const byDistance = near.toSorted((a, b) => Math.abs(a.start - claim.start) - Math.abs(b.start - claim.start));
  const said = clauseAt({ start, text }, claim.start);
  const figures = { sentence: byDistance.map(figureOf), reply: told.map(figureOf) };
  return { ...figures, said, clause: partAt(text, claim.start - start), words: contentWords(text) };
}

function figureOf(claim: NumberClaim): Figure {
  const { readings, scale, isNegative, isPercent, text, unit } = claim;
  const value = Number(readings[0]?.value ?? Number.NaN) * 10 ** scale * (isNegative ? -1 : 1);
  return { value, text, from: 'reply', isPercent, unit };
}

function derivation(claim: NumberClaim, material: Material): string | undefined {
  for (const reading of claim.readings) {
    const found = derivationOf(targetOf(claim, reading), material);
    if (found !== undefined) return found;
  }
  return undefined;
}

function targetOf(
  { scale, isPercent, isNegative, isCount, isFactor, text, unit, isAbout, per }: NumberClaim,
  reading: NumberReading,
): Target {
  const value = Number(reading.value) * 10 ** scale;
  const slack = (isAbout ? aboutSlack(reading, 1) : (roundingSlack(reading) ?? 0)) * 10 ** scale;
  const isRatio = !isPercent && unit === undefined && value < 1;
  const factors = [
    1,
    ...(isPercent ? [0.01] : []),
    ...(isRatio ? [100] : []),
    ...(unit === undefined ? [] : factorsOf(unit)),
  ];
  return {
    text: `${text}${isPercent ? '%' : ''}`,
    forms: factors.map((factor) => factor / per).map((by) => ({ value: value * by, slack: slack * by, by })),
    isPercent,
    isNegative,
    isCount,
    isFactor,
    unit,
  };
}

function materialOf({
  outputs,
  given,
  names,
  asked = [],
  written = [],
}: Sources): Pick<Material, 'sources' | 'given' | 'times' | 'asked' | 'written'> {
  return {
    sources: outputs.map((text, at) => sourceOf(text, names?.[at] ?? `t${at + 1}`)),
    given: given.flatMap((text) => figuresIn(text, 'task')),
    times: momentsIn(outputs.join('\n')),
    asked: [...given, ...asked].join('\n'),
    written,
  };
}

/** Twelve miles show no twelve kilometres. */
export function isOtherUnit(claim: NumberClaim, output: string, texts: readonly string[]): boolean {
  return isShownOtherwise(claim, aroundAt(output, claim.start, claim.start + claim.text.length), texts);
}

/** What is shown in another unit makes nothing of its own number. */
function withoutNumber(sources: Sources, claim: NumberClaim): Sources {
  const values = new Set(claim.readings.map((it) => it.value));
  const blank = (digits: string): string =>
    readingsOf(digits).some((it) => values.has(it.value)) ? ' '.repeat(digits.length) : digits;
  const without = (text: string): string => withAsciiDigits(text).replaceAll(NUMBER, blank);
  return { ...sources, outputs: sources.outputs.map(without), given: sources.given.map(without) };
}
