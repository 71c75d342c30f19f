/** Recalled cases in words, by category: what failed stands first. Source: springdrift 3 (cases, grouped). */
import type { RecalledCase } from '@retainer/contract/wire/bus/recalled-case';
import { oneLine, quoted } from '../request/lines.ts';

type Category = RecalledCase['category'];

/** In this order. */
const TITLES: Readonly<Record<Category, string>> = {
  Pitfall: 'pitfall',
  Strategy: 'strategy',
  Troubleshooting: 'troubleshooting',
  CodePattern: 'code pattern',
  DomainKnowledge: 'domain knowledge',
};
const ORDER = Object.keys(TITLES);

/** What failed, and what experience advises against. */
export function isPitfall({ category, avoid }: RecalledCase): boolean {
  return avoid || category === 'Pitfall';
}

const categoryOf = (it: RecalledCase): Category => (isPitfall(it) ? 'Pitfall' : it.category);

/** By category; within one, best first. */
export function inOrder(cases: readonly RecalledCase[]): readonly RecalledCase[] {
  return cases.toSorted((a, b) => ORDER.indexOf(categoryOf(a)) - ORDER.indexOf(categoryOf(b)));
}

/** Quoted, because a model or a page may have written it. */
export function caseText({ problem, lesson }: RecalledCase): string {
  return `${quoted(oneLine(problem))}: ${quoted(oneLine(lesson))}`;
}

/** How the lines of cases begin. */
export const CASE_LINES = ['PITFALL', 'CASE'] as const;

/** The lines of cases in the input of a role. What others wrote there is indented, or follows on a line of the agent. */
export function caseLinesIn(input: string): readonly string[] {
  return input.split('\n').filter((line) => CASE_LINES.some((name) => line.startsWith(`${name}: `)));
}

/** Characters of a problem in a list: its lesson is what counts there. */
const LISTED_PROBLEM_CHARACTERS = 60;

/** As an item of a list, which is escaped there. */
export function caseItem(it: RecalledCase): string {
  const { problem, lesson } = it;
  const short =
    problem.length > LISTED_PROBLEM_CHARACTERS ? `${problem.slice(0, LISTED_PROBLEM_CHARACTERS - 1)}…` : problem;
  return `${TITLES[categoryOf(it)]}: ${short} → ${lesson}`;
}
