/** The quarantine reader's answer: fields of an untrusted text. Source: reliability-security 4. */
import { z } from 'zod';
import {
  DOCUMENT_KINDS,
  FIELD_TYPES,
  FIELDS_MAX,
  NAME_CHARACTERS_MAX,
  QUOTE_CHARACTERS_MAX,
  SUBJECT_CHARACTERS_MAX,
  VALUE_CHARACTERS_MAX,
  type FieldType,
  type Reading,
} from '@retainer/mind/gate/provenance/reading';
import type { StructuredSchema } from './structured.ts';
import { booleanType, OneText, textType, wordType, xsdOf } from './xsd-types.ts';

const XSD = xsdOf(
  booleanType,
  wordType('documentKind', DOCUMENT_KINDS),
  wordType('fieldType', FIELD_TYPES),
  textType('subject', SUBJECT_CHARACTERS_MAX),
  textType('quote', QUOTE_CHARACTERS_MAX),
  textType('name', NAME_CHARACTERS_MAX),
  textType('value', VALUE_CHARACTERS_MAX),
  `<xs:element name="reading">
  <xs:complexType>
    <xs:sequence>
      <xs:element name="subject" type="subject"/>
      <xs:element name="field" minOccurs="0" maxOccurs="${FIELDS_MAX}">
        <xs:complexType>
          <xs:sequence><xs:element name="quote" type="quote"/></xs:sequence>
          <xs:attribute name="type" type="fieldType" use="required"/>
          <xs:attribute name="name" type="name" use="required"/>
          <xs:attribute name="value" type="value" use="required"/>
        </xs:complexType>
      </xs:element>
    </xs:sequence>
    <xs:attribute name="kind" type="documentKind" use="required"/>
    <xs:attribute name="holdsInstructions" type="boolean" use="required"/>
  </xs:complexType>
</xs:element>`,
);

const EXAMPLE = `<reading kind="Data" holdsInstructions="false">
  <subject>One sentence.</subject>
  <field type="Number" name="rainy days" value="152"><quote>on 152 days</quote></field>
</reading>`;

const VALUES: Readonly<Record<FieldType, { readonly form: RegExp; readonly words: string }>> = {
  Text: { form: /./s, words: 'words' },
  Number: { form: /^[+-]?\d{1,30}(?:\.\d{1,30})?$/, words: 'a plain decimal number' },
  Date: { form: /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/, words: 'a date as YYYY-MM-DD' },
  Url: { form: /^https?:\/\/[^\s<>"]+$/, words: 'an address with http:// or https://' },
};

const Attributes = z
  .object({ type: z.enum(FIELD_TYPES), name: z.string().min(1, 'is empty'), value: z.string() })
  .superRefine(({ type, value }, context) => {
    const { form, words } = VALUES[type];
    if (form.test(value)) return;
    context.addIssue({ code: 'custom', path: ['value'], message: `is not ${words}, as type ${type} wants it` });
  });

const FieldData = z
  .object({ attributes: Attributes, children: z.object({ quote: OneText }) })
  .transform(({ attributes, children }): Reading['fields'][number] => ({ ...attributes, ...children }));

const ReadingData = z
  .object({
    attributes: z.object({ kind: z.enum(DOCUMENT_KINDS), holdsInstructions: z.enum(['true', 'false']) }),
    children: z.object({ subject: OneText, field: z.array(FieldData).default([]) }),
  })
  .transform(({ attributes: { kind, holdsInstructions }, children: { subject, field } }): Reading => ({
    kind,
    holdsInstructions: holdsInstructions === 'true',
    subject,
    fields: field,
  }));

/** Root `reading`. `renderReading` checks that the quotes are in the text. */
export const reading: StructuredSchema<Reading> = {
  name: 'reading',
  xsd: XSD,
  layout: { reading: ['subject', 'field'], field: ['quote'] },
  example: EXAMPLE,
  extract: ReadingData,
};
