/**
 * What a megram is about: a space and an entity.
 *
 * | megram | space | entity |
 * |---|---|---|
 * | how a task ended | `intent:SLUG` | `env:NAME` |
 * | how a tool did on a target | `tool:NAME` | `path:TARGET` |
 * | what holds for the user, whatever the task | `global:user` | any |
 *
 * Source: artoo A.10 (tags), RES-24 (slug), RES-33 (tools are read too).
 * Differs: neighbours by embedding are not read; the same intent in other words is another space.
 */
import { sha256Hex } from '@retainer/contract/std/hash';

export interface MegramPair {
  readonly space: string;
  readonly entity: string;
}

/** In a reading: whatever the entity. No entity is called so, since each begins with its kind. */
export const ANY_ENTITY = '*';

/** Rules and events of the user. Read with every plan. Source: artoo A.11. */
export const USER_PAIR: MegramPair = { space: 'global:user', entity: ANY_ENTITY };

/** A slug of more words would be another one for each wording. Source: artoo RES-24. */
const SLUG_WORDS = 3;

/** Characters, that is, Unicode code points. Source: artoo RES-24. */
const SLUG_CHARACTERS_MAX = 48;

/** Hexadecimal digits that name what has no words, or too many: as good as unique within one agent. */
const HASH_DIGITS = 16;

/** Characters of a target; a longer one is a script and goes by its hash. */
const TARGET_CHARACTERS_MAX = 200;

/**
 * English words that carry no subject. Those of other languages stay: they make a slug less sharp, never wrong.
 */
const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  (
    'a an the this that these those it its i me my we us our you your he she they them their is are was were be been ' +
    'do does did can could would should will shall may might must have has had of to in on at by for from with into ' +
    'onto about as and or but if then so please just also all any some what which who whom whose how when where why ' +
    'there here not no'
  ).split(' '),
);

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

/** What the planner asks memory about: the task, and each tool that it may plan with. Source: artoo RES-33. */
export function planningPairs(intent: string, environment: string, tools: readonly string[]): readonly MegramPair[] {
  return [taskPair(intent, environment), ...tools.map((tool) => ({ space: toolSpace(tool), entity: ANY_ENTITY }))];
}

/** As megrams are written; `target:` is another word for `path:`. Source: artoo RES-24. */
export function writtenEntity(entity: string): string {
  return entity.startsWith('target:') ? targetEntity(entity.slice('target:'.length)) : entity;
}

/** The tool that a space is about; undefined where it is about something else. */
export function toolOf(space: string): string | undefined {
  return space.startsWith('tool:') ? space.slice('tool:'.length) : undefined;
}

function toolSpace(tool: string): string {
  return `tool:${tool}`;
}

function targetEntity(target: string): string {
  return `path:${target.length <= TARGET_CHARACTERS_MAX ? target : hashOf(target)}`;
}

function slugOf(intent: string): string {
  const text = intent.normalize('NFKC').toLowerCase();
  const words = text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const significant = words.filter((word) => !FUNCTION_WORDS.has(word));
  const chosen = (significant.length > 0 ? significant : words).slice(0, SLUG_WORDS).join('_');
  const slug = Array.from(chosen).slice(0, SLUG_CHARACTERS_MAX).join('').replace(/_+$/, '');
  return slug.length > 0 ? slug : hashOf(text);
}

function hashOf(text: string): string {
  return sha256Hex(text).slice(0, HASH_DIGITS);
}
