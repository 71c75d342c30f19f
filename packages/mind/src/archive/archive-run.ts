/**
 * What code alone leaves of an ended run in memory, so that every end leaves it even if no model can be asked: its entry, what it was
 * about, what is said of it, and the case that it makes.
 *
 * I1  Equal for the same end of a run, so that an interrupted archiving comes to the same after a restart.
 * I2  It contains no words of a gate, and of strangers only what its label says.
 *
 * Source: springdrift 4 (deterministic entry, cases); artoo A.9 (report of an abandoned run).
 */
import type { BusPayload } from '@retainer/contract/wire/bus/envelope';
import type { ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import { categoryOf } from '../parts/cases/case-rules.ts';
import type { CaseWritten } from '../parts/cases/cases.ts';
import { saidOnce, type RunReflected, type RunRemembered } from '../parts/narrative/narrative.ts';
import { significantWords } from '../meaning/significant-words.ts';
import type { RunLabels } from '../parts/threads/thread-rules.ts';
import { labelOfRun } from '../run/handed-on.ts';
import { holdsNotice } from '../run/gate-notices.ts';
import { callsOf, received, sent, type RunState } from '../run/state.ts';
import { caseStatusOf } from './case-status.ts';
import { domainOf } from './domains.ts';
import type { Remembrance } from './event.ts';
import { rememberRun } from './remember-run.ts';

/** Who reflected, where no model did. */
export const BY_CODE = 'Code';

/** Source: springdrift 4. */
const KEYWORDS_MAX = 10;
/** Letters of a keyword in a script of letters; other scripts say more with fewer. Source: springdrift 4. */
const KEYWORD_LETTERS_MIN = 4;

/** Places, steps and pitfalls of one run: as many as a reader takes in. */
const LISTED_MAX = 16;
/** Characters of each, and of a whole approach. */
const ITEM_CHARACTERS = 200;
const APPROACH_CHARACTERS = 1_000;
const INPUT_CHARACTERS = 2_000;

export interface Archived {
  readonly entry: RunRemembered;
  /** What is written beside it where no model helps. It has no case where the run was stopped or refused, or did no work. */
  readonly fallback: Remembrance;
}

export function archiveRun(state: RunState): Archived {
  const labels = labelsOf(state);
  const made = caseOf(state, labels);
  const fallback = {
    reflected: reflectionOf(state, labels),
    labels,
    ...(made === undefined ? {} : { case: made }),
    caseBy: reportOf(state) === undefined ? ('Archivist' as const) : ('Appraiser' as const),
  };
  return { entry: rememberRun(state, labels), fallback };
}

/** The planner's report on a run that was given up. */
function reportOf(state: RunState): BusPayload<'FinalResult'>['report'] | undefined {
  return sent(state, 'FinalResult')[0]?.payload.report;
}

/** What the run told people, and what its Task was about. */
function reflectionOf(state: RunState, { domain, locations, keywords }: RunLabels): RunReflected {
  return {
    prose: wordsOf(state),
    intent: received(state, 'TaskSpec')[0]?.payload.taskSlug ?? '',
    domain,
    keywords: [...keywords],
    entities: [...locations],
    topics: [],
    status: 'Fallback',
    label: labelOfRun(state),
    by: BY_CODE,
  };
}

/** Nothing of a refused run, and nothing that repeats a gate. */
function wordsOf(state: RunState): string {
  const { concluded } = state;
  if (concluded === undefined || concluded.outcome === 'Refused') return '';
  const summary = holdsNotice(state, concluded.summary) ? '' : concluded.summary;
  return saidOnce(
    summary,
    concluded.reasons.filter((it) => !holdsNotice(state, it)),
  );
}

function labelsOf(state: RunState): RunLabels {
  const { intent, criteria } = state.spec;
  const words = significantWords([intent, ...criteria.map(({ text }) => text)].join(' '));
  const keywords = [...new Set(words.filter(isKeyword))].slice(0, KEYWORDS_MAX);
  const ran = callsOf(state).filter(({ status }) => status !== 'Unrun');
  const locations = distinct(ran.flatMap(placesOf));
  return { domain: domainOf(words), locations, keywords };
}

function isKeyword(word: string): boolean {
  return word.length >= KEYWORD_LETTERS_MIN || !/^[\p{Script=Latin}\p{N}]+$/u.test(word);
}

/** Paths and hosts. A target may also be a whole script, which is no place. */
export function placesOf({ target = '', files }: Pick<ToolCallRecord, 'target' | 'files'>): readonly string[] {
  const host = /^https?:\/\/([^/?#]+)/.exec(target)?.[1];
  const place = host ?? (/^[^\s()]*[./][^\s()]*$/.test(target) ? target : undefined);
  return [...(place === undefined ? [] : [place]), ...files.map(({ path }) => path)];
}

function caseOf(state: RunState, labels: RunLabels): CaseWritten | undefined {
  const { spec, concluded } = state;
  const status = concluded === undefined ? undefined : caseStatusOf(concluded);
  const subtasks = sent(state, 'SubTask');
  if (concluded === undefined || status === undefined || subtasks.length === 0) return undefined;
  const ran = callsOf(state).filter((it) => it.status !== 'Unrun');
  const lastRound = Math.max(...subtasks.map(({ round }) => round));
  const plan = subtasks.filter(({ round }) => round === lastRound).map(({ payload }) => payload);
  const intents = plan.map(({ intent }) => intent.trim()).filter((it) => !holdsNotice(state, it));
  const approach = intents.join('; ').slice(0, APPROACH_CHARACTERS);
  const pitfalls = status === 'Failure' ? pitfallsOf(state) : [];
  const met = concluded.criteria.filter(({ verdict }) => verdict === 'Met').length;
  return {
    caseId: `${spec.runId}-case`,
    category: categoryOf(status, approach, pitfalls),
    problem: {
      input: spec.intent.slice(0, INPUT_CHARACTERS),
      intent: received(state, 'TaskSpec')[0]?.payload.taskSlug ?? '',
      domain: labels.domain,
      entities: [...labels.locations],
      keywords: [...labels.keywords],
      complexity: plan.length > 1 ? 'Complex' : 'Simple',
    },
    solution: {
      approach,
      agents: [...new Set(plan.map(({ worker = 'Executor' }) => worker))],
      tools: [...new Set(ran.map(({ tool }) => tool))],
      steps: distinct(ran.map(({ tool, target }) => (target === undefined ? tool : `${tool} ${target}`))),
    },
    outcome: {
      status,
      confidence: concluded.criteria.length === 0 ? 0 : met / concluded.criteria.length,
      assessment: `${concluded.outcome}: ${met} of ${concluded.criteria.length} criteria met`,
      pitfalls,
    },
    label: labelOfRun(state),
  };
}

/** What the planner's report says is missing and may be done, and the calls that failed. A refused call is no pitfall: a gate had its reasons. */
function pitfallsOf(state: RunState): string[] {
  const report = reportOf(state);
  const failed = callsOf(state).filter(({ status }) => status === 'Error' || status === 'TimedOut');
  return distinct([
    ...failed.map(({ tool, target }) => `${tool}${target === undefined ? '' : ` on ${target}`} failed`),
    ...(report?.missing ?? []).filter((it) => !holdsNotice(state, it)),
    ...(report?.nextMoves ?? []).filter((it) => !holdsNotice(state, it)).map((it) => `next: ${it}`),
  ]);
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts.map((it) => it.slice(0, ITEM_CHARACTERS)))].slice(0, LISTED_MAX);
}
