/**
 * The parts of a task: what its subtasks have to show, and whether it is shown. A part outlives the plans that try it.
 *
 * I1  The measured parts are those of the first plan and of the people: no later plan changes what the distance is a share of.
 * I2  A part that is shown stays so, unless the judge of the whole takes the proof back.
 *
 * Source: design 5; artoo A.9 (D). Differs: the source measures each round by its own plan, so a shorter plan looks worse.
 */
import type {
  BusCriterion,
  GapTrajectoryPoint,
  PartAdvice,
  ToolCallRecord,
} from '@retainer/contract/wire/bus/payloads';
import { partKey, partTexts, sameText } from '../dispatch/part-key.ts';

/** One execution of a subtask. */
export interface Attempt {
  readonly calls: readonly ToolCallRecord[];
  /** Of its unmet criteria together; absent while nobody judged it. */
  readonly failureClass?: GapTrajectoryPoint['failureClass'];
  /** Share of met criteria, 0 to 1. */
  readonly score: number;
}

/** A subtask of any plan of the run, as the record shows it. */
export interface Step {
  readonly subtaskId: string;
  readonly round: number;
  readonly intent: string;
  readonly criteria: readonly BusCriterion[];
  /** Oldest first; none where it was never started. */
  readonly attempts: readonly Attempt[];
  readonly isMatched: boolean;
}

/** What the run has tried, been told and used, from its recorded messages. */
export interface RunHistory {
  /** Criteria that people gave. */
  readonly people: readonly BusCriterion[];
  /** In the order of the plans. */
  readonly steps: readonly Step[];
  /** Rounds whose whole was judged. */
  readonly judged: readonly Judged[];
  /** What the planner was told after a round. */
  readonly advised: readonly { readonly round: number; readonly parts: readonly PartAdvice[] }[];
  readonly used: RunUse;
  /** Until the run's time is over. */
  readonly leftMs: number;
}

/** Required criteria of the whole. */
interface Judged {
  readonly round: number;
  /** Not met, even if only because the judge failed. */
  readonly open: readonly string[];
  /** Found unmet. */
  readonly refused: readonly string[];
}

/** Tokens of ended cycles by role, and their numbers. */
export interface RunUse {
  readonly plan: Use;
  /** An execution and its judgement; counted by executions. */
  readonly attempt: Use;
  readonly merge: Use;
}

export interface Use {
  readonly tokens: number;
  readonly times: number;
}

export interface Part {
  /** Texts of the required criteria. */
  readonly criteria: readonly string[];
  /** Every try at it, oldest first. Empty for a criterion of the whole that is in no subtask. */
  readonly steps: readonly Step[];
  readonly isOpen: boolean;
  /** It matched, and the judge of the whole found it unmet since. */
  readonly isWithdrawn: boolean;
}

/** The parts that the distance is measured by: of the first plan, and criteria of people that are in none of its subtasks. */
function measuredParts(history: RunHistory): readonly Part[] {
  const first = Math.min(...history.steps.map((it) => it.round));
  const planned = partsOf(
    history,
    history.steps.filter((it) => it.round === first),
  );
  const covered = new Set(planned.flatMap((it) => it.criteria.map(sameText)));
  const others = history.people.filter((it) => it.required && !covered.has(sameText(it.text)));
  return [...planned, ...others.map((it) => wholeCriterion(history, it.text))];
}

/** Parts to go on with: those of the newest plan, and shown ones whose proof was taken back. */
export function openParts(history: RunHistory): readonly Part[] {
  const newest = Math.max(...history.steps.map((it) => it.round));
  return partsOf(history, history.steps).filter(
    (it) => it.isOpen && (it.isWithdrawn || it.steps.some(({ round }) => round === newest)),
  );
}

/** Criteria of the whole that were not met in the newest round, and no subtask has. */
export function openWholes(history: RunHistory): readonly Part[] {
  const newest = Math.max(...history.steps.map((it) => it.round));
  const covered = new Set(history.steps.flatMap((it) => partTexts(it).map(sameText)));
  const open = history.judged.filter((it) => it.round === newest).flatMap((it) => it.open);
  return open.filter((it) => !covered.has(sameText(it))).map((it) => wholeCriterion(history, it));
}

/** The history without the newest round. */
export function roundBefore(history: RunHistory): RunHistory {
  const newest = Math.max(...history.steps.map((it) => it.round));
  const isEarlier = ({ round }: { readonly round: number }): boolean => round < newest;
  return { ...history, steps: history.steps.filter(isEarlier), judged: history.judged.filter(isEarlier) };
}

/** Share of the measured parts that is open, 0 to 1. */
export function openShare(history: RunHistory): number {
  const parts = measuredParts(history);
  return parts.length === 0 ? 1 : parts.filter((it) => it.isOpen).length / parts.length;
}

/** Of these steps, each part once, with all that was tried for it in any plan. */
function partsOf(history: RunHistory, steps: readonly Step[]): readonly Part[] {
  const byKey = new Map(steps.map((it) => [partKey(partTexts(it)), partTexts(it)]));
  return [...byKey].map(([key, criteria]) => {
    const own = history.steps.filter((it) => partKey(partTexts(it)) === key);
    const matched = own.findLast((it) => it.isMatched)?.round;
    const isWithdrawn = matched !== undefined && isRefusedSince(history, matched, criteria);
    return { criteria, steps: own, isOpen: matched === undefined || isWithdrawn, isWithdrawn };
  });
}

function isRefusedSince({ judged }: RunHistory, round: number, criteria: readonly string[]): boolean {
  const own = new Set(criteria.map(sameText));
  return judged.some((it) => it.round >= round && it.refused.some((text) => own.has(sameText(text))));
}

/** It counts as shown once the whole was judged and it was met. */
function wholeCriterion({ judged }: RunHistory, text: string): Part {
  const newest = judged.at(-1);
  const isOpen = newest === undefined || newest.open.some((it) => sameText(it) === sameText(text));
  return { criteria: [text], steps: [], isOpen, isWithdrawn: false };
}
