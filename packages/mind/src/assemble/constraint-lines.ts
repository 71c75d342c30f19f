/**
 * Formulates the content of memory for the planner: what it must not do, and what it should prefer.
 *
 * Each pair has three layers: rules; the outcomes of the latest tasks of this kind; and, only if both are empty, the direction of
 * the total experience.
 *
 * I1  No word of a run that had read untrusted text is in a line.
 *
 * Source: artoo A.11 (R2's constraint block; references), A.17 (memory gives data, the planner's side formats).
 * Differs: evidence against a tool as a whole, or from similar tasks alone, is a preference. Only a rule, an abandoned task, a
 * tool with this very target, and the total of this very task bind. Otherwise one failure would ban a tool for every task.
 */
import type { MemoryAnswer } from '@retainer/contract/wire/bus/payloads';
import { oneLine, quoted } from '../request/lines.ts';

/** More lines would be a manual, and nobody would read its end. */
const LINES_MAX = 24;

/** Characters of one memory: a lesson, not a transcript. */
const CONTENT_CHARACTERS = 400;

/** The wording for each remembered event; other events are no lesson on their own. Source: artoo A.10, A.11. */
const lessons: Partial<Record<MemoryAnswer['recent'][number]['state'], readonly [Strength, string]>> = {
  Accept: ['SHOULD PREFER', 'what led to'],
  Success: ['SHOULD PREFER', 'what led to'],
  Abandon: ['MUST NOT', 'repeat what led to'],
  PolicyBlock: ['SHOULD PREFER', 'to ask a person first, since policy blocked'],
};

type Strength = 'MUST NOT' | 'SHOULD PREFER';

interface Constraint {
  readonly strength: Strength;
  readonly text: string;
  /** The memory behind the line; absent for a total of several. */
  readonly id?: string;
}

export interface ConstraintLines {
  /** Binding lines come first. Each constraint is one line. */
  readonly lines: readonly string[];
  readonly memoryRefs: readonly string[];
}

export function constraintLines(answers: readonly MemoryAnswer[]): ConstraintLines {
  const all = answers.flatMap(layersOf);
  const ordered = [...ofStrength(all, 'MUST NOT'), ...ofStrength(all, 'SHOULD PREFER')];
  const shown = ordered.filter((it, position) => ordered.findIndex((other) => isSame(it, other)) === position);
  const kept = shown.slice(0, LINES_MAX);
  return {
    lines: kept.map(({ strength, text }) => `${strength}: ${text}`),
    memoryRefs: kept.flatMap(({ id }) => id ?? []),
  };
}

/** A similar task's lesson is advice at most: that task may have failed for reasons of its own. Source: artoo A.11. */
const neighbourLessons = {
  'MUST NOT': 'care: of a similar task it is said that it must not',
  'SHOULD PREFER': 'for a similar task it was:',
} as const satisfies Readonly<Record<Strength, string>>;

function layersOf(answer: MemoryAnswer): readonly Constraint[] {
  const layers = ownLayers(answer);
  if (answer.similarity === undefined) return layers.length > 0 ? layers : bare(answer);
  return layers.map(({ strength, text, id }) => {
    const advice = { strength: 'SHOULD PREFER', text: `${neighbourLessons[strength]} ${text}` } as const;
    return id === undefined ? advice : { ...advice, id };
  });
}

function ownLayers(answer: MemoryAnswer): readonly Constraint[] {
  const rules = answer.rules.filter(isTold).map(({ id, content, sigma }): Constraint => {
    return { id, strength: sigma > 0 ? 'SHOULD PREFER' : 'MUST NOT', text: memory(content) };
  });
  const recent = answer.recent.filter(isTold).flatMap(({ id, content, state }): readonly Constraint[] => {
    const lesson = lessons[state];
    return lesson === undefined ? [] : [{ id, strength: lesson[0], text: `${lesson[1]} ${memory(content)}` }];
  });
  return [...rules, ...recent];
}

/** Of what is not told in words, the direction of the total experience remains. */
function isTold({ isWordless }: MemoryAnswer['rules'][number] | MemoryAnswer['recent'][number]): boolean {
  return isWordless !== true;
}

/** Quoted, because a model or a page may have written it. */
function memory(content: string): string {
  return quoted(oneLine(content.slice(0, CONTENT_CHARACTERS)));
}

function bare({ space, entity, rules, recent, potentials }: MemoryAnswer): readonly Constraint[] {
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
      // If nobody has done the task itself, the total comes from its neighbours.
      return tool === undefined && rules.length + recent.length === 0
        ? [{ strength: 'SHOULD PREFER', text: 'another way than such tasks were done: it failed' }]
        : [{ strength: 'MUST NOT', text: `use ${what}: it failed before` }];
  }
}

function ofStrength(all: readonly Constraint[], strength: Strength): readonly Constraint[] {
  return all.filter((it) => it.strength === strength);
}

function isSame(a: Constraint, b: Constraint): boolean {
  return a.strength === b.strength && a.text === b.text;
}
