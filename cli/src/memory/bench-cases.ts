/** Ranks cases for every query, and measures what came of it. */
import { CaseIndex } from '@retainer/mind/memory/recall/case-index';
import type { Weights } from '@retainer/mind/memory/recall/presets';
import { textOf, type RecallCase } from '@retainer/mind/memory/recall/recall-case';
import type { Meaning } from '@retainer/mind/meaning/text-vector';
import { bootstrapInterval, mean, ndcgAt, precisionAt, reciprocalRank, type Interval } from './measures.ts';
import type { BenchQuery } from './parse-cases.ts';

/** As many as a prompt is given. Source: springdrift 5 (four). */
export const CASES_SHOWN = 4;

export interface CaseFigures {
  readonly queries: number;
  /** Precision among four; in brackets always the bootstrap interval over queries. */
  readonly p4: number;
  readonly p4Interval: Interval;
  /** Of the whole ranking. */
  readonly mrr: number;
  readonly mrrInterval: Interval;
  /** 0: none of the four is relevant. */
  readonly mrr4: number;
  readonly ndcg4: number;
  readonly ndcg4Interval: Interval;
}

export interface CaseBench {
  readonly cases: number;
  readonly all: CaseFigures;
  readonly byDifficulty: Readonly<Record<string, CaseFigures>>;
  /** Queries that the words of the table can say nothing about. */
  readonly queriesWithoutVector: number;
  readonly msPerQuery: number;
}

interface Ranked {
  readonly query: BenchQuery;
  readonly ids: readonly string[];
}

/** @param nowMs  a clock, for the time that a query takes */
export function benchCases(
  cases: Iterable<RecallCase>,
  queries: readonly BenchQuery[],
  { meaning, weights, nowMs }: { readonly meaning: Meaning; readonly weights: Weights; readonly nowMs: () => number },
): CaseBench {
  const index = new CaseIndex();
  for (const recallCase of cases) index.add(recallCase, meaning.vectorOf(textOf(recallCase)));
  let tookMs = 0;
  let queriesWithoutVector = 0;
  const ranked = queries.map((query): Ranked => {
    const { problem } = query;
    const beganMs = nowMs();
    const vector = meaning.vectorOf(textOf(problem));
    index.find({ problem, vector, weights, count: CASES_SHOWN });
    tookMs += nowMs() - beganMs;
    if (vector === undefined) queriesWithoutVector += 1;
    const { found } = index.find({ problem, vector, weights, count: index.size });
    return { query, ids: found.map(({ id }) => id) };
  });
  const difficulties = [...new Set(queries.map(({ difficulty }) => difficulty))];
  return {
    cases: index.size,
    all: figuresOf(ranked),
    byDifficulty: Object.fromEntries(
      difficulties.map((name) => [name, figuresOf(ranked.filter(({ query }) => query.difficulty === name))]),
    ),
    queriesWithoutVector,
    msPerQuery: tookMs / Math.max(1, queries.length),
  };
}

function figuresOf(ranked: readonly Ranked[]): CaseFigures {
  const values = (measure: (ids: readonly string[], relevant: ReadonlySet<string>) => number): readonly number[] =>
    ranked.map(({ ids, query }) => measure(ids, query.relevant));
  const interval = (of: readonly number[]): Interval => bootstrapInterval(of.map((value) => [value]));
  const p4 = values((ids, relevant) => precisionAt(CASES_SHOWN, ids, relevant));
  const mrr = values(reciprocalRank);
  const ndcg4 = values((ids, relevant) => ndcgAt(CASES_SHOWN, ids, relevant));
  return {
    queries: ranked.length,
    p4: mean(p4),
    p4Interval: interval(p4),
    mrr: mean(mrr),
    mrrInterval: interval(mrr),
    mrr4: mean(values((ids, relevant) => reciprocalRank(ids.slice(0, CASES_SHOWN), relevant))),
    ndcg4: mean(ndcg4),
    ndcg4Interval: interval(ndcg4),
  };
}
