/**
 * The subject of a megram: a pair of space and entity.
 *
 * | megram | space | entity |
 * |---|---|---|
 * | outcome of a task | `intent:SLUG` | `env:NAME` |
 * | result of a tool on a target | `tool:NAME` | `path:TARGET` |
 * | what is so on every target that begins alike | `tool:NAME` | `under:PLACE` |
 * | knowledge of the user for any task | `global:user` | any |
 *
 * Source: artoo A.10 (tags; tools are read too), A.11 (slug).
 */
import { sha256Hex } from '@retainer/contract/std/hash';
import { significantWords } from '../../meaning/significant-words.ts';

export interface MegramPair {
  readonly space: string;
  readonly entity: string;
}

/** In a query: any entity. No entity has this name, because each begins with its kind. */
export const ANY_ENTITY = '*';

/** Rules and events of the user. Read for every plan. Source: artoo A.11. */
export const USER_PAIR: MegramPair = { space: 'global:user', entity: ANY_ENTITY };

/** A longer slug would differ for each wording. Source: artoo A.11. */
const SLUG_WORDS = 3;

/** Characters, that is, Unicode code points. Source: artoo A.11. */
const SLUG_CHARACTERS_MAX = 48;

/** Hexadecimal digits that replace a text without words, or with too many: practically unique within one agent. */
const HASH_DIGITS = 16;

/** Characters of a target. A longer one is a script; its hash replaces it. */
const TARGET_CHARACTERS_MAX = 200;

/**
 * The space of a task: its first three significant words, in letters and digits of any script. It is a name, not a meaning: a recall
 * compares the intents themselves (`intent-comparison.ts`).
 */
export function intentSpace(intent: string): string {
  return `intent:${slugOf(intent)}`;
}

/** The pair for how a task ended in an environment. */
export function taskPair(intent: string, environment: string): MegramPair {
  return { space: intentSpace(intent), entity: environmentEntity(environment) };
}

export function environmentEntity(environment: string): string {
  return `env:${environment}`;
}

/** The pair for a tool's result on a target; the target is empty if a call had none. */
export function toolPair(tool: string, target: string): MegramPair {
  return { space: toolSpace(tool), entity: targetEntity(target) };
}

/** What the planner asks memory about: the task, and each available tool. Source: artoo A.10. */
export function planningPairs(intent: string, environment: string, tools: readonly string[]): readonly MegramPair[] {
  return [taskPair(intent, environment), ...tools.map((tool) => ({ space: toolSpace(tool), entity: ANY_ENTITY }))];
}

/** The entity in its written form; `target:` is a synonym of `path:`. Source: artoo A.11. */
export function writtenEntity(entity: string): string {
  return entity.startsWith('target:') ? targetEntity(entity.slice('target:'.length)) : entity;
}

/** The pair for a tool on all targets of a place: a folder with its slash, or a host. */
export function placePair(tool: string, place: string): MegramPair {
  return { space: toolSpace(tool), entity: `under:${place}` };
}

/** The place of such a pair; undefined for others. */
export function placeOf({ entity }: MegramPair): string | undefined {
  return entity.startsWith('under:') ? entity.slice('under:'.length) : undefined;
}

/** The target of a pair, as its tool was given it; undefined for others. A long one is told by its hash. */
export function targetOf({ entity }: MegramPair): string | undefined {
  return entity.startsWith('path:') ? entity.slice('path:'.length) : undefined;
}

/** The tool of a space; undefined for other spaces. */
export function toolOf(space: string): string | undefined {
  return space.startsWith('tool:') ? space.slice('tool:'.length) : undefined;
}

/** The words of an intent's space; undefined for other spaces. */
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
