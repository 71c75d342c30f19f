/** The texts that answers consist of. */
import { z } from 'zod';

/** Some text. @param max  characters  @param shown  in the example */
export const words = (max: number, shown?: string): z.ZodString =>
  bounded(z.string().trim().min(1, 'is empty'), max, shown);

/** A text that may be left out, which is then empty. */
export const perhaps = (max: number, shown?: string): z.ZodDefault<z.ZodString> =>
  bounded(z.string().trim(), max, shown).default('');

/** A text in an attribute of the XML. */
export const attribute = (max: number, shown?: string): z.ZodString => words(max, shown).meta({ place: 'Attribute' });

/** Characters are counted as XML and JSON Schema count them: a pair of surrogates is one. */
function bounded(text: z.ZodString, max: number, shown: string | undefined): z.ZodString {
  const isShort = (it: string): boolean => it.length <= max || Array.from(it).length <= max;
  return text
    .refine(isShort, `is longer than ${max} characters`)
    .meta({ maxLength: max, ...(shown === undefined ? {} : { shown }) });
}
