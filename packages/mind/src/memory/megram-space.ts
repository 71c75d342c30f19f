/**
 * What a megram is about: a space and an entity.
 *
 * | megram | space | entity |
 * |---|---|---|
 * | how a task ended | `intent:SLUG` | `env:NAME` |
 * | how a tool did on a target | `tool:NAME` | `path:TARGET` |
 * | what holds for the user, whatever the task | `global:user` | any |
 *
 * Source: artoo A.10 (tags; tools are read too), A.11 (slug).
 */
import { sha256Hex } from '@retainer/contract/std/hash';
import { significantWords } from './significant-words.ts';

export interface MegramPair {
  readonly space: string;
  readonly entity: string;
}

/** In a reading: whatever the entity. No entity is called so, since each begins with its kind. */
export const ANY_ENTITY = '*';

/** Rules and events of the user. Read with every plan. Source: artoo A.11. */
export const USER_PAIR: MegramPair = { space: 'global:user', entity: ANY_ENTITY };

/** A slug of more words would be another one for each wording. Source: artoo A.11. */
const SLUG_WORDS = 3;

/** Characters, that is, Unicode code points. Source: artoo A.11. */
const SLUG_CHARACTERS_MAX = 48;

/** Hexadecimal digits that name what has no words, or too many: as good as unique within one agent. */
const HASH_DIGITS = 16;

/** Characters of a target; a longer one is a script and goes by its hash. */
const TARGET_CHARACTERS_MAX = 200;

/** The space of a task: its first three words that mean something, in letters and digits of any script. */
export function intentSpace(intent: string): string {
  return `intent:${slugOf(intent)}`;
}

/** How a task ended in an environment. */
export function taskPair(intent: string, environment: string): MegramPair {
  return { space: intentSpace(intent), entity: `env:${environment}` };
}

/** How a tool did on a target; the target is empty where a call had none. */
export function toolPair(tool: string, target: string): MegramPair {
  return { space: toolSpace(tool), entity: targetEntity(target) };
}

/** What the planner asks memory about: the task, and each tool that it may plan with. Source: artoo A.10. */
export function planningPairs(intent: string, environment: string, tools: readonly string[]): readonly MegramPair[] {
  return [taskPair(intent, environment), ...tools.map((tool) => ({ space: toolSpace(tool), entity: ANY_ENTITY }))];
}

/** As megrams are written; `target:` is another word for `path:`. Source: artoo A.11. */
export function writtenEntity(entity: string): string {
  return entity.startsWith('target:') ? targetEntity(entity.slice('target:'.length)) : entity;
}

/** The tool that a space is about; undefined where it is about something else. */
export function toolOf(space: string): string | undefined {
  return space.startsWith('tool:') ? space.slice('tool:'.length) : undefined;
}

/** The words of an intent's space; undefined where it is about something else. */
export function slugWords(space: string): string | undefined {
  return space.startsWith('intent:') ? space.slice('intent:'.length).replaceAll('_', ' ') : undefined;
}

function toolSpace(tool: string): string {
  return `tool:${tool}`;
}

function targetEntity(target: string): string {
  return `path:${target.length <= TARGET_CHARACTERS_MAX ? target : hashOf(target)}`;
}

function slugOf(intent: string): string {
  const chosen = significantWords(intent).slice(0, SLUG_WORDS).join('_');
  const slug = Array.from(chosen).slice(0, SLUG_CHARACTERS_MAX).join('').replace(/_+$/, '');
  return slug.length > 0 ? slug : hashOf(intent.normalize('NFKC').toLowerCase());
}

function hashOf(text: string): string {
  return sha256Hex(text).slice(0, HASH_DIGITS);
}
