/** What `retainer memory bench` prints for people. */
import { renderCount, renderPlural } from '@retainer/mind/explain/figures';
import type { StoryLine } from '@retainer/mind/part/story';
import { plain, quiet } from '../calculus/story-lines.ts';
import { CASES_SHOWN, type CaseBench, type CaseFigures } from './bench-cases.ts';
import type { ConversationBench, Figures, Level, RankerName } from './bench-conversations.ts';
import type { Interval } from './measures.ts';

const NAME_WIDTH = 28;

export function renderCaseBench(preset: string, bench: CaseBench): readonly StoryLine[] {
  const { cases, all, byDifficulty, queriesWithoutVector, msPerQuery } = bench;
  const rows: readonly (readonly [string, CaseFigures])[] = [
    ['all', all],
    ...Object.entries(byDifficulty).filter(([name]) => name !== 'all'),
  ];
  return [
    plain(`preset ${preset}: ${renderPlural(all.queries, 'query')} over ${renderPlural(cases, 'case')}`),
    plain(row('', [`P@${CASES_SHOWN}`.padEnd(21), 'MRR'.padEnd(21), `nDCG@${CASES_SHOWN}`.padEnd(21), 'queries'])),
    ...rows.map(([name, it]) =>
      plain(
        row(name, [
          measured(it.p4, it.p4Interval),
          measured(it.mrr, it.mrrInterval),
          measured(it.ndcg4, it.ndcg4Interval),
          renderCount(it.queries),
        ]),
      ),
    ),
    quiet(
      `in brackets the 95 % bootstrap interval over queries; MRR of the whole ranking, ${digits(all.mrr4)} of the first ${CASES_SHOWN}`,
    ),
    quiet(
      `${msPerQuery.toFixed(2)} ms a query; compared by words alone: ${renderCount(queriesWithoutVector)} of the queries`,
    ),
  ];
}

const rankers: readonly RankerName[] = ['retainer', 'bm25'];
const levels: readonly Level[] = ['turns', 'sessions'];
const columns = { turns: ['R@10', 'all@10'], sessions: ['R@5', 'all@5'] } as const;

export function renderConversationBench(licence: string, bench: ConversationBench): readonly StoryLine[] {
  const { conversations, messages, skipped, gain } = bench;
  return [
    quiet(licence),
    plain(
      `${renderPlural(conversations, 'conversation')}, ${renderPlural(messages, 'message')}, ${renderPlural(bench.sum.retainer.turns.questions, 'question')}`,
    ),
    ...levels.flatMap((level) => [
      plain(''),
      plain(row(level, [...columns[level].map((it) => it.padEnd(21)), 'MRR'.padEnd(5), 'questions'])),
      ...rankers.map((ranker) => figureRow(`all, ${ranker}`, bench.sum[ranker][level])),
      ...Object.entries(bench.byType).flatMap(([type, figures]) =>
        rankers.map((ranker) => figureRow(`${type}, ${ranker}`, figures[ranker][level])),
      ),
    ]),
    plain(''),
    plain(`more than BM25 at turns: ${measured(gain.recall, gain.interval)}`),
    plain(`${bench.msPerQuery.toFixed(2)} ms a query, at most ${bench.msPerQueryMax.toFixed(1)}`),
    plain(
      `${renderCount(bench.tokensPerRecall)} tokens a recall, ${renderCount(bench.tokensWithNeighbours)} with neighbours (four characters each)`,
    ),
    quiet('in brackets the 95 % bootstrap interval over conversations'),
    ...(skipped > 0
      ? [quiet(`${renderPlural(skipped, 'question')} left out: no message is named as their evidence`)]
      : []),
  ];
}

function figureRow(name: string, { recall, recallInterval, all, allInterval, mrr, questions }: Figures): StoryLine {
  return plain(
    row(name, [measured(recall, recallInterval), measured(all, allInterval), digits(mrr), renderCount(questions)]),
  );
}

function row(name: string, cells: readonly string[]): string {
  return [name.padEnd(NAME_WIDTH), ...cells].join('  ').trimEnd();
}

function measured(value: number, [low, high]: Interval): string {
  return `${digits(value)} (${digits(low)}–${digits(high)})`.padEnd(21);
}

function digits(value: number): string {
  return value.toFixed(3);
}
