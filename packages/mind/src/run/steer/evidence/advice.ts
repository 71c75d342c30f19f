/**
 * How to go on with one part by what its tries make probable: the options by chance per token, each with its numbers.
 *
 * Source: design 5 (steering by evidence, formulas 3 and 4)
 */
import type { PartAdvice } from '@retainer/contract/wire/bus/payloads';
import type { Part, RunHistory } from '../parts.ts';
import { directiveTo, failureSentence, untriedSentence, wayName, type PartDirective } from '../part-rules.ts';
import { failedPairs, isPair, refusable, trialsOf, type Trial } from '../trials.ts';
import { believe, type Belief, type Known, type Option } from './belief.ts';

/** What a run of this part takes, from the run's own past. */
export interface Prices {
  /** Tokens of a new plan, for each open part. */
  readonly planShare: number;
  /** Tokens of one attempt and its judgement. */
  readonly attempt: number;
}

export interface Terms {
  readonly prices: Prices;
  /** Options this much worse than the best count as equally good, 0 to 1. */
  readonly tolerance: number;
  /** Attempts of one round. */
  readonly attemptsMax: number;
  readonly toolsCount: number;
  /** The task in the people's words. */
  readonly given: string;
}

export interface Scored extends Option {
  readonly tokens: number;
  /** Chance per token. */
  readonly score: number;
}

/** Best first. */
export function scored({ options }: Belief, { planShare, attempt }: Prices): readonly Scored[] {
  return options
    .map((it) => {
      const tokens = planShare + it.attempts * attempt;
      return { ...it, tokens, score: it.chance / Math.max(1, tokens) };
    })
    .toSorted((a, b) => b.score - a.score);
}

export function knownOf(part: Part, { advised }: RunHistory, { toolsCount }: Terms): Known {
  const trials = trialsOf(part);
  const passedOver = advised.flatMap(({ round, parts }) => {
    const told = parts.find((it) => it.criteria.join('\n') === part.criteria.join('\n'));
    const next = part.steps.find((it) => it.round > round);
    return told === undefined || next === undefined ? [] : passedOverBy(told, trialsOf({ ...part, steps: [next] }));
  });
  return {
    trials,
    toolsCount,
    isEveryToolTried: passedOver.some((it) => it.tool === undefined && it.target !== undefined),
    isEveryTargetTried: passedOver.some((it) => it.target === undefined && it.tool !== undefined),
  };
}

/** Options of a better rank than the one that was followed: there was nothing of the kind. */
function passedOverBy({ options }: PartAdvice, [first]: readonly Trial[]): PartAdvice['options'] {
  if (first === undefined) return [];
  const isNew = (name: 'tool' | 'target'): boolean => !options.some((it) => it[name] === first[name]);
  const fits = (it: PartAdvice['options'][number], name: 'tool' | 'target'): boolean =>
    it[name] === undefined ? isNew(name) : it[name] === first[name];
  const followed = options.find((it) => fits(it, 'tool') && fits(it, 'target'));
  return followed === undefined ? [] : options.filter((it) => it.rank < followed.rank);
}

export function adviseByEvidence(part: Part, history: RunHistory, terms: Terms): PartAdvice {
  const known = knownOf(part, history, terms);
  const { trials } = known;
  const last = trials.at(-1);
  const belief = believe(known, terms.attemptsMax);
  const options = ranked(scored(belief, terms.prices), terms.tolerance);
  const [best] = options;
  const { criteria } = part;
  if (last === undefined || best === undefined)
    return { criteria: [...criteria], directive: 'Retry', options: [], avoid: [], why: untriedSentence(part) };
  const kept = last.isPartly ? options.filter((it) => it.tool === last.tool && it.target === last.target) : options;
  return {
    criteria: [...criteria],
    directive: last.isPartly ? 'Refine' : directiveOf(last, options),
    options: kept.map(({ rank, tool, target, chance, tokens }) => ({
      rank: last.isPartly ? 1 : rank,
      ...(tool === undefined ? {} : { tool }),
      ...(target === undefined ? {} : { target }),
      chance: rounded(chance),
      tokens: Math.round(tokens),
    })),
    avoid: refusable(hopeless(trials, options), part, terms.given),
    why: sentence(part, last, belief, best),
  };
}

interface Ranked extends Scored {
  readonly rank: number;
}

/** Each rank begins with the best that is left, and takes all that is nearly as good. */
function ranked(options: readonly Scored[], tolerance: number): readonly Ranked[] {
  let rank = 0;
  let best = Infinity;
  return options.map((option) => {
    if (option.score < tolerance * best) {
      rank += 1;
      best = option.score;
    }
    return { ...option, rank };
  });
}

/** The same again wherever it is as good as anything. */
function directiveOf(last: Trial, options: readonly Ranked[]): PartDirective {
  const directives = options.filter((it) => it.rank === 1).map((it) => directiveTo(last, it));
  return directives.find((it) => it === 'Retry') ?? directives[0] ?? 'BreakSymmetry';
}

/** Pairs that failed by themselves and are not of the first rank. */
function hopeless(trials: readonly Trial[], options: readonly Ranked[]): ReturnType<typeof failedPairs> {
  const first = options.flatMap(({ rank, tool, target }) =>
    rank === 1 && tool !== undefined && target !== undefined ? [{ tool, target }] : [],
  );
  return failedPairs(trials).filter((it) => !first.some((other) => isPair(it, other)));
}

function sentence(part: Part, last: Trial, { noTool, noTarget, odd }: Belief, best: Scored): string {
  return (
    `${failureSentence(part, last)}; cannot be done ${rounded(noTool + noTarget)}, no pattern ${rounded(odd)}. ` +
    `Next: ${wayName(best)}, chance ${rounded(best.chance)} for ${Math.round(best.tokens)} tokens.`
  );
}

const HUNDREDTHS = 100;

/** For people, and for a record of few digits. */
export function rounded(value: number): number {
  return Math.round(value * HUNDREDTHS) / HUNDREDTHS;
}
