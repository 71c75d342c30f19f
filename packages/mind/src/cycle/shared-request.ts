/**
 * The beginning that all requests of a run to one model have in common: the same tools, then who the agent is with the Task and its
 * criteria. What differs from role to role stands behind it.
 *
 * Another choice of tools or other thinking leaves a provider's cache of tools and system texts as it is. Another schema of the answer
 * adds a text of the provider to the system texts, so roles with different schemas can count on the tools alone, which bear a mark.
 *
 * Source: Messages API (prompt caching).
 */
import { knownModel } from '@retainer/contract/api/known-models';
import { saidOnce } from '../assemble/shared-start.ts';
import type { Message, ModelRequest } from '../request/model-request.ts';
import type { CycleSpec } from './event.ts';

/** The system texts, the shared one first; it replaces the one with the same identity. */
export function systemOf({ shared, system }: CycleSpec): ModelRequest['system'] {
  const own = system[0]?.text === shared.identity ? system.slice(1) : system;
  const text = [shared.identity, shared.task].filter((it) => it !== '').join('\n\n');
  return text === '' ? own : [{ text, cache: true }, ...own];
}

/** What the program tells the role of its work, without what holds now. */
export function dutiesOf({ system }: CycleSpec): string {
  return system
    .filter((it) => it.varies !== true)
    .map(({ text }) => text)
    .join('\n\n');
}

/** Characters of a Task that is repeated for a small model: a longer one would take the room of the work. */
const REPEATED_CHARACTERS_MAX = 4000;

/**
 * The turns, the first of which no longer repeats what the shared text says. Models that nobody here knows may be small, and small ones
 * answer a line that refers to the Task with that line, so a Task that is not long is repeated for them.
 */
export function turnsOf({ model, shared, input }: CycleSpec, messages: readonly Message[]): readonly Message[] {
  const [first, ...rest] = messages;
  const isRepeated = knownModel(model) === undefined && shared.task.length <= REPEATED_CHARACTERS_MAX;
  if (first === undefined || isRepeated) return messages;
  const content = first.content.map((block) =>
    block.type === 'Text' && block.text === input
      ? { ...block, text: saidOnce(input, shared.task, shared.tools) }
      : block,
  );
  return [{ ...first, content }, ...rest];
}
