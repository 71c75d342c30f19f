/**
 * Whether going on is worth it: the chance that all open parts are shown within what is left, against the tokens that this takes.
 *
 * Source: design 5 (steering by evidence, formulas 5 and 6)
 */
import { scored, type Prices } from './advice.ts';
import { believe, type Known, type Option } from './belief.ts';

/** What a run may still use. */
export interface Left {
  /** Absent: the Task has no token budget. */
  readonly tokens?: number;
  /** Rounds that the time allows, and the number of plans. */
  readonly rounds: number;
}

export interface Costs {
  readonly plan: number;
  readonly attempt: number;
  readonly merge: number;
}

export interface Outlook {
  /** That everything is shown within what is left, 0 to 1. */
  readonly chance: number;
  readonly tokens: number;
}

interface Prospect {
  readonly known: Known;
  /** That the part is still open. */
  readonly open: number;
}

/** Looks along the branch in which every try fails: what is still believed then decides what is tried next. */
export function lookAhead(parts: readonly Known[], costs: Costs, left: Left, attemptsMax: number): Outlook {
  let prospects: readonly Prospect[] = parts.map((known) => ({ known, open: 1 }));
  let spent = 0;
  const prices: Prices = { planShare: costs.plan / Math.max(1, parts.length), attempt: costs.attempt };
  for (let round = 0; round < left.rounds; round += 1) {
    const tries = prospects.map((it) => bestOf(it.known, prices, attemptsMax));
    const isAnyOpen = 1 - prospects.reduce((done, it) => done * (1 - it.open), 1);
    const cost =
      costs.plan * isAnyOpen +
      prospects.reduce((sum, it, at) => sum + it.open * (tries[at]?.attempts ?? 0) * costs.attempt, 0);
    if (left.tokens !== undefined && spent + cost + costs.merge > left.tokens) break;
    spent += cost;
    prospects = prospects.map((it, at) => afterFailure(it, tries[at]));
  }
  const chance = prospects.reduce((done, it) => done * (1 - it.open), 1);
  return { chance, tokens: spent + costs.merge };
}

function bestOf(known: Known, prices: Prices, attemptsMax: number): Option | undefined {
  return scored(believe(known, attemptsMax), prices)[0];
}

/** The try failed, nobody knows how: the product of the chances is then that of the whole sequence of tries. */
function afterFailure({ known, open }: Prospect, option: Option | undefined): Prospect {
  if (option === undefined) return { known, open };
  const { trials, imagined = [] } = known;
  const pairs = [...trials, ...imagined];
  const tool = option.tool ?? nameOfNew(pairs.map((it) => it.tool));
  const target = option.target ?? nameOfNew(pairs.map((it) => it.target));
  return { known: { ...known, imagined: [...imagined, { tool, target }] }, open: open * (1 - option.chance) };
}

/** A name that no tool and no target has: they are one line, and this is two. */
function nameOfNew(names: readonly string[]): string {
  return `\n${new Set(names).size}`;
}
