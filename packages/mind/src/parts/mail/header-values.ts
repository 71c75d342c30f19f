/**
 * What may stand in a header of a mail of ours. Whatever a model, a letter or a manifest gave is held to it before it is recorded, and
 * again when the bytes are made.
 *
 * Source: reliability-security 5 (strict builder: no CR, LF, NUL; no header from the model).
 */

/** How many programs have answered each other before; set and read by agents. */
export const HOPS_HEADER = 'X-Retainer-Hops';

/** Of an address, RFC 5321 4.5.3.1: octets before the `@`, and of all. */
const LOCAL_CHARACTERS_MAX = 64;
const ADDRESS_CHARACTERS_MAX = 254;
/** Characters of a Message-ID that fit into one line with the name of its header. */
const MESSAGE_ID_CHARACTERS_MAX = 900;
/** Characters of a subject of ours: more than a list of mails shows. */
export const SUBJECT_CHARACTERS_MAX = 200;

/**
 * Without the signs of RFC 5322 that lists of addresses, routes and shells read in another way: `*`, `!`, `%`, a bar and a back quote.
 * Some servers send `eve%evil.example@firm.example` on to evil.example, which `*@firm.example` does not allow.
 */
const ADDRESS =
  /^[A-Za-z0-9#$&'+/=?^_{}~-]+(?:\.[A-Za-z0-9#$&'+/=?^_{}~-]+)*@[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*$/;

/** Printable ASCII without space and angle brackets. */
const MESSAGE_ID = /^[\x21-\x3b\x3d\x3f-\x7e]+$/;

/** Everything that ends a line, hides, or turns the direction of what follows. */
const CONTROL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu;

/** Half of a character that a cut has left. */
const LONE_SURROGATE = /\p{Cs}/gu;

/** A bare address in ASCII: no name, no group, no quotes, no comment. */
export function isMailAddress(text: string): boolean {
  if (text.length > ADDRESS_CHARACTERS_MAX || !ADDRESS.test(text)) return false;
  return text.lastIndexOf('@') <= LOCAL_CHARACTERS_MAX;
}

/** @param id  without angle brackets */
export function isMessageId(id: string): boolean {
  return id.length <= MESSAGE_ID_CHARACTERS_MAX && MESSAGE_ID.test(id);
}

/**
 * The text on one line, without control characters, cut at a whole character. What begins an encoded word is parted: whoever reads the
 * header would decode it, to line ends as well.
 */
export function oneLine(text: string, charactersMax = SUBJECT_CHARACTERS_MAX): string {
  const line = text.replace(CONTROL, ' ').replaceAll(/\s+/g, ' ').replaceAll('=?', '= ?').trim();
  return line.slice(0, charactersMax).replace(LONE_SURROGATE, '').trim();
}

/** Whether a text can be a subject as it stands. */
export function isOneLine(text: string): boolean {
  return text !== '' && text === oneLine(text);
}

/** Control characters but line feed and tab, and halves of characters. */
const NOT_IN_TEXT = /[^\P{Cc}\n\t]|\p{Cs}/gu;

/** A text for the body: lines end with a line feed, and nothing else in it is a control character. */
export function bodyText(text: string): string {
  return text.replaceAll(/\r\n?|[\u2028\u2029\u0085]/g, '\n').replace(NOT_IN_TEXT, '');
}
