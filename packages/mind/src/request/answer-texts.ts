/**
 * The texts that answers consist of.
 *
 * I1  The form that a model is shown has a gap in place of each text. An example in its place is copied by weak models, and what they
 *     copy reads like an answer; a gap that was left open reads like none.
 */
import { z } from 'zod';

/** Stands in the form of an answer where a model writes its own words. */
export const GAP = '???';

/** Nothing but marks that stand for something else. */
const OPEN = /^[?.…\s]+$/u;

/** Whether a text of an answer was left open. */
export function isGap(text: string): boolean {
  return OPEN.test(text);
}

/** Some text. @param max  characters */
export const words = (max: number): z.ZodString =>
  bounded(z.string().trim().min(1, 'is empty'), max).meta({ shown: GAP });

/** A text that may be left out, and that the form does not show. */
export const unshown = (max: number): z.ZodString => bounded(z.string().trim().min(1, 'is empty'), max);

/** A text that may be left out, which is then empty. */
export const perhaps = (max: number): z.ZodDefault<z.ZodString> =>
  bounded(z.string().trim(), max).meta({ shown: GAP }).default('');

/** A text in an attribute of the XML. */
export const attribute = (max: number): z.ZodString => words(max).meta({ place: 'Attribute' });

/** Characters are counted as XML and JSON Schema count them: a pair of surrogates is one. */
function bounded(text: z.ZodString, max: number): z.ZodString {
  const isShort = (it: string): boolean => it.length <= max || Array.from(it).length <= max;
  return text.refine(isShort, `is longer than ${max} characters`).meta({ maxLength: max });
}
