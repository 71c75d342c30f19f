/** The files of `retainer memory bench --cases F --queries F`: one case or query on each line, as JSON. */
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { Problem, RecallCase } from '@retainer/mind/memory/recall/recall-case';
import { z } from 'zod';
import { parseLines } from './json-lines.ts';

const words = {
  intent: z.string().default(''),
  domain: z.string().default(''),
  keywords: z.array(z.string()).default([]),
  entities: z.array(z.string()).default([]),
};

const CaseLine = z.object({
  case_id: z.string(),
  timestamp: z.string().optional(),
  problem: z.object({ ...words, user_input: z.string().default('') }),
});

const QueryLine = z.object({
  query_id: z.string(),
  ...words,
  text: z.string().default(''),
  difficulty: z.string().default('all'),
  relevant_ids: z.array(z.string()),
});

export interface BenchQuery {
  readonly problem: Problem;
  readonly difficulty: string;
  /** Positions of cases, in the form of their ids. */
  readonly relevant: ReadonlySet<string>;
}

/**
 * The ids of cases are their positions in the file: ties have its order.
 *
 * @returns the faults, each with file and line
 */
export function parseCases(file: string, text: string): Result<ReadonlyMap<string, RecallCase>, readonly string[]> {
  const lines = parseLines(file, text, CaseLine);
  if (!lines.ok) return lines;
  const cases = new Map(
    lines.value.map(({ case_id: id, timestamp, problem }, at) => {
      const { user_input: said, ...known } = problem;
      const writtenAtMs = timestamp === undefined ? at : Date.parse(timestamp);
      const position = String(at).padStart(8, '0');
      return [id, { id: position, ...known, text: said, writtenAtMs, shown: 0, succeeded: 0 }];
    }),
  );
  return cases.size === lines.value.length ? ok(cases) : err([`${file}: two cases have the same case_id`]);
}

export function parseQueries(
  file: string,
  text: string,
  cases: ReadonlyMap<string, RecallCase>,
): Result<readonly BenchQuery[], readonly string[]> {
  const lines = parseLines(file, text, QueryLine);
  if (!lines.ok) return lines;
  const unknown = lines.value.flatMap(({ query_id: id, relevant_ids: relevant }) =>
    relevant.filter((it) => !cases.has(it)).map((it) => `${file}: query ${id}: no case has the id ${it}`),
  );
  if (unknown.length > 0) return err(unknown.slice(0, 1));
  return ok(
    lines.value.map(({ intent, domain, keywords, entities, text: said, difficulty, relevant_ids: relevant }) => ({
      problem: { intent, domain, keywords, entities, text: said },
      difficulty,
      relevant: new Set(relevant.flatMap((id) => cases.get(id)?.id ?? [])),
    })),
  );
}
