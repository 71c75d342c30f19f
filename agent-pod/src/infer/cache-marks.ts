/** Where a request marks its prompt for the provider's cache. Pure. */
import type { ModelRequest } from '@retainer/mind/request/model-request';

/** Positions in the lists of the request; a mark caches everything up to it, tools first, then system texts, then turns. */
export interface CacheMarks {
  readonly tools: readonly number[];
  readonly system: readonly number[];
  readonly messages: readonly number[];
}

/** One mark on the last tool, a forced answer's only where there is no other; one on the last system text with `cache`. */
export function cacheMarks({
  tools,
  system,
  answerAs,
}: Pick<ModelRequest, 'tools' | 'system' | 'answerAs'>): CacheMarks {
  const count = tools.length === 0 && answerAs?.form === 'Tool' ? 1 : tools.length;
  const lastCached = system.findLastIndex(({ text, cache }) => cache && text !== '');
  return {
    tools: count === 0 ? [] : [count - 1],
    system: lastCached === -1 ? [] : [lastCached],
    messages: [],
  };
}
