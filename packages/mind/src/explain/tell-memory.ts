/** Tells what memory answered and why, and what a cycle was told of the agent itself. */
import type { RecalledCase } from '@retainer/contract/wire/bus/recalled-case';
import type { MemoryAnswer } from '@retainer/contract/wire/bus/payloads';
import type { CycleEvent } from '../cycle/event.ts';
import type { RunEventOf } from '../run/event.ts';
import { firstLine, renderCount, renderPlural, renderSigned, renderTwoDigits } from './figures.ts';
import type { Telling } from '../part/story.ts';

type Started = Extract<CycleEvent, { kind: 'CycleStarted' }>;
type WordsOnly = NonNullable<RunEventOf<'MemoryRecalled'>['wordsOnly']>;
type Found = Pick<RecalledCase, 'score' | 'signals' | 'matched'>;

/** Most characters of what a memory says in a line. */
const EXCERPT_CHARACTERS = 160;

export function tellRecall({ answers, cases = [], wordsOnly }: RunEventOf<'MemoryRecalled'>): Telling {
  const known = answers.filter((it) => it.rules.length + it.recent.length > 0);
  const counts = [
    ...(known.length === 0 ? [] : [renderPlural(known.length, 'pair')]),
    ...(cases.length === 0 ? [] : [renderPlural(cases.length, 'case')]),
  ];
  return {
    actor: 'memory',
    tone: 'Quiet',
    text: counts.length === 0 ? 'remembers nothing of this' : `remembers ${counts.join(' and ')}`,
    details: [...wordsOnlyLines(wordsOnly), ...known.flatMap(answerLines), ...cases.flatMap(caseLines)],
  };
}

function answerLines({ space, entity, similarity, potentials, rules, recent }: MemoryAnswer): readonly string[] {
  const alike = similarity === undefined ? '' : `, alike ${renderTwoDigits(similarity)}`;
  return [
    `${space} ${entity}${alike}: ${potentials.action} (attention ${renderTwoDigits(potentials.attention)}, decision ${renderTwoDigits(potentials.decision)})`,
    ...rules.map((it) => `  rule ${it.id}, valence ${renderSigned(it.sigma)}: ${wordsOf(it)}`),
    ...recent.map((it) => `  ${it.id}, ${it.state}: ${wordsOf(it)}`),
  ];
}

function wordsOf({ content, isWordless }: MemoryAnswer['rules'][number] | MemoryAnswer['recent'][number]): string {
  return isWordless === true ? 'its words are left out: its run had read a stranger' : quoted(content);
}

function caseLines(it: RecalledCase): readonly string[] {
  const { id, category, outcome, decision, avoid, problem, lesson } = it;
  const against = avoid ? ', experience advises against it' : '';
  const experience = decision === undefined ? [] : [`experience ${renderSigned(decision)}`];
  return [
    `case ${id}, ${category}, ${outcome}${against}: ${scoreText(it, experience)}`,
    `  ${quoted(problem)} → ${quoted(lesson)}`,
  ];
}

/** `score 0.83 (adaptive 0.90; words seven, time)`. */
function scoreText({ score, signals, matched }: Found, more: readonly string[] = []): string {
  const parts = [
    ...Object.entries(signals).map(([name, value]) => `${name} ${renderTwoDigits(value)}`),
    ...more,
    ...(matched.length === 0 ? [] : [`words ${matched.join(', ')}`]),
  ];
  return `score ${renderTwoDigits(score)} (${parts.join('; ')})`;
}

const quoted = (text: string): string => JSON.stringify(firstLine(text, EXCERPT_CHARACTERS));

/** What a cycle was told of the agent itself, what did not fit, and what memory had for it. */
export function toldLines({ curated, recalled }: Started): readonly string[] {
  return [
    ...(curated === undefined ? [] : [curatedLine(curated)]),
    ...(recalled === undefined ? [] : recalledLines(recalled)),
  ];
}

function recalledLines({ facts, threads, cases, wordsOnly }: NonNullable<Started['recalled']>): readonly string[] {
  return [
    ...wordsOnlyLines(wordsOnly),
    ...facts.map((it) => `fact ${it.id}: ${scoreText(it)}`),
    ...threads.map((it) => `${it.id}: ${scoreText(it)}`),
    ...cases.flatMap(caseLines),
  ];
}

const reasons = {
  Late: 'the vectors came too late',
  Away: 'nobody could make vectors',
} as const satisfies Readonly<Record<WordsOnly, string>>;

function wordsOnlyLines(why: WordsOnly | undefined): readonly string[] {
  return why === undefined ? [] : [`memory compared words alone: ${reasons[why]}`];
}

function curatedLine(curated: NonNullable<Started['curated']>): string {
  const characters = curated.reduce((sum, it) => sum + it.characters, 0);
  const slots = curated.map(({ slot, items, cut }) => {
    if (cut > 0) return `${slot} (${renderCount(items)} of ${renderCount(items + cut)} fit)`;
    return items === 1 ? slot : `${slot} (${renderCount(items)})`;
  });
  return `told of itself, in ${renderCount(characters)} characters: ${slots.join(', ')}`;
}
