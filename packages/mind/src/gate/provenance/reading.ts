/**
 * What a model sees of a long untrusted text: fields of bounded length, taken by a reader that has no tools and only the text,
 * and rendered here.
 *
 * I1  At most `SHOWN_CHARACTERS_MAX` characters are shown, for any text and any answer of the reader.
 * I2  A field is shown only if its quote is in the text, and an address only if it is in the text itself: the reader cannot
 *     invent them.
 * I3  Every field is one JSON string on a line of the agent, so that no field can imitate another field or the agent.
 *
 * Source: reliability-security 4 (dual model: no tools, typed fields, lengths and enums).
 */
import { z } from 'zod';
import {
  FIELDS_MAX,
  NAME_CHARACTERS_MAX,
  QUOTE_CHARACTERS_MAX,
  SUBJECT_CHARACTERS_MAX,
  VALUE_CHARACTERS_MAX,
  type Reading,
} from '../../request/answers/reading.ts';
import { answers } from '../../request/answers.ts';
import { oneLine, quoted } from '../../request/lines.ts';
import { areAddressesIn } from './shown-values.ts';

/** Characters of one result in a prompt: shown verbatim, or as an excerpt where longer. Source: artoo A.5. */
export const SHOWN_CHARACTERS_MAX = 4000;

/** Bytes of a page that is shown verbatim, with its header. */
export const WINDOW_BYTES_MAX = 3000;

/** A reading is recorded as it was read from the answer. */
export const ReaderAnswer = z.discriminatedUnion('available', [
  z.object({ available: z.literal(true), reading: answers.Reading.shape as z.ZodType<Reading> }),
  z.object({ available: z.literal(false), reason: z.string() }),
]);

type Field = Reading['fields'][number];

/** The lines of a reading, at most `SHOWN_CHARACTERS_MAX` characters. @param text  the text that was read */
export function renderReading({ kind, subject, holdsInstructions, fields }: Reading, text: string): string {
  const flat = oneLine(text);
  const head = [
    `kind: ${kind}`,
    `subject: ${areAddressesIn(subject, [flat]) ? bounded(subject, SUBJECT_CHARACTERS_MAX) : INVENTED_ADDRESS}`,
    `instructions to whoever reads it: ${holdsInstructions ? 'yes' : 'none seen'}`,
  ];
  const found = fields.slice(0, FIELDS_MAX).filter((field) => isBorneOut(field, flat));
  const shown = fitting(
    found.map((field) => fieldLine(field, flat)),
    SHOWN_CHARACTERS_MAX - OMISSION_CHARACTERS - head.join('\n').length,
  );
  const omitted = fields.length - shown.length;
  const omission = omitted === 0 ? [] : [`fields left out, not in the text or too many: ${omitted}`];
  return [...head, ...shown, ...omission].join('\n');
}

/** Stands for a subject with an address that the text does not hold. */
const INVENTED_ADDRESS = 'left out: it names an address that is not in the text';

/** Characters reserved for the last line. */
const OMISSION_CHARACTERS = 80;

/** @param flat  the text with single blanks */
function isBorneOut({ type, name, value, quote }: Field, flat: string): boolean {
  const said = oneLine(quote);
  if (said === '' || !flat.includes(said) || (type === 'Url' && !flat.includes(value))) return false;
  return areAddressesIn(name, [flat]) && areAddressesIn(value, [flat]);
}

function fieldLine({ type, name, value, quote }: Field, flat: string): string {
  const place = Math.floor((PERCENT * flat.indexOf(oneLine(quote))) / flat.length);
  const told = `${bounded(name, NAME_CHARACTERS_MAX)}: ${bounded(value, VALUE_CHARACTERS_MAX)}`;
  return `- ${told} (${type}, at ${place} %: ${bounded(quote, QUOTE_CHARACTERS_MAX)})`;
}

const PERCENT = 100;

/** The first lines that fit, counting a line break for each. */
function fitting(lines: readonly string[], characters: number): readonly string[] {
  let left = characters;
  const end = lines.findIndex((line) => {
    left -= line.length + 1;
    return left < 0;
  });
  return end === -1 ? lines : lines.slice(0, end);
}

function bounded(text: string, charactersMax: number): string {
  return quoted(
    oneLine(text)
      .slice(0, charactersMax)
      .replace(/[\uD800-\uDBFF]$/, ''),
  );
}
