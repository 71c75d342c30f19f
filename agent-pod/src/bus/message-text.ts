/** A message as the bus carries it: JSON. What comes out is parsed and compared with its hash, whoever put it in. */
import { BusMessage, contentHash } from '@retainer/contract/wire/bus/envelope';
import { err, ok, type Result } from '@retainer/contract/std/result';

/** Longer than any message that a run makes: its texts are cut to kilobytes, and a plan has hundreds of them at most. */
export const MESSAGE_CHARS_MAX = 8 * 1024 * 1024;

export type Garbage =
  | 'NoText'
  | 'TooLong'
  | 'NotJson'
  /** Of no known type, of another version, or with a field missing. */
  | 'NotAMessage'
  | 'ContentHashDiffers'
  /** Handed to a role that it is not for. */
  | 'Misaddressed';

/** @throws RangeError for one that is too long */
export function encodeMessage(message: BusMessage): string {
  const text = JSON.stringify(message);
  if (text.length <= MESSAGE_CHARS_MAX) return text;
  throw new RangeError(
    `message ${message.id} has ${String(text.length)} characters and may have ${String(MESSAGE_CHARS_MAX)}: keep its texts as artifacts`,
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
  // The hash covers the payload as it was sent; parsing leaves out fields that this version does not know.
  const { payload } = json as { readonly payload: unknown };
  return contentHash(payload) === parsed.data.contentHash ? ok(parsed.data) : err('ContentHashDiffers');
}
