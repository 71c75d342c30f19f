/**
 * Finds what a result states and nothing shows: the deterministic part of honesty, for attempts, merged results and reports.
 *
 * A claim is shown when a tool's output or the task's own text contains it, in this or another spelling (separators, superfluous
 * zeros, fewer digits, a date in other words), and a figure is also shown if code can compute it from figures that are shown. Whether a
 * shown figure is used for the right thing is the validators' question.
 *
 * Source: artoo A.15 (Law 0: fabrication audit), C (one checker for all), D.
 */
import { claimsIn, isInferredAt, type Claim } from './claims.ts';
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
import { indexOf, isSupported, isVersion, keyOf, type Shown } from './shown-claims.ts';
import { daysIn, daysOfTwo, momentsIn } from './told-moments.ts';
import { aroundAt, isShownOtherwise } from './unit-shown.ts';
import { factorsOf } from './units.ts';

export interface Sources {
  /** Whole outputs of tools: a cut output no longer shows its middle. */
  readonly outputs: readonly string[];
  /** Written files, and targets of successful calls. */
  readonly places: readonly string[];
  /** The task in its own words, and the texts handed on to it. */
  readonly given: readonly string[];
  /** Texts that say what is compared, and show nothing. */
  readonly asked?: readonly string[];
  /** Names of the outputs in derivations, in their order; `t1`, `t2` where they are absent. */
  readonly names?: readonly string[];
  /** Arguments of successful calls. They show how the work was done, not what came of it. */
  readonly args?: readonly string[];
}

export interface UnsupportedClaim extends Pick<Claim, 'kind' | 'text' | 'start'> {
  /** The sentence that it stands in. */
  readonly sentence: string;
  /** Words next to it, where it is a number. */
  readonly beside?: readonly string[];
  /** A number with a unit of time. */
  readonly isDuration?: true;
  /** What of the sentence stands around it. */
  readonly part?: string;
  /** `15.9.` */
  readonly mayBeDay?: true;
  /** Where no reader takes it for a result: words of what it counts or names. */
  readonly about?: readonly string[];
  /** Of the first word of `about`. */
  readonly isVersion?: true;
}

export interface ClaimAccount {
  /** Stated as results, in the order of the text; each once, the first `UNSUPPORTED_MAX`. */
  readonly unsupported: readonly UnsupportedClaim[];
  /** Shown by nothing, and no results: counts of steps, names, parameters of a call, conclusions marked as such. */
  readonly remarks: readonly UnsupportedClaim[];
  /** How figures follow from shown ones: `12.4 = 37.2 / 3 (t2, t2)`. */
  readonly derivations: readonly string[];
  /** The sentences that state a shown figure as a result. */
  readonly shownIn: readonly string[];
  /** A version is told that is shown. */
  readonly hasShownVersion?: true;
}

/** Behind a claim in a delivered text; a claim that bears it shows nothing to whom it is handed on. */
export const UNSUPPORTED_MARK = ' [unsupported]';

/** Most reported claims. One is enough to reject; this many are enough to correct. */
export const UNSUPPORTED_MAX = 32;

/** Figures that code tries to make from others; a reply with more of them is a table, and its rows are in the outputs. */
const DERIVED_MAX = 64;

export function accountOf(output: string, sources: Sources): ClaimAccount {
  const shown = indexOf([...sources.outputs, ...sources.places, ...sources.given].join('\n'));
  const claims = claimsIn(output).toSorted((a, b) => a.start - b.start);
  const texts = textsOf(sources);
  const isClear = (it: Claim): boolean =>
    (shown.claims.has(keyOf(it)) || isSupported(it, shown)) &&
    !(it.kind === 'Number' && isOtherUnit(it, output, texts));
  const open = claims.filter((it) => !isClear(it)).map((it) => (it.kind === 'Date' ? (it.figure ?? it) : it));
  const results = open.filter((it): it is NumberClaim => it.kind === 'Number' && it.remark === undefined);
  const remarked = open.filter(
    (it): it is NumberClaim => it.kind === 'Number' && it.remark !== undefined && !isVersion(it),
  );
  const openAt = new Set(open.map(({ start }) => start));
  const supported = claims.flatMap((it) => (openAt.has(it.start) ? [] : figuresOf(it, shown)));
  const told = supported.filter((it) => it.remark === undefined);
  const derived = results.length === 0 ? new Map<Claim, string>() : derive(output, results, told, sources);
  const counted = remarked.length === 0 ? new Map<Claim, string>() : derive(output, remarked, told, sources);
  const left = open.filter((it) => !derived.has(it) && !counted.has(it));
  const sentences = sentencesOf(output);
  const args = indexOf((sources.args ?? []).join('\n'));
  const isRemark = (it: Claim): boolean =>
    aboutOf(it) !== undefined || isInferredAt(output, it.start) || isSupported(it, args);
  return {
    unsupported: distinctClaims(
      output,
      left.filter((it) => !isRemark(it)),
    ),
    remarks: distinctClaims(
      output,
      left.filter((it) => isRemark(it) && !(isVersion(it) && isSupported(it, args))),
    ),
    derivations: [...new Set(derived.values())],
    shownIn: [...told, ...derived.keys()].map((it) => sentenceAt(sentences, it.start).text),
    ...(claims.some((it) => isVersion(it) && !openAt.has(it.start)) ? { hasShownVersion: true } : {}),
  };
}

/** A day that is shown as a figure only is one. */
function figuresOf(claim: Claim, shown: Shown): readonly NumberClaim[] {
  if (claim.kind === 'Number') return [claim];
  const figure = claim.kind === 'Date' ? claim.figure : undefined;
  return figure !== undefined && isSupported(figure, shown) ? [figure] : [];
}

function textsOf({ outputs, given }: Sources): readonly string[] {
  return [...outputs, ...given];
}

function materialOf({
  outputs,
  given,
  names,
  asked = [],
}: Sources): Pick<Material, 'sources' | 'given' | 'times' | 'asked'> {
  return {
    sources: outputs.map((text, at) => sourceOf(text, names?.[at] ?? `t${at + 1}`)),
    given: given.flatMap((text) => figuresIn(text, 'task')),
    times: momentsIn(outputs.join('\n')),
    asked: [...given, ...asked].join('\n'),
  };
}

/** Twelve miles show no twelve kilometres. */
function isOtherUnit(claim: NumberClaim, output: string, texts: readonly string[]): boolean {
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

/** Words of what a claim counts, marks or is the version of, where no reader takes it for a result. */
function aboutOf(claim: Claim): readonly string[] | undefined {
  if (claim.kind === 'Number') return claim.remark?.words;
  return claim.kind === 'Identifier' || claim.kind === 'Time' ? claim.about : undefined;
}

function distinctClaims(output: string, claims: readonly Claim[]): readonly UnsupportedClaim[] {
  const sentences = sentencesOf(output);
  const distinct = [...new Map(claims.toReversed().map((it) => [keyOf(it), it])).values()].toReversed();
  return distinct.slice(0, UNSUPPORTED_MAX).map((claim) => {
    const { kind, start } = claim;
    const sentence = clauseAt(sentenceAt(sentences, start), start).trim();
    const about = aboutOf(claim);
    const text = output.slice(start, start + claim.text.length);
    const beside = claim.kind === 'Number' ? besideIn(output, claim) : [];
    const isDuration = claim.kind === 'Number' && claim.unit?.dimension === 'time';
    const mayBeDay = /^\d{1,2}\.\d{1,2}$/.test(text) && output[start + text.length] === '.';
    return {
      kind,
      text,
      start,
      sentence,
      beside,
      ...(isDuration
        ? ({ isDuration: true, part: partAt(sentence, Math.max(0, sentence.indexOf(text))) } as const)
        : {}),
      ...(mayBeDay ? ({ mayBeDay: true } as const) : {}),
      ...(about === undefined ? {} : { about }),
      ...(isVersion(claim) ? ({ isVersion: true } as const) : {}),
    };
  });
}

function sentenceAt(sentences: readonly Sentence[], start: number): Sentence {
  return sentences.findLast((it) => it.start <= start) ?? { start: 0, text: '' };
}

/** The words before and after a number: `week 31`, `19 orders`. */
function besideIn(output: string, { start, text }: Claim): readonly string[] {
  const before = /(\p{L}+)[\s:=*_#-]*$/u.exec(output.slice(0, start))?.[1] ?? '';
  const after = /^[\s%*_-]*(\p{L}+)/u.exec(output.slice(start + text.length))?.[1] ?? '';
  return [...contentWords(`${before} ${after}`)];
}

/** A semicolon separates what is told of different things. */
function clauseAt({ start, text }: Sentence, place: number): string {
  const from = text.lastIndexOf(';', place - start) + 1;
  const to = text.indexOf(';', place - start);
  return text.slice(from, to < 0 ? undefined : to);
}

/** Between commas, colons, brackets and dashes. */
const PART_ENDS = /,(?!\d)|(?<!\d),|[;:()–—]/gu;

function partAt(text: string, place: number): string {
  const ends = [...text.matchAll(PART_ENDS)].map((it) => it.index);
  return text.slice(
    (ends.findLast((it) => it < place) ?? -1) + 1,
    ends.find((it) => it >= place),
  );
}

/** Twice in their order: a figure may follow from one that is derived later in the text. */
function derive(
  output: string,
  results: readonly NumberClaim[],
  supported: readonly NumberClaim[],
  sources: Sources,
): ReadonlyMap<Claim, string> {
  const material = materialOf(sources);
  const outputDays = daysIn(withCellsApart(withAsciiDigits(sources.outputs.join('\n'))));
  const sentences = sentencesOf(output);
  const derived = new Map<Claim, string>();
  for (const claim of [...results.slice(0, DERIVED_MAX), ...results.slice(0, DERIVED_MAX)]) {
    if (derived.has(claim)) continue;
    const told = [...supported, ...results.filter((it) => derived.has(it))];
    const sentence = sentenceAt(sentences, claim.start);
    const near = daysIn(sentence.text).filter((it) => outputDays.includes(it));
    const compared = near.length > 1 ? near : daysOfTwo(sources.outputs, `${sentence.text} ${material.asked}`);
    const operands = { ...operandsOf(claim, sentence, told), days: compared.length > 1 ? compared : outputDays };
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

/**
 * What a text states as a result and none of the other texts states, in its own words and order, each once. No figure is computed
 * from others.
 */
export function statedBeside(text: string, others: readonly string[]): readonly string[] {
  const stated = indexOf(others.map(withoutMarked).join('\n'));
  const open = claimsIn(text)
    .toSorted((a, b) => a.start - b.start)
    .filter((it) => it.kind !== 'Number' || it.remark === undefined)
    .filter((it) => !stated.claims.has(keyOf(it)) && !isSupported(it, stated));
  const words = open.map((it) => [keyOf(it), text.slice(it.start, it.start + it.text.length)] as const);
  return [...new Map(words.toReversed()).values()].toReversed();
}

/** The sources of a subtask's output: its calls with a result, and its given texts. */
export function sourcesOf(
  calls: readonly {
    readonly status: string;
    readonly output: string;
    readonly callId?: string;
    readonly input?: string;
    readonly target?: string;
    readonly files: readonly { readonly path: string }[];
  }[],
  given: readonly string[],
): Sources {
  const isOk = (it: { readonly status: string }): boolean => it.status === 'Ok';
  const ran = calls.filter((it) => it.status !== 'Unrun');
  return {
    outputs: ran.map((it) => it.output),
    names: ran.map((it, at) => /[^-]*$/.exec(it.callId ?? '')?.[0] || `t${at + 1}`),
    args: calls.filter(isOk).map((it) => it.input ?? ''),
    places: calls.filter(isOk).flatMap((it) => [it.target ?? '', ...it.files.map(({ path }) => path)]),
    given: given.map(withoutMarked),
  };
}

/** With all words of a date, and all groups of a number. */
const MARKED =
  /(?:\d{1,2}\.?\s\p{L}+\.?,?\s\d{4}|\p{L}+\s\d{1,2},?\s\d{4}|\d[\d.,'’\u00a0\u202f ]*|\S+) \[unsupported\]/gu;

function withoutMarked(text: string): string {
  return text.replaceAll(MARKED, '');
}
