/**
 * A third world, in which nothing of the ways of steering was chosen: steps build on each other, a result may show one of two
 * criteria, executors may improve by themselves, and the judge of a step errs. Half of the criteria name what is sought, so that
 * code can look for it.
 */
import { chance } from './chance.ts';
import { pairOf, type Candidate, type Hidden, type Judge, type Part, type SimulatedTask } from './generate-task.ts';

const NAMES = ['A', 'B', 'C', 'D'] as const;
const TOOLS = ['archive', 'registry', 'survey', 'index', 'ledger'] as const;
const PLACES = [1, 2, 3] as const;

/** Tasks whose parts build each on the one before. */
const CHAIN_RATIO = 0.4;

/** Parts with a second criterion; pairs that show the first alone; of these, those that show the rest when called again. */
const TWO_CRITERIA_RATIO = 0.4;
const HALF_RATIO = 0.25;
const LATER_RATIO = 0.5;

/** Tasks of which one part cannot be done. */
const INFEASIBLE_RATIO = 0.15;

/** Parts whose first candidate is right, as far as tool and target go. */
const FIRST_RIGHT_RATIO = 0.5;

/** Any other tool is able; any other target holds it. */
const ABLE_RATIO = 0.4;
const HOLDS_RATIO = 0.4;

/** Each pair has its own share of calls that time out: most little, a few much. */
const FLAKE_MAX = 0.7;
const FLAKE_POWER = 4;

/** Failures that look like those of another cause; wrong results that name what was sought. */
const MISLEADING_RATIO = 0.25;
const DECOY_RATIO = 0.2;

/** Parts whose criteria name what is sought. */
const NAMING_RATIO = 0.5;

/** Corrections after which an executor tries something else. */
const IMPROVES_RATIO = 0.3;

/** Of a small model. */
const JUDGE: Judge = { falseYes: 0.05, falseNo: 0.05 };

type Draw = (...names: readonly (string | number)[]) => number;

export function generateDependentTask(seed: number): SimulatedTask {
  const draw: Draw = (...names) => chance(seed, 'dependent', ...names);
  const count = 1 + Math.floor(draw('parts') * NAMES.length);
  const infeasible = draw('infeasible') < INFEASIBLE_RATIO ? Math.floor(draw('which') * count) : -1;
  const isChain = draw('chain') < CHAIN_RATIO;
  const hidden = new Map<string, Hidden>();
  const parts = NAMES.slice(0, count).map((name, at) => {
    const before = isChain ? NAMES[at - 1] : undefined;
    const own: Draw = (...names) => draw(name, ...names);
    return { ...makePart(name, own, at !== infeasible, hidden), ...(before === undefined ? {} : { needs: before }) };
  });
  const mode = infeasible >= 0 ? 'Infeasible' : 'WrongApproach';
  return { seed, mode, parts, hidden, paceRatio: 0.3 + 1.2 * draw('pace'), judge: JUDGE, improves: IMPROVES_RATIO };
}

function makePart(name: string, draw: Draw, canBeDone: boolean, hidden: Map<string, Hidden>): Part {
  const candidates = candidatesOf(name, draw);
  const hasTwo = draw('two') < TWO_CRITERIA_RATIO;
  const kinds = canBeDone ? somewhere(candidates, draw) : candidates.map(() => 'WrongTool' as const);
  for (const [at, candidate] of candidates.entries()) {
    const kind = kinds[at] ?? 'WrongTool';
    const half = hasTwo && kind !== 'Works' ? halfOf((what) => draw(what, at), canBeDone) : undefined;
    hidden.set(pairOf(candidate), {
      ...looksOf((what) => draw(what, at)),
      kind,
      ...(half === undefined ? {} : { half }),
    });
  }
  const sought = draw('names') < NAMING_RATIO ? `amber-${name.toLowerCase()}` : undefined;
  return {
    name,
    criterion: sought === undefined ? `Part ${name} is shown` : `Part ${name} shows "${sought}"`,
    ...(hasTwo ? { rest: `The rest of part ${name} is shown` } : {}),
    ...(sought === undefined ? {} : { sought }),
    candidates,
    canBeDone,
  };
}

function looksOf(draw: Draw): Omit<Hidden, 'kind'> {
  return {
    misleads: draw('misleads') < MISLEADING_RATIO,
    flakeRatio: FLAKE_MAX * draw('flakes') ** FLAKE_POWER,
    isDecoy: draw('decoy') < DECOY_RATIO,
  };
}

/** What cannot be done never shows the rest. */
function halfOf(draw: Draw, canBeDone: boolean): Hidden['half'] {
  if (draw('half') >= HALF_RATIO) return undefined;
  return canBeDone && draw('later') < LATER_RATIO ? 'AtFirst' : 'Ever';
}

/** The planner's first candidate, then all others in an order that tells nothing. */
function candidatesOf(name: string, draw: Draw): readonly Candidate[] {
  return TOOLS.flatMap((tool) => PLACES.map((place) => ({ tool, target: `${name}/place-${place}` })))
    .map((candidate, at) => ({ candidate, at: draw('order', at) }))
    .toSorted((a, b) => a.at - b.at)
    .map((it) => it.candidate);
}

/** By tool and target; at least one pair works, the first candidate in half of the parts. */
function somewhere(candidates: readonly Candidate[], draw: Draw): readonly Hidden['kind'][] {
  const sureAt = draw('first') < FIRST_RIGHT_RATIO ? 0 : 1 + Math.floor(draw('sure') * (candidates.length - 1));
  const sure = candidates[sureAt];
  return candidates.map(({ tool, target }) => {
    if (tool !== sure?.tool && draw('able', tool) >= ABLE_RATIO) return 'WrongTool';
    return target === sure?.target || draw('holds', target) < HOLDS_RATIO ? 'Works' : 'WrongTarget';
  });
}
