/**
 * What memory knows, in the planner's words: what it must not do, and what it should prefer.
 *
 * Three layers for each pair: rules; how the last tasks of this kind ended; and only where there is neither, which way
 * the sum of experience points.
 *
 * Source: artoo A.11 (R2's constraint block; references), A.17 (memory gives data, the planner's side formats).
 * Differs: what is said against a tool as a whole, or by similar tasks alone, is a preference; what binds is a rule, an
 * abandoned task, a tool with this very target, and the sum of this very task. One failure would else ban a tool for every task.
 */
import type { MemoryAnswer } from '@retainer/contract/wire/bus/payloads';
import { oneLine, quoted } from '../request/lines.ts';

/** More would be a manual, and its end would not be read. */
const LINES_MAX = 24;

/** Characters of one memory: a lesson, not a transcript. */
const CONTENT_CHARACTERS = 400;

/** How a remembered event is put; those that are not here are no lesson on their own. Source: artoo A.10, A.11. */
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
  /** Memory that says so; absent where it is the sum of many. */
  readonly id?: string;
}

export interface ConstraintLines {
  /** What binds comes first. Each is one line. */
  readonly lines: readonly string[];
  /** Ids of the memories that these lines were made of. */
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

/** What a task of other words taught is an advice at most: it may have failed for reasons of its own. Source: artoo A.11. */
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
  const rules = answer.rules.map(({ id, content, sigma }): Constraint => {
    return { id, strength: sigma > 0 ? 'SHOULD PREFER' : 'MUST NOT', text: memory(content) };
  });
  const recent = answer.recent.flatMap(({ id, content, state }): readonly Constraint[] => {
    const lesson = lessons[state];
    return lesson === undefined ? [] : [{ id, strength: lesson[0], text: `${lesson[1]} ${memory(content)}` }];
  });
  return [...rules, ...recent];
}

/** Quoted: what a memory says was once a model's or a page's text. */
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
      // Where nobody has done the task, the sum is that of its neighbours.
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
