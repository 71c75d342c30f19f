/** Upcasts events of a run that older versions recorded. */
import type { Json } from '@retainer/contract/std/canonical-json';

/** Version 1 of a `MessageSent` held one message: `message`. */
export function messageSentFrom1(older: Json): Json {
  const message = typeof older === 'object' && older !== null && 'message' in older ? older['message'] : undefined;
  return message === undefined ? older : { messages: [message] };
}

/** Version 1 of a `CycleRequested` and of a `RetryScheduled` called the purpose of the cycle its errand. */
export function purposeFrom1(older: Json): Json {
  if (typeof older !== 'object' || older === null || Array.isArray(older) || !('errand' in older)) return older;
  const { errand, ...rest } = older;
  return errand === undefined ? rest : { ...rest, purpose: errand };
}
