/**
 * Finds what a result states and nothing shows: the deterministic part of honesty, for attempts, merged results and reports.
 *
 * A claim is shown when a tool's output or the task's own text contains it, in this or another spelling (separators, superfluous
 * zeros, fewer digits, a date in other words), and a figure also when code can make it from figures that are shown. Whether a shown
 * figure is used for the right thing is the validators' question.
 *
 * Source: artoo A.15 (Law 0: fabrication audit), C (one checker for all), D.
 */
import { claimsIn, isInferredAt, type Claim } from './claims.ts';
import { contentWords, sentencesOf, type Sentence } from './content-words.ts';
import { datesIn, isShownDay } from './date-reading.ts';
import { derivationOf, type Material, type Target } from './derivation.ts';
import { figuresIn, sourceOf, type Figure } from './evidence-figures.ts';
import type { NumberClaim } from './number-claims.ts';
import { aboutSlack, roundingSlack, withAsciiDigits, type NumberReading } from './number-reading.ts';
import { holdsApart, isNumberShown, shownNumbers, type ShownNumbers } from './shown-spellings.ts';
import { timesIn } from './time-reading.ts';
import { factorsOf, unitIn } from './units.ts';

export interface Sources {
  /** Whole outputs of tools: a cut output no longer shows its middle. */
  readonly outputs: readonly string[];
  /** Written files, and targets of successful calls. */
  readonly places: readonly string[];
  /** The task in its own words, and the texts handed on to it. */
  readonly given: readonly string[];
  /** Names of the outputs in derivations, in their order; `t1`, `t2` where they are absent. */
  readonly names?: readonly string[];
  /** Arguments of successful calls. They show how the work was done, not what came of it. */
  readonly args?: readonly string[];
}

export interface UnsupportedClaim extends Pick<Claim, 'kind' | 'text' | 'start'> {
  /** The sentence that it stands in. */
  readonly sentence: string;
  /** Where no reader takes it for a result: words of what it counts or names. */
  readonly about?: readonly string[];
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
}

/** Behind a claim in a delivered text; a claim that bears it shows nothing to whom it is handed on. */
export const UNSUPPORTED_MARK = ' [unsupported]';

/** Most reported claims. One is enough to reject; this many are enough to correct. */
export const UNSUPPORTED_MAX = 32;

/** Figures that code tries to make from others; a reply with more of them is a table, and its rows are in the outputs. */
const DERIVED_MAX = 64;

export function unsupportedClaims(output: string, sources: Sources): readonly UnsupportedClaim[] {
  return accountOf(output, sources).unsupported;
}

export function accountOf(output: string, sources: Sources): ClaimAccount {
  const shown = indexOf([...sources.outputs, ...sources.places, ...sources.given].join('\n'));
  const claims = claimsIn(output).toSorted((a, b) => a.start - b.start);
  const isClear = (it: Claim): boolean => shown.claims.has(keyOf(it)) || isSupported(it, shown);
  const open = claims.filter((it) => !isClear(it));
  const results = open.filter((it): it is NumberClaim => it.kind === 'Number' && it.aside === undefined);
  const supported = claims.filter((it): it is NumberClaim => it.kind === 'Number' && !open.includes(it));
  const told = supported.filter((it) => it.aside === undefined);
  const derived = results.length === 0 ? new Map<Claim, string>() : derive(output, results, told, sources);
  const left = open.filter((it) => !derived.has(it));
  const sentences = sentencesOf(output);
  const args = indexOf((sources.args ?? []).join('\n'));
  const isRemark = (it: Claim): boolean =>
    (it.kind === 'Number' && it.aside !== undefined) || isInferredAt(output, it.start) || isSupported(it, args);
  return {
    unsupported: distinctClaims(
      output,
      left.filter((it) => !isRemark(it)),
    ),
    remarks: distinctClaims(output, left.filter(isRemark)),
    derivations: [...new Set(derived.values())],
    shownIn: [...told, ...derived.keys()].map((it) => sentenceAt(sentences, it.start).text),
  };
}

function distinctClaims(output: string, claims: readonly Claim[]): readonly UnsupportedClaim[] {
  const sentences = sentencesOf(output);
  const distinct = [...new Map(claims.toReversed().map((it) => [keyOf(it), it])).values()].toReversed();
  return distinct.slice(0, UNSUPPORTED_MAX).map((claim) => {
    const { kind, start } = claim;
    const sentence = sentenceAt(sentences, start).text.trim();
    const about = claim.kind === 'Number' ? claim.aside?.words : undefined;
    const text = output.slice(start, start + claim.text.length);
    return { kind, text, start, sentence, ...(about === undefined ? {} : { about }) };
  });
}

function sentenceAt(sentences: readonly Sentence[], start: number): Sentence {
  return sentences.findLast((it) => it.start <= start) ?? { start: 0, text: '' };
}

/** Twice in their order: a figure may follow from one that is derived later in the text. */
function derive(
  output: string,
  results: readonly NumberClaim[],
  supported: readonly NumberClaim[],
  sources: Sources,
): ReadonlyMap<Claim, string> {
  const material = {
    sources: sources.outputs.map((text, at) => sourceOf(text, sources.names?.[at] ?? `t${at + 1}`)),
    given: sources.given.flatMap((text) => figuresIn(text, 'task')),
  };
  const sentences = sentencesOf(output);
  const derived = new Map<Claim, string>();
  for (const claim of [...results.slice(0, DERIVED_MAX), ...results.slice(0, DERIVED_MAX)]) {
    if (derived.has(claim)) continue;
    const told = [...supported, ...results.filter((it) => derived.has(it))];
    const sentence = sentenceAt(sentences, claim.start);
    const found = derivation(claim, { ...material, ...operandsOf(claim, sentence, told) });
    if (found !== undefined) derived.set(claim, found);
  }
  return derived;
}

function operandsOf(
  claim: NumberClaim,
  { start, text }: Sentence,
  told: readonly NumberClaim[],
): Pick<Material, 'sentence' | 'reply' | 'said' | 'words'> {
  const near = told.filter((it) => it.start >= start && it.start < start + text.length);
  const byDistance = near.toSorted((a, b) => Math.abs(a.start - claim.start) - Math.abs(b.start - claim.start));
  // A semicolon separates what was computed in different ways.
  const from = text.lastIndexOf(';', claim.start - start) + 1;
  const to = text.indexOf(';', claim.start - start);
  const said = text.slice(from, to < 0 ? undefined : to);
  return { sentence: byDistance.map(figureOf), reply: told.map(figureOf), said, words: contentWords(text) };
}

function figureOf(claim: NumberClaim): Figure {
  const { readings, scale, isNegative, isPercent, text, after } = claim;
  const value = Number(readings[0]?.value ?? Number.NaN) * 10 ** scale * (isNegative ? -1 : 1);
  return { value, text, from: 'reply', isPercent, dimension: unitIn(after)?.dimension };
}

function derivation(claim: NumberClaim, material: Material): string | undefined {
  for (const reading of claim.readings) {
    const found = derivationOf(targetOf(claim, reading), material);
    if (found !== undefined) return found;
  }
  return undefined;
}

function targetOf({ scale, isPercent, isNegative, text, after, isAbout }: NumberClaim, reading: NumberReading): Target {
  const value = Number(reading.value) * 10 ** scale;
  const slack = (isAbout ? aboutSlack(reading, 1) : (roundingSlack(reading) ?? 0)) * 10 ** scale;
  const unit = unitIn(after);
  const isRatio = !isPercent && unit === undefined && value < 1;
  const factors = [
    1,
    ...(isPercent ? [0.01] : []),
    ...(isRatio ? [100] : []),
    ...(unit === undefined ? [] : factorsOf(unit)),
  ];
  return {
    text: `${text}${isPercent ? '%' : ''}`,
    forms: factors.map((by) => ({ value: value * by, slack: slack * by, by })),
    isPercent,
    isNegative,
    isCount: reading.decimals === 0 && /^\s\p{L}{3,}/u.test(after),
    dimension: unit?.dimension,
  };
}

/** Equal for claims that say the same with the same characters. */
function keyOf(claim: Claim): string {
  if (claim.kind !== 'Number') return claim.text;
  return `${claim.isNegative ? '-' : ''}${claim.text}${claim.isPercent ? '%' : ''}·${claim.scale}`;
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

interface Shown {
  /** In lower case. */
  readonly text: string;
  /** Its own claims, word for word: these need no search. */
  readonly claims: ReadonlySet<string>;
  readonly days: ReadonlySet<string>;
  /** Minutes since midnight. */
  readonly minutes: ReadonlySet<number>;
  readonly numbers: ShownNumbers;
}

function indexOf(source: string): Shown {
  const text = withAsciiDigits(source);
  return {
    text: text.toLowerCase(),
    claims: new Set(claimsIn(source).map(keyOf)),
    days: new Set(datesIn(text).flatMap((it) => it.days)),
    minutes: new Set(timesIn(text).map((it) => it.minute)),
    numbers: shownNumbers(text),
  };
}

function isSupported(claim: Claim, shown: Shown): boolean {
  switch (claim.kind) {
    case 'Url':
      return holds(shown, claim.text.replace(/\/$/, ''), /[\p{L}\p{N}_.-]/u, /[\p{L}\p{N}_%=&-]/u);
    case 'Path':
      return holds(
        shown,
        claim.text.replace(/^\/workspace\/|^\.\//, '').replace(/\/$/, ''),
        /[\p{L}\p{N}_@+-]/u,
        /[\p{L}\p{N}_@+-]/u,
      );
    case 'Identifier':
      return holds(shown, claim.text.replace(/^v(?=\d)/, ''), /[\p{Script=Latin}\p{N}_]/u, /[\p{Script=Latin}\p{N}_]/u);
    case 'Time':
      return shown.minutes.has(claim.minute) || holds(shown, claim.text, /\d/, /\d/);
    case 'Date':
      return claim.days.some((day) => isShownDay(day, shown.days));
    case 'Number':
      return isNumberShown(claim, shown.numbers, (reading) =>
        claim.isAbout ? aboutSlack(reading, shown.numbers.sorted.length) : roundingSlack(reading),
      );
  }
}

function holds({ text }: Shown, wanted: string, before: RegExp, behind: RegExp): boolean {
  return holdsApart(text, wanted.toLowerCase(), before, behind);
}
