import type { Json } from '@retainer/contract/std/canonical-json';
import { changed } from './fields.ts';

/** Version 1 held one message: `message`. */
export function messageSentFrom1(older: Json): Json {
  return changed(older, ({ message, ...rest }) => (message === undefined ? rest : { messages: [message] }));
}
