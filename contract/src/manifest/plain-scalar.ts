/**
 * What a plain scalar of YAML means to kubectl: words and numbers of YAML 1.1, with some of 1.2.
 *
 * Source: goyaml.v2, resolve.go; `kubectl annotate --local` of version 1.32 says the same of every row of the test.
 */
import { err, ok, type Result } from '../std/result.ts';

type Scalar = string | number | boolean | null;

const words = new Map<string, Scalar>([
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map((word) => [word, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map((word) => [word, false] as const),
]);

/** JSON has no number for them. */
const beyondJson = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;

const whole = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|([1-9][0-9]*|0))$/;
const fraction = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;

/** Whole numbers have 64 bits there; a larger one in decimal notation is a fraction, and a text otherwise. */
const WHOLE_BITS = 64n;

/** @returns an error for a number that JSON does not have */
export function plainScalar(text: string): Result<Scalar, string> {
  const word = words.get(text);
  if (word !== undefined) return ok(word);
  if (beyondJson.test(text)) return err(text);
  // Only what begins as a number is looked at: `_1` is a text.
  if (!/^[-+.0-9]/.test(text)) return ok(text);
  // Behind a leading dot an underscore stands between digits only.
  if (text.startsWith('.') && /(?<![0-9])_|_(?![0-9])/.test(text)) return ok(text);
  const digits = text.replaceAll('_', '');
  const number = wholeNumber(digits) ?? (fraction.test(digits) ? Number(digits) : undefined);
  return ok(number !== undefined && Number.isFinite(number) ? number + 0 : text);
}

function wholeNumber(digits: string): number | undefined {
  const [, sign = '', hex, binary, octal, decimal] = whole.exec(digits) ?? [];
  const text = spelled('0x', hex) ?? spelled('0b', binary) ?? spelled('0o', octal) ?? decimal;
  if (text === undefined || BigInt(text) >= 1n << WHOLE_BITS) return undefined;
  return sign === '-' ? -Number(text) : Number(text);
}

function spelled(prefix: string, digits: string | undefined): string | undefined {
  return digits === undefined ? undefined : `${prefix}${digits}`;
}
