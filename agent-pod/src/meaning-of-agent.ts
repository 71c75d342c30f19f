/** Who turns texts into vectors for an agent's memory, as its manifest says. */
import { join } from 'node:path';
import type { Agent } from '@retainer/contract/api/agent';
import type { Clock } from '@retainer/contract/std/clock';
import { sha256Hex } from '@retainer/contract/std/hash';
import { noProxies, type ProxySettings } from '@retainer/contract/std/proxies';
import { openMeaning } from './boot/word-table.ts';
import type { OpenMeaning } from './ports/meaning.ts';

/** Hexadecimal digits in the name of a file of vectors: one for each model of each server. */
const NAME_DIGITS = 12;

export interface MeaningSurroundings {
  readonly dataDirectory: string;
  /** Of the server. */
  readonly apiKey?: string | undefined;
  readonly clock: Clock;
  readonly proxies?: ProxySettings | undefined;
  readonly onNotice?: ((notice: string) => void) | undefined;
}

/** Undefined: texts are compared by their words, as it is wanted. */
export function meaningOfAgent(
  { provider, baseURL, model }: Agent['spec']['memory']['embedding'],
  { dataDirectory, apiKey, clock, proxies = noProxies, onNotice }: MeaningSurroundings,
): OpenMeaning | undefined {
  if (provider === 'None') return undefined;
  if (provider === 'Words' || baseURL === undefined || model === undefined) return () => openMeaning(onNotice);
  return async () => {
    const [{ HttpMeaning }, { VectorCache }] = await Promise.all([
      import('./infer/http-meaning.ts'),
      import('./infer/vector-cache.ts'),
    ]);
    const name = `vectors-${sha256Hex(`${baseURL}\n${model}`).slice(0, NAME_DIGITS)}.jsonl`;
    const cache = await VectorCache.open(join(dataDirectory, 'cache', name), model);
    const given = { ...(apiKey === undefined ? {} : { apiKey }), ...(onNotice === undefined ? {} : { onNotice }) };
    return new HttpMeaning({ baseURL, model, cache, clock, proxies, ...given });
  };
}
