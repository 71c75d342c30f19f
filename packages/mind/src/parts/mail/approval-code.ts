/**
 * The code by which a letter of ours proves that its reader answers it, and no one else.
 *
 * I1  A code is known to the letter alone: the record has its SHA-256, and texts that are recorded have it blacked out.
 * I2  Codes are compared by digests of equal length, in a time that does not depend on where they differ.
 *
 * Source: reliability-security 4 (bound to the arguments, one use), 5 (compared in constant time on equal-length digests).
 */
import { sha256Hex } from '@retainer/contract/std/hash';

/** Crockford's base 32: no letter of it is read as another digit of it. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 50 bits: within the few tries that are allowed nobody guesses one. */
export const CODE_CHARACTERS = 10;
const GROUP_CHARACTERS = 5;

/** What people type for a digit that looks the same. */
const MISREAD: Readonly<Record<string, string>> = { O: '0', I: '1', L: '1' };

/** Stands for the code in the record. */
export const HIDDEN_CODE = '[code]';

/** @param digest  hexadecimal, at least 20 digits: each two of them choose one character, all of them alike often */
export function codeFrom(digest: string): string {
  return Array.from({ length: CODE_CHARACTERS }, (_, at) => {
    const byte = Number.parseInt(digest.slice(2 * at, 2 * at + 2), 16);
    return ALPHABET.charAt(byte % ALPHABET.length);
  }).join('');
}

/** In two groups, as it is printed: `7K3QF-9XW2D`. */
export const shownCode = (code: string): string => `${code.slice(0, GROUP_CHARACTERS)}-${code.slice(GROUP_CHARACTERS)}`;

/** SHA-256 of a code, hexadecimal: all that the record has of it. */
export const codeDigestOf = (code: string): string => sha256Hex(code);

/** @param a, b  SHA-256, hexadecimal */
export function isSameDigest(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let at = 0; at < a.length; at += 1) difference |= a.charCodeAt(at) ^ b.charCodeAt(at);
  return difference === 0;
}

export interface TypedCode {
  /** As it was made, whatever its letter case. Undefined: so many characters are there, and they can be no code. */
  readonly code: string | undefined;
  /** Characters of the text up to its end. */
  readonly end: number;
}

/** What people put between the characters of a code. */
const BETWEEN = /[\s\-‐-―]/;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/**
 * The code at the start of a text, with blanks and hyphens anywhere in it; undefined: the text has too few characters for one, or
 * begins with something else.
 */
export function typedCode(text: string): TypedCode | undefined {
  let typed = '';
  let at = 0;
  for (; at < text.length && typed.length < CODE_CHARACTERS; at += 1) {
    const character = text.charAt(at);
    if (LETTER_OR_DIGIT.test(character)) typed += character;
    else if (!BETWEEN.test(character)) return undefined;
  }
  if (typed.length < CODE_CHARACTERS) return undefined;
  const isOver = at === text.length || !LETTER_OR_DIGIT.test(text.charAt(at));
  return { code: isOver ? normalised(typed) : undefined, end: at };
}

function normalised(typed: string): string | undefined {
  const code = Array.from(typed.toUpperCase())
    .map((it) => MISREAD[it] ?? it)
    .join('');
  return code.length === CODE_CHARACTERS && Array.from(code).every((it) => ALPHABET.includes(it)) ? code : undefined;
}

/** One word of ten, or two of five: in any text, as our letters print it. */
const PRINTED = /(?<![\p{L}\p{N}])[0-9A-Za-z]{5}[\s\-‐-―]?[0-9A-Za-z]{5}(?![\p{L}\p{N}])/gu;

/** The text without codes of these digests. */
export function withoutCodesIn(text: string, digests: ReadonlySet<string>): string {
  return text.replaceAll(PRINTED, (found) => {
    const code = normalised(found.replace(BETWEEN, ''));
    return code !== undefined && digests.has(codeDigestOf(code)) ? HIDDEN_CODE : found;
  });
}
