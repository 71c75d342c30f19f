/** Renders what model calls took as tables: by purpose, by role, and with other models. */
import { renderCost, renderCount, renderUsd } from './figures.ts';
import { promptTokensOf, type Spending, type Spent } from './spending.ts';
import type { StoryLine } from '../part/story.ts';

const HEAD = ['calls', 'tokens in', 'cached', 'tokens out', 'cost'] as const;
/** Columns of the first cell and of each other one: a name of a role, a count of nine digits with its commas. */
const NAME_COLUMNS = 20;
const COLUMNS = 12;

/** @param spending  of one run, or of several together */
export function renderSpending({ total, byPurpose, byRole, otherModels }: Spending): readonly StoryLine[] {
  if (total.calls === 0) return [{ tone: 'Plain', text: 'no model answered' }];
  return [
    quiet(row('by purpose', HEAD)),
    ...byPurpose.map((it) => plain(row(it.purpose.toLowerCase(), cells(it)))),
    plain(row('all', cells(total))),
    plain(''),
    quiet(row('by role', HEAD)),
    ...byRole.map((it) => plain(row(it.role, cells(it)))),
    ...(otherModels.length === 0
      ? []
      : [
          plain(''),
          quiet('the same tokens, had one model answered every call, at list prices:'),
          ...otherModels.map(({ model, costUsd }) => plain(`${model.padEnd(NAME_COLUMNS)}${amount(costUsd)}`)),
        ]),
  ];
}

/** Every token of a prompt counts as `in`; `cached` is the share that a provider's cache held. */
function cells({ calls, usage, costUsd, isCostComplete, cachedShare }: Spent): readonly string[] {
  return [
    renderCount(calls),
    renderCount(promptTokensOf(usage)),
    `${Math.round(cachedShare * 100)} %`,
    renderCount(usage.outputTokens),
    renderCost(costUsd, isCostComplete),
  ];
}

function row(name: string, others: readonly string[]): string {
  return `${name.padEnd(NAME_COLUMNS)}${others.map((it) => ` ${it.padStart(COLUMNS - 1)}`).join('')}`;
}

const amount = (costUsd: number): string => renderUsd(costUsd).padStart(COLUMNS);
const plain = (text: string): StoryLine => ({ tone: 'Plain', text });
const quiet = (text: string): StoryLine => ({ tone: 'Quiet', text });
