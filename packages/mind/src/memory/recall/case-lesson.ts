/**
 * What a case tells whoever works on a task like its own.
 *
 * I1  Of a run that had read a stranger's text: the Task's own words, the names of tools, and how it ended, in figures. Even the
 *     name of a target is a word of others.
 *
 * Source: springdrift 4 (cases); reliability-security 4 (memory poisoning).
 */
import type { RecalledCase } from '@retainer/contract/wire/bus/recalled-case';
import type { StoredCase } from '../../parts/cases/cases.ts';

/** A lesson, not a transcript: as long as any line of memory. */
const LESSON_CHARACTERS = 400;
const PROBLEM_CHARACTERS = 200;

/** What a person added, the newest; more is a manual. */
const NOTES_TOLD = 2;

export function caseLesson(it: StoredCase): Pick<RecalledCase, 'problem' | 'lesson'> {
  const parts = it.label.trust === 'Trusted' ? inFull(it) : byCode(it);
  const notes = it.notes.slice(-NOTES_TOLD).map((note) => `a person adds: ${note}`);
  const lesson = [...parts, ...notes].filter((part) => part !== '').join('; ');
  return { problem: clipped(it.problem.input, PROBLEM_CHARACTERS), lesson: clipped(lesson, LESSON_CHARACTERS) };
}

/** A success that may tell neither its way nor its target leaves nothing to follow. */
export function teaches({ label, outcome, notes }: StoredCase): boolean {
  return label.trust === 'Trusted' || outcome.status !== 'Success' || notes.length > 0;
}

/** What went wrong stands first: the end of a lesson is cut. */
function inFull({ problem, solution, outcome }: StoredCase): readonly string[] {
  // The way of a single step is the Task itself.
  const way = solution.approach === problem.input.trim() ? '' : solution.approach;
  return [
    outcome.assessment,
    listed('what went wrong', outcome.pitfalls),
    listed('calls', solution.steps),
    way === '' ? '' : `way: ${way}`,
  ];
}

function byCode({ solution, outcome }: StoredCase): readonly string[] {
  const met = Math.round(100 * outcome.confidence);
  return [`${outcome.status}, ${met} % of the criteria met`, listed('tools', solution.tools)];
}

function listed(title: string, items: readonly string[]): string {
  return items.length === 0 ? '' : `${title}: ${items.join(', ')}`;
}

function clipped(text: string, charactersMax: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= charactersMax ? line : `${line.slice(0, charactersMax - 1)}…`;
}
