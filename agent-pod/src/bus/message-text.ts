/** Encodes messages for the bus as JSON. Decoding trusts no sender: it validates a message and compares its hash. */
import { BusMessage, contentHash } from '@retainer/contract/wire/bus/envelope';
import { err, ok, type Result } from '@retainer/contract/std/result';

/** Longer than any message of a run: texts are cut to kilobytes, and a plan contains hundreds of them at most. */
export const MESSAGE_CHARS_MAX = 8 * 1024 * 1024;

export type Garbage =
  | 'NoText'
  | 'TooLong'
  | 'NotJson'
  /** Unknown type, other version, or missing field. */
  | 'NotAMessage'
  | 'ContentHashDiffers'
  /** Delivered to the wrong role. */
  | 'Misaddressed';

/** @throws RangeError if it is too long */
export function encodeMessage(message: BusMessage): string {
  const text = JSON.stringify(message);
  if (text.length <= MESSAGE_CHARS_MAX) return text;
  throw new RangeError(
    `message ${message.id} has ${String(text.length)} characters, but at most ${String(MESSAGE_CHARS_MAX)} are allowed: keep its texts as artifacts`,
  );
}

export function decodeMessage(text: string): Result<BusMessage, Garbage> {
  if (text.length > MESSAGE_CHARS_MAX) return err('TooLong');
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return err('NotJson');
  }
  const parsed = BusMessage.safeParse(json);
  if (!parsed.success) return err('NotAMessage');
  // The hash covers the payload as sent; parsing drops fields unknown to this version.
  const { payload } = json as { readonly payload: unknown };
  return contentHash(payload) === parsed.data.contentHash ? ok(parsed.data) : err('ContentHashDiffers');
}
