/** The quarantine reader's answer: fields of an untrusted text, whose quotes code compares with it. Source: reliability-security 4. */
import { z } from 'zod';
import { attribute, GAP, words } from '../answer-texts.ts';

export const DOCUMENT_KINDS = [
  'Article',
  'Documentation',
  'Data',
  'Log',
  'Code',
  'Message',
  'Listing',
  'Form',
  'Other',
] as const;

/** Characters of the text's subject: a sentence. */
export const SUBJECT_CHARACTERS_MAX = 160;
export const FIELDS_MAX = 32;
/** Characters of a field's name, value and quote: enough for a figure in its sentence, too few for a page. */
export const NAME_CHARACTERS_MAX = 48;
export const VALUE_CHARACTERS_MAX = 200;
export const QUOTE_CHARACTERS_MAX = 120;

/** What the value of a field of each type must be. */
const VALUES = {
  Text: { form: /./s, words: 'words' },
  Number: { form: /^[+-]?\d{1,30}(?:\.\d{1,30})?$/, words: 'a plain decimal number' },
  Date: { form: /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/, words: 'a date as YYYY-MM-DD' },
  Url: { form: /^https?:\/\/[^\s<>"]+$/, words: 'an address with http:// or https://' },
} as const;
export const FIELD_TYPES = Object.keys(VALUES) as readonly (keyof typeof VALUES)[];

const Field = z
  .object({
    type: z.enum(FIELD_TYPES),
    name: attribute(NAME_CHARACTERS_MAX),
    value: attribute(VALUE_CHARACTERS_MAX),
    /** Verbatim from the text. */
    quote: words(QUOTE_CHARACTERS_MAX),
  })
  .superRefine(({ type, value }, context) => {
    const { form, words: said } = VALUES[type];
    if (form.test(value)) return;
    context.addIssue({ code: 'custom', path: ['value'], message: `is not ${said}, as type ${type} wants it` });
  })
  .meta({ isOneLine: true });

export const Reading = z
  .object({
    kind: z.enum(DOCUMENT_KINDS),
    /** The text gives its reader instructions. */
    holdsInstructions: z.boolean().meta({ shown: GAP }),
    subject: words(SUBJECT_CHARACTERS_MAX),
    fields: z
      .array(Field)
      .max(FIELDS_MAX)
      .default([])
      .meta({
        element: 'field',
        shown: FIELD_TYPES.map((type) => ({ type, name: GAP, value: GAP, quote: GAP })),
      }),
  })
  .meta({ element: 'reading' });
export type Reading = z.infer<typeof Reading>;
