/**
 * What the tries at one part make probable: which tools are able, which targets hold what is sought, which tools fail by chance,
 * and whether the part can be done at all.
 *
 * I1  A function of the trials alone. It adds, multiplies and divides, so every machine comes to the same bits.
 *
 * Source: design 5 (a fault model of tools by targets, with noisy tests)
 */
import type { WorkPair } from '@retainer/contract/wire/bus/payloads';
import { distinct } from '../blocked.ts';
import type { Symptom, Trial } from '../trials.ts';
import {
  ABLE,
  CANNOT,
  FALSELY_RIGHT,
  FIRST_ABLE,
  FIRST_HOLDS,
  FLAKES_OFTEN,
  FLAKES_SELDOM,
  FLAKY,
  HOLDS,
  MISLEADS,
  MISSES,
  ODD,
  ODD_WORKS,
  TARGETS_MAX,
  TOOLS_MAX,
  WEIGHED_TOOLS_MAX,
} from './priors.ts';

export interface Known {
  readonly trials: readonly Trial[];
  /** Rounds of a pair that are only thought of: they failed, and nobody knows how. */
  readonly imagined?: readonly WorkPair[];
  /** Tools that the run has. */
  readonly toolsCount: number;
  /** The planner was asked for a tool, or a target, that was not tried, and had none. */
  readonly isEveryToolTried: boolean;
  readonly isEveryTargetTried: boolean;
}

/** What one pair showed. The same answer twice is one piece of evidence. */
interface Shown {
  readonly imagined: number;
  readonly timeOuts: number;
  readonly answers: number;
  readonly symptoms: readonly Exclude<Symptom, 'TimedOut'>[];
}

/** One combination of able and flaky tools, and its share of the belief. */
interface World {
  readonly able: readonly boolean[];
  readonly flaky: readonly boolean[];
  /** Probability of able and of flaky tools before any trial. */
  readonly prior: number;
}

export interface Option {
  /** Absent: one that was not tried. */
  readonly tool?: string;
  readonly target?: string;
  /** That a round of up to so many attempts shows the part. */
  readonly chance: number;
  /** Expected attempts of the round. */
  readonly attempts: number;
}

export interface Belief {
  /** All tools and targets that were tried, and one untried of each, if there is one. */
  readonly options: readonly Option[];
  readonly noTool: number;
  readonly noTarget: number;
  readonly odd: number;
}

/** @param attemptsMax  of one round */
export function believe(known: Known, attemptsMax: number): Belief {
  const scene = sceneOf(known, attemptsMax);
  const totals = { factored: 0, noTool: 0, noTarget: 0, odd: 0 };
  const sums = waysOf(scene).map((way) => ({ way, chance: 0, attempts: 0 }));
  for (const world of worldsOf(scene.tools)) {
    const weights = weigh(scene, world);
    const all = weights.factored + weights.noTool + weights.noTarget + weights.odd;
    totals.factored += weights.factored;
    totals.noTool += weights.noTool;
    totals.noTarget += weights.noTarget;
    totals.odd += weights.odd;
    for (const sum of sums) {
      const works = worksIn(scene, world, weights, sum.way);
      for (const { share, rate } of flakeRates(world, sum.way)) {
        sum.chance += share * works * (1 - power(rate, attemptsMax));
        sum.attempts += share * all * expectedAttempts(rate, attemptsMax);
      }
    }
  }
  const total = totals.factored + totals.noTool + totals.noTarget + totals.odd;
  return {
    options: sums.map(({ way, chance, attempts }) => ({
      ...(way.tool === undefined ? {} : { tool: scene.tools[way.tool] ?? '' }),
      ...(way.target === undefined ? {} : { target: scene.targets[way.target] ?? '' }),
      chance: chance / total,
      attempts: attempts / total,
    })),
    noTool: totals.noTool / total,
    noTarget: totals.noTarget / total,
    odd: totals.odd / total,
  };
}

/** The trials by tool and target. */
interface Scene {
  readonly tools: readonly string[];
  readonly targets: readonly string[];
  /** By tool, then by target; undefined: not tried. */
  readonly shown: readonly (readonly (Shown | undefined)[])[];
  /** Tools and targets that are thought to be there besides. */
  readonly otherTools: number;
  readonly otherTargets: number;
  readonly attemptsMax: number;
}

function sceneOf(known: Known, attemptsMax: number): Scene {
  const { trials, imagined = [], toolsCount, isEveryToolTried, isEveryTargetTried } = known;
  const pairs = [...trials, ...imagined];
  const allTools = distinct(pairs.map((it) => it.tool));
  const newest = new Set(distinct(pairs.map((it) => it.tool).toReversed()).slice(0, WEIGHED_TOOLS_MAX));
  const tools = allTools.filter((it) => newest.has(it));
  const targets = distinct(pairs.map((it) => it.target));
  const shown = tools.map((tool) => targets.map((target) => shownBy(known, tool, target)));
  const thought = Math.min(Math.max(toolsCount, 1), TOOLS_MAX);
  return {
    tools,
    targets,
    shown,
    otherTools: isEveryToolTried ? 0 : Math.max(thought, Math.min(toolsCount, allTools.length + 1)) - allTools.length,
    otherTargets: isEveryTargetTried ? 0 : Math.max(TARGETS_MAX, targets.length + 1) - targets.length,
    attemptsMax,
  };
}

function shownBy({ trials, imagined = [] }: Known, tool: string, target: string): Shown | undefined {
  const isOwn = (it: WorkPair): boolean => it.tool === tool && it.target === target;
  const own = trials.filter((it) => !it.isPartly && isOwn(it));
  const thought = imagined.filter(isOwn).length;
  if (own.length === 0 && thought === 0) return undefined;
  const answered = own.flatMap(({ symptom }) => (symptom === 'TimedOut' ? [] : [symptom]));
  return {
    imagined: thought,
    timeOuts: own.length - answered.length,
    answers: answered.length,
    symptoms: [...new Set(answered)],
  };
}

/** Every choice of able and flaky tools. */
function worldsOf(tools: readonly string[]): readonly World[] {
  let worlds: readonly World[] = [{ able: [], flaky: [], prior: 1 }];
  for (const [at] of tools.entries()) {
    const able = ableBefore(at);
    worlds = worlds.flatMap((world) =>
      [true, false].flatMap((isAble) =>
        [true, false].map((isFlaky) => ({
          able: [...world.able, isAble],
          flaky: [...world.flaky, isFlaky],
          prior: world.prior * (isAble ? able : 1 - able) * (isFlaky ? FLAKY : 1 - FLAKY),
        })),
      ),
    );
  }
  return worlds;
}

function ableBefore(at: number): number {
  return at === 0 ? FIRST_ABLE : ABLE;
}

function holdsBefore(at: number): number {
  return at === 0 ? FIRST_HOLDS : HOLDS;
}

interface Weights {
  readonly factored: number;
  readonly noTool: number;
  readonly noTarget: number;
  readonly odd: number;
  /** Of `factored`, before what the targets make of it. */
  readonly base: number;
  /** By target: it holds what is sought and explains what was seen on it; it does not, and explains it. */
  readonly held: readonly number[];
  readonly empty: readonly number[];
}

/** The joint weight of a world and all trials under each explanation. Source: design 5 (steering by evidence, formulas 1 and 2). */
function weigh(scene: Scene, world: World): Weights {
  const { targets, otherTools, otherTargets } = scene;
  const isAnyAble = world.able.includes(true);
  const likely = (at: number, holds: boolean): number =>
    product(scene.tools, (_, tool) => likelihood(scene, world, { tool, target: at }, holds));
  const held = targets.map((_, at) => holdsBefore(at) * likely(at, true));
  const empty = targets.map((_, at) => (1 - holdsBefore(at)) * likely(at, false));
  const either = product(targets, (_, at) => (held[at] ?? 0) + (empty[at] ?? 0));
  const none = product(targets, (_, at) => empty[at] ?? 0) * power(1 - HOLDS, otherTargets);
  const noAble = product(scene.tools, (_, at) => 1 - ableBefore(at)) * power(1 - ABLE, otherTools);
  const noHolds = product(targets, (_, at) => 1 - holdsBefore(at)) * power(1 - HOLDS, otherTargets);
  const base = ((1 - CANNOT - ODD) * world.prior) / ((1 - noAble) * (1 - noHolds));
  const ableShare = isAnyAble ? 1 : 1 - power(1 - ABLE, otherTools);
  const flakyPrior = product(world.flaky, (isFlaky) => (isFlaky ? FLAKY : 1 - FLAKY));
  return {
    factored: base * ableShare * (either - none),
    noTool: isAnyAble ? 0 : (CANNOT / 2) * flakyPrior * either,
    noTarget: (CANNOT / 2) * world.prior * product(targets, (_, at) => likely(at, false)),
    odd: ODD * world.prior * oddly(scene, world),
    base,
    held,
    empty,
  };
}

/** Probability of each answer where tool and target are as they are. */
type Explained = Readonly<Record<Exclude<Symptom, 'TimedOut'>, number>>;

function explained(isAble: boolean, holds: boolean): Explained {
  if (isAble && holds) return working;
  if (isAble) return { Right: FALSELY_RIGHT, NotThere: 1 - MISLEADS, Wrong: MISLEADS };
  if (holds) return { Right: FALSELY_RIGHT, NotThere: MISLEADS, Wrong: 1 - MISLEADS };
  return unknown;
}

const working: Explained = { Right: 1 - MISSES, NotThere: MISSES / 2, Wrong: MISSES / 2 };
const unknown: Explained = { Right: FALSELY_RIGHT, NotThere: 0.5, Wrong: 0.5 };

function likelihood(
  { shown, attemptsMax }: Scene,
  { able, flaky }: World,
  { tool, target }: { readonly tool: number; readonly target: number },
  holds: boolean,
): number {
  const own = shown[tool]?.[target];
  if (own === undefined) return 1;
  const isAble = able[tool] === true;
  const answers = explained(isAble, holds);
  const imagined = isAble && holds ? failsThroughout(own, flaky[tool], attemptsMax) : 1;
  return byChance(own, flaky[tool]) * product(own.symptoms, (it) => answers[it]) * imagined;
}

function byChance({ timeOuts, answers }: Shown, isFlaky: boolean | undefined): number {
  const rate = flakeRate(isFlaky);
  return power(rate, timeOuts) * power(1 - rate, answers);
}

function flakeRate(isFlaky: boolean | undefined): number {
  return isFlaky === true ? FLAKES_OFTEN : FLAKES_SELDOM;
}

/** A pair that works fails in an imagined round only if chance fails each of its attempts. */
function failsThroughout({ imagined }: Shown, isFlaky: boolean | undefined, attemptsMax: number): number {
  return power(flakeRate(isFlaky), imagined * attemptsMax);
}

/** Every pair by itself. */
function oddly(scene: Scene, world: World): number {
  return product(scene.shown, (row, tool) =>
    product(row, (shown) => {
      if (shown === undefined) return 1;
      const isFlaky = world.flaky[tool];
      const { works, fails } = oddWeights(shown, isFlaky, scene.attemptsMax);
      return (works + fails) * byChance(shown, isFlaky);
    }),
  );
}

function oddWeights(
  shown: Shown,
  isFlaky: boolean | undefined,
  attemptsMax: number,
): { readonly works: number; readonly fails: number } {
  const imagined = failsThroughout(shown, isFlaky, attemptsMax);
  return {
    works: ODD_WORKS * imagined * product(shown.symptoms, (it) => working[it]),
    fails: (1 - ODD_WORKS) * product(shown.symptoms, (it) => unknown[it]),
  };
}

/** Places among tools and targets; undefined: another one. */
interface Way {
  readonly tool: number | undefined;
  readonly target: number | undefined;
}

function waysOf({ tools, targets, otherTools, otherTargets }: Scene): readonly Way[] {
  const toolPlaces = [...tools.keys(), ...(otherTools > 0 ? [undefined] : [])];
  const targetPlaces = [...targets.keys(), ...(otherTargets > 0 ? [undefined] : [])];
  return toolPlaces.flatMap((tool) => targetPlaces.map((target) => ({ tool, target })));
}

/** The joint weight of the world, all trials, and that the pair works. */
function worksIn(scene: Scene, world: World, { base, held, empty, odd }: Weights, { tool, target }: Way): number {
  const able = tool === undefined ? ABLE : world.able[tool] === true ? 1 : 0;
  const others = product(held, (it, at) => (at === target ? 1 : it + (empty[at] ?? 0)));
  const holds = target === undefined ? HOLDS * others : (held[target] ?? 0) * others;
  const shown = tool === undefined || target === undefined ? undefined : scene.shown[tool]?.[target];
  if (shown === undefined || tool === undefined) return base * able * holds + odd * ODD_WORKS;
  const { works, fails } = oddWeights(shown, world.flaky[tool], scene.attemptsMax);
  return base * able * holds + (odd * works) / (works + fails);
}

/** How often the tool fails by chance, and with what probability it is such a tool. */
function flakeRates({ flaky }: World, { tool }: Way): readonly { readonly share: number; readonly rate: number }[] {
  if (tool !== undefined) return [{ share: 1, rate: flakeRate(flaky[tool]) }];
  return [
    { share: FLAKY, rate: FLAKES_OFTEN },
    { share: 1 - FLAKY, rate: FLAKES_SELDOM },
  ];
}

/** Another attempt follows where the one before failed by chance. */
function expectedAttempts(rate: number, attemptsMax: number): number {
  let sum = 0;
  for (let at = 0; at < attemptsMax; at += 1) sum += power(rate, at);
  return sum;
}

/** By multiplication: the language leaves the last bits of its own power to the machine. */
function power(base: number, times: number): number {
  let result = 1;
  for (let at = 0; at < times; at += 1) result *= base;
  return result;
}

function product<T>(items: readonly T[], factor: (item: T, at: number) => number): number {
  return items.reduce((result, item, at) => result * factor(item, at), 1);
}
