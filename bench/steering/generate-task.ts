/**
 * Tasks that go wrong in a known way. A planner sees parts and candidates, the plausible ones first; what a call of one tool on
 * one target meets is hidden.
 *
 * Source: artoo D (plants with known failure models).
 */
import { chance } from './chance.ts';

export const FAILURE_MODES = ['WrongApproach', 'FlakyTool', 'Infeasible', 'MisStated'] as const;
export type FailureMode = (typeof FAILURE_MODES)[number];

export interface Candidate {
  readonly tool: string;
  readonly target: string;
}

/** What stands behind a pair of tool and target. */
export interface Hidden {
  /** `WrongTool`: on no target of the part does the tool do it. `WrongTarget`: the tool would, but what is sought is elsewhere. */
  readonly kind: 'Works' | 'WrongTool' | 'WrongTarget';
  /** A wrong tool that looks like a wrong target, and the other way round. */
  readonly misleads: boolean;
  /** Calls that time out, whatever stands behind the pair. */
  readonly flakeRatio: number;
  /** It shows the first criterion and not the rest; `AtFirst`: a later call of it may show the rest as well. */
  readonly half?: 'Ever' | 'AtFirst';
  /** What it puts out names what was sought, and is something else. */
  readonly isDecoy?: boolean;
}

export interface Part {
  readonly name: string;
  readonly criterion: string;
  /** A second one that a pair may leave unmet. */
  readonly rest?: string;
  /** What its criteria name: a right call puts it out. Absent: they name nothing that code can look for. */
  readonly sought?: string;
  /** The part whose result it builds on. */
  readonly needs?: string;
  /** As a planner would try them. */
  readonly candidates: readonly Candidate[];
  readonly canBeDone: boolean;
}

export interface SimulatedTask {
  readonly seed: number;
  readonly mode: FailureMode;
  readonly parts: readonly Part[];
  readonly hidden: ReadonlyMap<string, Hidden>;
  /** How long everything takes, times the usual. */
  readonly paceRatio: number;
  /** How often the judge of a step errs; absent: never. */
  readonly judge?: Judge;
  /** Corrections of a wrong result after which the executor tries something else by itself, 0 to 1; absent: 0. */
  readonly improves?: number;
}

/** Shares of its verdicts on one criterion, 0 to 1. */
export interface Judge {
  /** Of what is wrong, called right. */
  readonly falseYes: number;
  /** Of what is right, called wrong. */
  readonly falseNo: number;
}

const NAMES = ['A', 'B', 'C', 'D'] as const;
const TOOLS = ['archive', 'registry', 'survey'] as const;
const PLACES = [1, 2, 3, 4] as const;

/** Of sound tools: the world is not perfect. */
const BACKGROUND_FLAKE_RATIO = 0.03;

/** Failures that look like those of another cause. */
const MISLEADING_RATIO = 0.15;

/** Parts beside the first that fail in the same way. */
const SECOND_FAILURE_RATIO = 0.25;

/** What a tool is able to do, where what is sought can be found, and how often the first tool fails by itself. */
interface Model {
  readonly able: readonly boolean[];
  readonly holds: readonly boolean[];
  readonly flakeRatio: number;
}

type Draw = (...names: readonly (string | number)[]) => number;

/** The first candidate is right; any other may be. */
const sound = (draw: Draw): Model => ({
  able: TOOLS.map((tool, at) => at === 0 || draw('able', tool) < 0.5),
  holds: PLACES.map((place) => place === 1 || draw('holds', place) < 0.3),
  flakeRatio: BACKGROUND_FLAKE_RATIO,
});

const models: Readonly<Record<FailureMode, (draw: Draw) => Model>> = {
  WrongApproach: (draw) => {
    const isSecondAble = draw('second') < 0.6;
    return { ...sound(draw), able: [false, isSecondAble, !isSecondAble || draw('third') < 0.5] };
  },
  FlakyTool: (draw) => ({ ...sound(draw), flakeRatio: 0.6 + 0.3 * draw('flake') }),
  Infeasible: (draw) =>
    draw('which') < 0.5
      ? { ...sound(draw), able: TOOLS.map(() => false) }
      : { ...sound(draw), holds: PLACES.map(() => false) },
  MisStated: (draw) => {
    const right = draw('right') < 0.5 ? 2 : 3;
    return { ...sound(draw), holds: PLACES.map((it) => it === right || (it > right && draw('holds', it) < 0.3)) };
  },
};

export function generateTask(seed: number): SimulatedTask {
  const mode = FAILURE_MODES[seed % FAILURE_MODES.length] ?? 'WrongApproach';
  const count = 1 + Math.floor(chance(seed, 'parts') * NAMES.length);
  const first = Math.floor(chance(seed, 'first') * count);
  const hidden = new Map<string, Hidden>();
  const parts = NAMES.slice(0, count).map((name, at) => {
    const draw: Draw = (...names) => chance(seed, name, ...names);
    const isInjected = at === first || draw('second failure') < SECOND_FAILURE_RATIO;
    return makePart(name, (isInjected ? models[mode] : sound)(draw), draw, hidden);
  });
  return { seed, mode, parts, hidden, paceRatio: 0.3 + 1.2 * chance(seed, 'pace') };
}

function makePart(name: string, { able, holds, flakeRatio }: Model, draw: Draw, hidden: Map<string, Hidden>): Part {
  const candidates = TOOLS.flatMap((tool, toolAt) =>
    PLACES.map((place, placeAt) => {
      const candidate = { tool, target: `${name}/place-${place}` };
      const isAble = able[toolAt] === true;
      hidden.set(pairOf(candidate), {
        kind: !isAble ? 'WrongTool' : holds[placeAt] === true ? 'Works' : 'WrongTarget',
        misleads: draw('misleads', tool, place) < MISLEADING_RATIO,
        flakeRatio: toolAt === 0 ? flakeRatio : BACKGROUND_FLAKE_RATIO,
      });
      return candidate;
    }),
  );
  const canBeDone = able.includes(true) && holds.includes(true);
  return { name, criterion: `Part ${name} is shown`, candidates, canBeDone };
}

export function pairOf({ tool, target }: Candidate): string {
  return `${tool} on ${target}`;
}

export function criteriaOf({ criterion, rest }: Part): readonly string[] {
  return rest === undefined ? [criterion] : [criterion, rest];
}

export function canBeDone({ parts }: SimulatedTask): boolean {
  return parts.every((it) => it.canBeDone);
}
