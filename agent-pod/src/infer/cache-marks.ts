/** Where a request marks its prompt for the provider's cache. Pure. */
import { isBlank } from '@retainer/contract/std/well-formed';
import type { ModelRequest } from '@retainer/mind/request/model-request';

/** A request with more is refused. Source: Messages API (prompt caching). */
export const CACHE_MARKS_MAX = 4;

/**
 * Turns marked at the end of a conversation: the last one writes, the one before finds what the last request wrote even where a turn
 * has more blocks than a provider looks back.
 */
const TURNS_MARKED = 2;

/** Positions in the lists of the request; a mark caches everything up to it, tools first, then system texts, then turns. */
export interface CacheMarks {
  readonly tools: readonly number[];
  readonly system: readonly number[];
  readonly messages: readonly number[];
}

/**
 * The last turns of people and tools, then the system texts with `cache`, then the last tool, while marks are left: what stands
 * later covers what stands before it. A forced answer's tool comes last. It is marked only if there is no other tool, because it differs
 * from role to role.
 *
 * A mark costs a quarter more than the tokens that it writes, so a question without calls, which nobody continues as a rule, is
 * marked only once it is continued.
 */
export function cacheMarks({
  tools,
  system,
  messages,
  answerAs,
  isPlain,
  callsNoTool,
}: Pick<ModelRequest, 'tools' | 'system' | 'messages' | 'answerAs' | 'isPlain' | 'callsNoTool'>): CacheMarks {
  if (isPlain === true) return { tools: [], system: [], messages: [] };
  const isContinued = (tools.length > 0 && callsNoTool !== true) || messages.length > 1;
  const turns = places(messages, ({ role, content }) => role === 'User' && content.some(hasText)).slice(-TURNS_MARKED);
  const markedTurns = isContinued ? turns : [];
  const texts = last(
    places(system, ({ text, cache }) => cache && !isBlank(text)),
    CACHE_MARKS_MAX - markedTurns.length,
  );
  const offered = tools.length === 0 && answerAs?.form === 'Tool' ? 1 : tools.length;
  const isToolMarked = offered > 0 && markedTurns.length + texts.length < CACHE_MARKS_MAX;
  return { tools: isToolMarked ? [offered - 1] : [], system: texts, messages: markedTurns };
}

const hasText = (block: ModelRequest['messages'][number]['content'][number]): boolean =>
  block.type !== 'Text' || !isBlank(block.text);

function places<Item>(items: readonly Item[], isMarkable: (item: Item) => boolean): readonly number[] {
  return items.flatMap((item, at) => (isMarkable(item) ? [at] : []));
}

function last(all: readonly number[], count: number): readonly number[] {
  return all.slice(Math.max(0, all.length - count));
}
