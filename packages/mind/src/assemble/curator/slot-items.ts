/**
 * What memory puts into each slot, best first: the items at the end of a list are cut first.
 *
 * I1  No word of a run or a fact that had read a stranger's text is in an item: of runs and threads only what code wrote, of facts
 *     only trusted ones, of cases what `memory/recall/case-lesson.ts` lets through.
 *
 * Source: springdrift 3 (slots), 4; reliability-security 4 (memory poisoning).
 */
import type { RecalledCase } from '@retainer/contract/wire/bus/recalled-case';
import type { StoredFact } from '../../parts/facts/facts.ts';
import type { LabelledThread } from '../../parts/threads/threads.ts';
import { safeName } from '../../request/lines.ts';
import { caseItem, inOrder } from '../case-text.ts';
import { utcDate, utcMinute } from '@retainer/contract/std/utc-date';
import type { Items } from './curate.ts';
import type { RunFigures } from './figures.ts';

/** Source: springdrift 3. */
const RUNS_MAX = 5;

const TOOLS_MAX = 6;

interface Counted {
  readonly size: number;
}

export interface Remembered {
  /** Oldest first. */
  readonly runFigures: readonly RunFigures[];
  readonly facts: { readonly held: Counted };
  readonly artifacts: Counted;
  readonly megrams: Counted;
  readonly threads: { readonly byId: Counted };
  readonly cases: { readonly byId: Counted };
}

/** What was recalled for the work, best first. */
export interface ForWork {
  readonly facts: readonly StoredFact[];
  readonly threads: readonly LabelledThread[];
  readonly cases: readonly RecalledCase[];
}

export function slotItems(known: Remembered, { facts, threads, cases }: ForWork): Items {
  return {
    counts: countLines(known),
    runs: known.runFigures.slice(-RUNS_MAX).map(runLine),
    threads: threads.map(threadLine),
    facts: facts.filter(({ label }) => label?.trust === 'Trusted').map(factLine),
    cases: inOrder(cases).map(caseItem),
  };
}

/** None where nothing is remembered: the template leaves such a line out, and the manifest counts what is told. */
function countLines({ facts, artifacts, megrams, threads, cases }: Remembered): readonly string[] {
  const counts = [
    [threads.byId.size, 'threads'],
    [cases.byId.size, 'cases'],
    [facts.held.size, 'facts'],
    [artifacts.size, 'artifacts'],
    [megrams.size, 'lessons'],
  ] as const;
  if (counts.every(([size]) => size === 0)) return [];
  return [counts.map(([size, what]) => `${size} ${what}`).join(', ')];
}

function runLine({ endedAtMs, task, outcome, calls }: RunFigures): string {
  const used = calls.slice(0, TOOLS_MAX).map(({ tool }) => safeName(tool));
  return `${utcMinute(endedAtMs)} ${task}: ${outcome}${used.length === 0 ? '' : `, with ${used.join(' ')}`}`;
}

/** The name of a thread is of the words of the run that began it. */
function threadLine({ name, nameLabel, runs, lastRunId, lastAtMs }: LabelledThread): string {
  const told = nameLabel.trust === 'Trusted' ? name : 'name left out';
  return `${told}: ${runs} runs, the last ${lastRunId} (${utcDate(lastAtMs)})`;
}

function factLine({ key, value, writtenAtMs }: StoredFact): string {
  return `${key} = ${JSON.stringify(value)} (${utcDate(writtenAtMs)})`;
}
