/**
 * A second world, unlike the first: what goes wrong is drawn for each part by itself, more ways lead there, looks deceive more often,
 * and in some parts neither tool nor target explains anything.
 */
import { chance } from './chance.ts';
import { pairOf, type Candidate, type Hidden, type Part, type SimulatedTask } from './generate-task.ts';

const NAMES = ['A', 'B', 'C', 'D', 'E'] as const;
const TOOLS = ['archive', 'registry', 'survey', 'index'] as const;
const PLACES = [1, 2, 3, 4, 5] as const;
const PART_MODES = ['Plain', 'WrongApproach', 'MisStated', 'Pairwise'] as const;

/** Tasks of which one part cannot be done. */
const INFEASIBLE_RATIO = 0.2;

/** Tasks in which one tool is flaky, whatever the part; and how flaky. */
const FLAKY_TASK_RATIO = 0.3;
const FLAKE_FROM = 0.4;
const FLAKE_TO = 0.8;

/** Of sound tools. */
const BACKGROUND_FLAKE_RATIO = 0.1;

/** Failures that look like those of another cause. */
const MISLEADING_RATIO = 0.3;

/** Any other tool is able; any other target holds it; any pair of a part without a pattern works. */
const ABLE_RATIO = 0.5;
const HOLDS_RATIO = 0.3;
const PAIR_RATIO = 0.2;

/** Candidates that one may come before its turn. */
const NOISE_PLACES = 6;

type Draw = (...names: readonly (string | number)[]) => number;
type Works = (tool: number, place: number) => Hidden['kind'];

export function generateMixedTask(seed: number): SimulatedTask {
  const draw: Draw = (...names) => chance(seed, 'mixed', ...names);
  const count = 1 + Math.floor(draw('parts') * NAMES.length);
  const infeasible = draw('infeasible') < INFEASIBLE_RATIO ? Math.floor(draw('which') * count) : -1;
  const flaky = draw('flaky') < FLAKY_TASK_RATIO ? Math.floor(draw('flaky tool') * TOOLS.length) : -1;
  const flakes = FLAKE_FROM + (FLAKE_TO - FLAKE_FROM) * draw('flakes');
  const hidden = new Map<string, Hidden>();
  const parts = NAMES.slice(0, count).map((name, at) => {
    const own: Draw = (...names) => draw(name, ...names);
    const works = at === infeasible ? nowhere(own) : somewhere(own);
    const candidates = candidatesOf(name);
    for (const [index, candidate] of candidates.entries()) {
      const [tool, place] = [index % TOOLS.length, Math.floor(index / TOOLS.length)];
      hidden.set(pairOf(candidate), {
        kind: works(tool, place),
        misleads: own('misleads', tool, place) < MISLEADING_RATIO,
        flakeRatio: tool === flaky ? flakes : BACKGROUND_FLAKE_RATIO,
      });
    }
    return partOf(name, candidates, own, at !== infeasible);
  });
  const mode = infeasible >= 0 ? 'Infeasible' : flaky >= 0 ? 'FlakyTool' : 'WrongApproach';
  return { seed, mode, parts, hidden, paceRatio: 0.3 + 1.2 * draw('pace') };
}

/** Place by place. */
function candidatesOf(name: string): readonly Candidate[] {
  return PLACES.flatMap((place) => TOOLS.map((tool) => ({ tool, target: `${name}/place-${place}` })));
}

/** The most plausible first, as far as a planner can tell. */
function partOf(name: string, candidates: readonly Candidate[], draw: Draw, canBeDone: boolean): Part {
  const order = candidates
    .map((candidate, at) => ({ candidate, at: at + NOISE_PLACES * draw('noise', at) }))
    .toSorted((a, b) => a.at - b.at);
  return { name, criterion: `Part ${name} is shown`, candidates: order.map((it) => it.candidate), canBeDone };
}

function nowhere(draw: Draw): Works {
  const model = factors(draw, 'Plain');
  const isNoTool = draw('no tool') < 0.5;
  return kindBy(isNoTool ? TOOLS.map(() => false) : model.able, isNoTool ? model.holds : PLACES.map(() => false));
}

function somewhere(draw: Draw): Works {
  const mode = PART_MODES[Math.floor(draw('mode') * PART_MODES.length)] ?? 'Plain';
  if (mode === 'Pairwise') return pairwise(draw);
  const { able, holds } = factors(draw, mode);
  return kindBy(able, holds);
}

interface Factors {
  readonly able: readonly boolean[];
  readonly holds: readonly boolean[];
}

/** At least one tool is able, and one place holds it. */
function factors(draw: Draw, mode: Exclude<(typeof PART_MODES)[number], 'Pairwise'>): Factors {
  const sureTool = mode === 'WrongApproach' ? 1 + Math.floor(draw('sure tool') * (TOOLS.length - 1)) : 0;
  const surePlace = mode === 'MisStated' ? 1 + Math.floor(draw('sure place') * (PLACES.length - 1)) : 0;
  return {
    able: TOOLS.map((_, at) => at === sureTool || (at > 0 && draw('able', at) < ABLE_RATIO)),
    holds: PLACES.map((_, at) => at === surePlace || (at > 0 && draw('holds', at) < HOLDS_RATIO)),
  };
}

function kindBy(able: readonly boolean[], holds: readonly boolean[]): Works {
  return (tool, place) => (able[tool] !== true ? 'WrongTool' : holds[place] === true ? 'Works' : 'WrongTarget');
}

function pairwise(draw: Draw): Works {
  const sure = Math.floor(draw('sure pair') * TOOLS.length * PLACES.length);
  return (tool, place) => {
    if (place * TOOLS.length + tool === sure || draw('pair', tool, place) < PAIR_RATIO) return 'Works';
    return draw('looks', tool, place) < 0.5 ? 'WrongTool' : 'WrongTarget';
  };
}
