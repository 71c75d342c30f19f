/**
 * Formulates the content of memory for the planner: what it must not do, what it should prefer, and what came of similar tasks.
 *
 * Each pair has three layers: rules; the outcomes of the latest tasks of this kind; and, only if both are empty, the direction of
 * the total experience. A case is one line.
 *
 * I1  No word of a run that had read untrusted text is in a line.
 *
 * Source: artoo A.11 (R2's constraint block; references), A.17 (memory gives data, the planner's side formats), C (cases).
 * Differs: only what is about a tool or a target binds: a rule of a tool, a tool with this very target, and, of this very task, the
 * pairs that failed when it was abandoned. That the task is the same is advice: it may have failed for reasons of its own. What is
 * known of the user binds everywhere.
 */
import type { MemoryAnswer, WorkPair } from '@retainer/contract/wire/bus/payloads';
import type { RecalledCase } from '@retainer/contract/wire/bus/recalled-case';
import { oneLine, quoted } from '../request/lines.ts';
import { caseText, inOrder, isPitfall } from './case-text.ts';

/** More lines would be a manual, and nobody would read its end. */
const LINES_MAX = 24;

/** Tools on targets in one line: the way that failed. */
const PAIRS_TOLD_MAX = 4;

/** Characters of one memory: a lesson, not a transcript. */
const CONTENT_CHARACTERS = 400;

/** The wording for each remembered event; other events are no lesson on their own. Source: artoo A.10, A.11. */
const lessons: Partial<Record<MemoryAnswer['recent'][number]['state'], readonly [Strength, string]>> = {
  Accept: ['SHOULD PREFER', 'what led to'],
  Success: ['SHOULD PREFER', 'what led to'],
  Abandon: ['MUST NOT', 'repeat what led to'],
  PolicyBlock: ['SHOULD PREFER', 'to ask a person first, since policy blocked'],
};

/** In the order of the lines. The last ones are of cases. */
const STRENGTHS = ['MUST NOT', 'PITFALL', 'SHOULD PREFER', 'CASE'] as const;
type Strength = Exclude<(typeof STRENGTHS)[number], 'PITFALL' | 'CASE'>;

interface Line {
  readonly strength: (typeof STRENGTHS)[number];
  readonly text: string;
  /** The memory behind the line; absent for a total of several. */
  readonly id?: string;
}

interface Constraint extends Line {
  readonly strength: Strength;
}

/** A line of memory as somebody is shown it. */
export interface ShownLine {
  /** `m1`: by which a plan names it. */
  readonly name: string;
  readonly line: string;
  /** The memory behind it; absent for a total of several. */
  readonly id?: string;
}

/** Binding lines come first. Each constraint, and each case, is one line; cases are never left out for constraints. */
export function constraintLines(
  answers: readonly MemoryAnswer[],
  cases: readonly RecalledCase[] = [],
): readonly ShownLine[] {
  const all = answers.flatMap(layersOf);
  const ordered = [...ofStrength(all, 'MUST NOT'), ...ofStrength(all, 'SHOULD PREFER')];
  const distinct = ordered.filter((it, position) => ordered.findIndex((other) => isSame(it, other)) === position);
  const told = inOrder(cases).map(caseLine).slice(0, LINES_MAX);
  const shown = [...distinct.slice(0, LINES_MAX - told.length), ...told];
  return STRENGTHS.flatMap((strength) => ofStrength(shown, strength)).map(({ strength, text, id }, position) => ({
    name: `m${position + 1}`,
    line: `${strength}: ${text}`,
    ...(id === undefined ? {} : { id }),
  }));
}

function caseLine(it: RecalledCase): Line {
  return { strength: isPitfall(it) ? 'PITFALL' : 'CASE', text: `of a similar task, ${caseText(it)}`, id: it.id };
}

/** The memories behind lines, for the record. */
export function memoriesBehind(lines: readonly ShownLine[]): string[] {
  return [...new Set(lines.flatMap(({ id }) => id ?? []))];
}

interface Layer extends Constraint {
  readonly id: string;
  /** It names a tool or a target. */
  readonly isAboutPair: boolean;
}

function layersOf(answer: MemoryAnswer): readonly Constraint[] {
  const layers = ownLayers(answer);
  if (answer.similarity !== undefined) return layers.map((it) => advice(it, 'a similar task'));
  if (layers.length === 0) return bare(answer);
  return layers.map((it) => (it.strength === 'MUST NOT' && !it.isAboutPair ? advice(it, 'this task') : it));
}

/** A lesson of a task is advice at most: the task may have failed for reasons of its own. Source: artoo A.11. */
function advice({ strength, text, id }: Layer, task: string): Constraint {
  const said = strength === 'MUST NOT' ? `care: of ${task} it is said that it must not` : `for ${task} it was:`;
  return { id, strength: 'SHOULD PREFER', text: `${said} ${text}` };
}

function ownLayers({ space, rules, recent }: MemoryAnswer): readonly Layer[] {
  const isOfTask = space.startsWith('intent:');
  const layer = (
    { id, blamed = [] }: Pick<MemoryAnswer['rules'][number], 'id' | 'blamed'>,
    strength: Strength,
    text: string,
  ): Layer => ({ id, strength, text: `${text}${pairsOf(blamed)}`, isAboutPair: !isOfTask || blamed.length > 0 });
  return [
    ...rules.filter(isTold).map((it) => layer(it, it.sigma > 0 ? 'SHOULD PREFER' : 'MUST NOT', memory(it.content))),
    ...recent.filter(isTold).flatMap((it) => {
      const lesson = lessons[it.state];
      return lesson === undefined ? [] : [layer(it, lesson[0], `${lesson[1]} ${memory(it.content)}`)];
    }),
  ];
}

/** A model chose the targets: they are quoted. */
function pairsOf(blamed: readonly WorkPair[]): string {
  const told = blamed
    .slice(0, PAIRS_TOLD_MAX)
    .map(({ tool, target }) => (target === '' ? quoted(tool) : `${quoted(tool)} on ${quoted(target)}`));
  return told.length === 0 ? '' : ` with ${told.join(', ')}`;
}

/** Whether words may tell it. Otherwise only the direction of the total experience remains. */
function isTold({ isWordless }: MemoryAnswer['rules'][number] | MemoryAnswer['recent'][number]): boolean {
  return isWordless !== true;
}

/** Quoted, because a model or a page may have written it. */
function memory(content: string): string {
  return quoted(oneLine(content.slice(0, CONTENT_CHARACTERS)));
}

function bare({ space, entity, potentials }: MemoryAnswer): readonly Constraint[] {
  const tool = space.startsWith('tool:') ? space.slice('tool:'.length) : undefined;
  const target = entity.startsWith('path:') ? entity.slice('path:'.length) : undefined;
  const what =
    tool === undefined
      ? 'the way such tasks were done'
      : `${quoted(tool)}${target === undefined ? '' : ` on ${quoted(target)}`}`;
  switch (potentials.action) {
    case 'Ignore':
      return [];
    case 'Exploit':
      return [{ strength: 'SHOULD PREFER', text: `${what}: it went well` }];
    case 'Caution':
      return [{ strength: 'SHOULD PREFER', text: `a check of the result after ${what}: experience is mixed` }];
    case 'Avoid':
      if (tool !== undefined && target === undefined)
        return [{ strength: 'SHOULD PREFER', text: `another tool than ${what}: it failed on several targets` }];
      return tool === undefined
        ? [{ strength: 'SHOULD PREFER', text: 'another way than such tasks were done: it failed' }]
        : [{ strength: 'MUST NOT', text: `use ${what}: it failed before` }];
  }
}

function ofStrength<L extends Line>(all: readonly L[], strength: Line['strength']): readonly L[] {
  return all.filter((it) => it.strength === strength);
}

function isSame(a: Constraint, b: Constraint): boolean {
  return a.strength === b.strength && a.text === b.text;
}
