/** Reads the body of an answer, until the answer is whole. */
import { err, ok, type Result } from '@retainer/contract/std/result';
import { emptyStream, finishStream, foldStreamEvent, isWhole, type StreamState } from './anthropic-stream.ts';
import { EventStream, type Decoded } from './event-stream.ts';
import type { AttemptAnswer, AttemptFailure } from './model-attempt.ts';

/**
 * Time for the end of the body once the answer is whole. A server sends it at once; one that does not, or that breaks the connection,
 * takes nothing from an answer that is paid for. Real time, because it begins when no more is expected.
 */
const END_MS_MAX = 500;

/**
 * @param toError  makes the error that is thrown for an error that the server states within the body
 * @returns the answer; throws what the connection throws before the answer is whole
 */
export async function readAnswer(
  body: ReadableStream<Uint8Array> | null,
  toError: (body: object) => Error,
): Promise<Result<AttemptAnswer, AttemptFailure>> {
  if (body === null) return finishStream(emptyStream);
  const reader = body.getReader();
  const text = new TextDecoder();
  const events = new EventStream();
  const over = timeout();
  let state = emptyStream;
  const fold = (decoded: readonly Decoded[]): Result<StreamState, AttemptFailure> => folded(state, decoded, toError);
  try {
    for (let isEnd = false; !isEnd;) {
      const chunk = await (isWhole(state) ? Promise.race([reader.read(), over.begin()]) : reader.read());
      isEnd = chunk.done;
      const decoded = isEnd
        ? [...events.push(text.decode()), ...events.end()]
        : events.push(text.decode(chunk.value, { stream: true }));
      const next = fold(decoded);
      if (!next.ok) return next;
      state = next.value;
    }
  } catch (error) {
    if (!isWhole(state)) throw error;
  } finally {
    over.forget();
    // Frees the connection of an answer that was left before its end; nobody waits for it.
    reader.cancel().catch(() => undefined);
  }
  return finishStream(state);
}

/** What comes after a whole answer can add to it, but takes nothing from it. */
function folded(
  before: StreamState,
  decoded: readonly Decoded[],
  toError: (body: object) => Error,
): Result<StreamState, AttemptFailure> {
  let state = before;
  for (const it of decoded) {
    const next = it.kind === 'Event' ? foldStreamEvent(state, it.data) : err(NO_JSON);
    if (next.ok) state = next.value;
    else if (isWhole(state)) return ok(state);
    else if (it.kind === 'Error') throw toError(it.body);
    else return next;
  }
  return ok(state);
}

const NO_JSON: AttemptFailure = { kind: 'MalformedAnswer', message: 'an event of the stream is not JSON' };

interface Timeout {
  /** Resolves as the end of a body does. */
  readonly begin: () => Promise<{ readonly done: true; readonly value: undefined }>;
  readonly forget: () => void;
}

/** Begins once, however often it is asked. */
function timeout(): Timeout {
  let timer: NodeJS.Timeout | undefined;
  let over: ReturnType<Timeout['begin']> | undefined;
  return {
    begin: () => {
      over ??= new Promise((resolve) => {
        timer = setTimeout(() => resolve({ done: true, value: undefined }), END_MS_MAX);
      });
      return over;
    },
    forget: () => clearTimeout(timer),
  };
}
