/**
 * Finds what a result states and nothing shows: the deterministic part of honesty, for attempts, merged results and reports.
 *
 * A claim is shown when a tool's output or the task's own text contains it, in this or another spelling (separators, superfluous
 * zeros, fewer digits, a date in other words), and a figure is also shown if code can compute it from figures that are shown. Whether a
 * shown figure is used for the right thing is the validators' question.
 *
 * Source: artoo A.15 (Law 0: fabrication audit), C (one checker for all), D.
 */
import { textsOf, withoutMarked, type Sources } from './claim-sources.ts';
import { claimsIn, isInferredAt, type Claim } from './claims.ts';
import { sentencesOf } from './content-words.ts';
import { derive, isOtherUnit } from './derived-claims.ts';
import { isNextVersion } from './next-version.ts';
import type { NumberClaim } from './number-claims.ts';
import { besideIn, clauseAt, partAt, sentenceAt } from './sentence-parts.ts';
import { indexOf, isSupported, isVersion, keyOf, type Shown } from './shown-claims.ts';

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

export function accountOf(output: string, sources: Sources): ClaimAccount {
  const shown = indexOf([...sources.outputs, ...sources.places, ...sources.given].join('\n'));
  const claims = claimsIn(output).toSorted((a, b) => a.start - b.start);
  const texts = textsOf(sources);
  const isNext = (it: Claim): boolean =>
    it.kind === 'Identifier' && isNextVersion(it.text, sentenceAt(sentencesOf(output), it.start).text, texts);
  const isClear = (it: Claim): boolean =>
    (shown.claims.has(keyOf(it)) || isSupported(it, shown) || isNext(it)) &&
    !(it.kind === 'Number' && isOtherUnit(it, output, texts));
  const open = claims.filter((it) => !isClear(it)).map((it) => (it.kind === 'Date' ? (it.figure ?? it) : it));
  const results = open.filter((it): it is NumberClaim => it.kind === 'Number' && it.remark === undefined);
  const remarked = open.filter(
    (it): it is NumberClaim => it.kind === 'Number' && it.remark !== undefined && !isVersion(it),
  );
  const openAt = new Set(open.map(({ start }) => start));
  const supported = claims.flatMap((it) => (openAt.has(it.start) ? [] : figuresOf(it, shown)));
  const told = supported.filter((it) => it.remark === undefined);
  const derived = results.length === 0 ? new Map<Claim, string>() : derive(output, results, supported, sources);
  const counted = remarked.length === 0 ? new Map<Claim, string>() : derive(output, remarked, supported, sources);
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
