/** How events of a run that older versions recorded read as those of today. */
import type { Json } from '@retainer/contract/std/canonical-json';

/** Version 1 of a `MessageSent` held one message: `message`. */
export function messageSentFrom1(older: Json): Json {
  const message = typeof older === 'object' && older !== null && 'message' in older ? older['message'] : undefined;
  return message === undefined ? older : { messages: [message] };
}
