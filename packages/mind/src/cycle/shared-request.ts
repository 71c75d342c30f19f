/**
 * The beginning that all requests of a run to one model have in common: the same tools, then who the agent is with the Task and its
 * criteria. What differs from role to role stands behind it.
 *
 * Another choice of tools or other thinking leaves a provider's cache of tools and system texts as it is. Another schema of the answer
 * adds a text of the provider to the system texts, so roles with different schemas can count on the tools alone, which bear a mark.
 *
 * Source: Messages API (prompt caching).
 */
import { saidOnce } from '../assemble/shared-start.ts';
import type { Message, ModelRequest } from '../request/model-request.ts';
import type { CycleSpec } from './event.ts';

/** The system texts, the shared one first; it replaces the one with the same identity. */
export function systemOf({ shared, system }: CycleSpec): ModelRequest['system'] {
  const own = system[0]?.text === shared.identity ? system.slice(1) : system;
  const text = [shared.identity, shared.task].filter((it) => it !== '').join('\n\n');
  return text === '' ? own : [{ text, cache: true }, ...own];
}

/** What the program tells the role of its work, without who the agent is and what holds now. */
export function dutiesOf({ shared, system }: CycleSpec): string {
  const own = system.filter(({ text, varies }) => varies !== true && text !== shared.identity);
  return own.map(({ text }) => text).join('\n\n');
}

/** The turns, the first of which no longer repeats what the shared text says. */
export function turnsOf({ shared, input }: CycleSpec, messages: readonly Message[]): readonly Message[] {
  const [first, ...rest] = messages;
  if (first === undefined) return messages;
  const content = first.content.map((block) =>
    block.type === 'Text' && block.text === input
      ? { ...block, text: saidOnce(input, shared.task, shared.tools) }
      : block,
  );
  return [{ ...first, content }, ...rest];
}
