/**
 * What is written to memory at the end of an archiving: what the model thought, checked against the calls, or what code alone has.
 *
 * I1  Outcome, tools, steps, confidence and category of a case are code's; a model gives words only.
 * I2  Of a run that read a stranger's text, code alone names what its thread is found by.
 *
 * Source: springdrift 4 (curation, cases, category rule). Differs: a failure always makes a case, so that memory does not
 * over-represent success.
 */
import type { z } from 'zod';
import type { json } from '../cycle/request-record.ts';
import { recordedAnswer } from '../request/answers.ts';
import type { Reflection } from '../request/answers/reflection.ts';
import { categoryOf } from '../parts/cases/case-rules.ts';
import type { CaseWritten } from '../parts/cases/cases.ts';
import type { RunReflected } from '../parts/narrative/narrative.ts';
import type { RunLabels } from '../parts/threads/thread-rules.ts';
import { checkClaims, type Checked } from './check-claims.ts';
import type { ArchiveEventOf, Remembrance } from './event.ts';
import type { ArchiveState } from './state.ts';

/** Source: springdrift 4. */
const KEYWORDS_MAX = 10;
const TOPICS_MAX = 5;
const ENTITIES_MAX = 16;

/** Words by which a thread or a case is found: the model's, then code's. */
const THREAD_KEYWORDS_MAX = 16;
const CASE_WORDS_MAX = 20;

const PITFALLS_MAX = 8;
const PROSE_CHARACTERS = 2_000;
const ITEM_CHARACTERS = 200;
const REASON_CHARACTERS = 300;

type Concluded = ArchiveEventOf<'ArchiveConcluded'>;

export function fallenBack({ opened: { fallback } }: ArchiveState, reason: string): Concluded {
  const reflected = { ...fallback.reflected, reason: reason.slice(0, REASON_CHARACTERS) };
  return { kind: 'ArchiveConcluded', ...fallback, reflected };
}

/** @param value  the model's answer, of its form */
export function remembranceOf(state: ArchiveState, value: z.infer<typeof json>, model: string): Concluded {
  const answer = recordedAnswer('Reflection', value);
  if (answer === undefined) return fallenBack(state, 'the answer had not the form that was asked for');
  const { account, fallback } = state.opened;
  const checked = checkClaims(answer, account);
  const reflected = reflectedOf(checked, fallback.reflected, model);
  const labels = fallback.reflected.label.trust === 'Trusted' ? labelsOf(reflected, fallback.labels) : fallback.labels;
  const made = caseOf(checked.reflection, fallback, reflected);
  return {
    kind: 'ArchiveConcluded',
    reflected,
    labels,
    ...(made === undefined ? {} : { case: made }),
    caseBy: fallback.caseBy,
  };
}

function reflectedOf({ reflection, beyond }: Checked, code: RunReflected, model: string): RunReflected {
  const { prose, intent, domain, keywords, entities, topics } = reflection;
  const told = beyond.join(', ');
  return {
    prose: (prose === '' ? code.prose : prose).slice(0, PROSE_CHARACTERS),
    intent: intent.slice(0, ITEM_CHARACTERS),
    domain: domain.toLowerCase().slice(0, ITEM_CHARACTERS),
    keywords: distinct(keywords, KEYWORDS_MAX),
    entities: distinct(entities, ENTITIES_MAX),
    topics: distinct(topics, TOPICS_MAX),
    ...(beyond.length === 0
      ? { status: 'Full' }
      : { status: 'Partial', reason: `no call shows: ${told}`.slice(0, REASON_CHARACTERS) }),
    label: code.label,
    by: model,
  };
}

/** Places are code's: they say where the run worked, not what its words name. */
function labelsOf({ domain, keywords }: RunReflected, code: RunLabels): RunLabels {
  const words = [...keywords, ...code.keywords].map((it) => it.toLowerCase());
  return {
    domain: code.domain || domain,
    locations: [...code.locations],
    keywords: distinct(words, THREAD_KEYWORDS_MAX),
  };
}

/** Code's case, in the model's words. A report on an abandoned run is the planner's own word, and stays. */
function caseOf(
  { case: told }: Reflection,
  { case: code, caseBy }: Remembrance,
  { domain, keywords, entities }: RunReflected,
): CaseWritten | undefined {
  if (code === undefined || caseBy === 'Appraiser') return code;
  if (told === undefined) return code.outcome.status === 'Failure' ? code : undefined;
  const pitfalls = distinct([...told.pitfalls, ...code.outcome.pitfalls], PITFALLS_MAX);
  const approach = told.approach.slice(0, PROSE_CHARACTERS);
  return {
    ...code,
    category: categoryOf(code.outcome.status, approach, pitfalls),
    problem: {
      ...code.problem,
      domain: code.problem.domain || domain,
      keywords: distinct([...keywords, ...code.problem.keywords], CASE_WORDS_MAX),
      entities: distinct([...entities, ...code.problem.entities], CASE_WORDS_MAX),
    },
    solution: { ...code.solution, approach },
    outcome: {
      ...code.outcome,
      assessment: told.assessment === '' ? code.outcome.assessment : `${code.outcome.assessment}. ${told.assessment}`,
      pitfalls,
    },
  };
}

function distinct(texts: readonly string[], max: number): string[] {
  return [...new Set(texts.map((it) => it.trim().slice(0, ITEM_CHARACTERS)))].filter((it) => it !== '').slice(0, max);
}
