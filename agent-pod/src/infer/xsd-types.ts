/** Shared by the structures of the roles: XSD types, and readers for their XML. */
import { z } from 'zod';
import {
  CALL_ID_CHARACTERS_MAX,
  EVIDENCE_MAX,
  PROSE_CHARACTERS_MAX,
  UNCLASSIFIED,
} from '@retainer/mind/assemble/answer-forms';
import type { ClaimedVerdict } from '@retainer/mind/assemble/role-answers';

/** A type `name` of texts of 1 to `charactersMax` characters. */
export function textType(name: string, charactersMax: number): string {
  return restriction(name, 'string', `<xs:minLength value="1"/><xs:maxLength value="${charactersMax}"/>`);
}

export function wordType(name: string, words: readonly string[]): string {
  return restriction(name, 'token', words.map((word) => `<xs:enumeration value="${word}"/>`).join(''));
}

export function restriction(name: string, base: string, facets: string): string {
  return `<xs:simpleType name="${name}"><xs:restriction base="xs:${base}">${facets}</xs:restriction></xs:simpleType>`;
}

export function xsdOf(...parts: readonly string[]): string {
  return `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">\n${parts.join('\n')}\n</xs:schema>`;
}

export const booleanType = wordType('boolean', ['true', 'false']);
export const proseType = textType('prose', PROSE_CHARACTERS_MAX);

/** The type `verdict` and its parts. Needs `booleanType` and `proseType`. */
export const verdictTypes = [
  restriction('callId', 'token', `<xs:minLength value="1"/><xs:maxLength value="${CALL_ID_CHARACTERS_MAX}"/>`),
  // The schema allows numbers without a criterion; the reader ignores and reports them.
  restriction('criterionNumber', 'integer', '<xs:minInclusive value="0"/><xs:maxInclusive value="999"/>'),
  wordType('failureClass', ['Logical', 'Environmental']),
  `<xs:complexType name="verdict">
  <xs:sequence>
    <xs:element name="evidence" type="callId" minOccurs="0" maxOccurs="${EVIDENCE_MAX}"/>
    <xs:element name="reason" type="prose"/>
  </xs:sequence>
  <xs:attribute name="criterion" type="criterionNumber" use="required"/>
  <xs:attribute name="met" type="boolean" use="required"/>
  <xs:attribute name="failureClass" type="failureClass"/>
</xs:complexType>`,
].join('\n');

/** What a `verdict` contains, in order. */
export const verdictLayout = ['evidence', 'reason'] as const;

/** For the root element: no two verdicts on one criterion. */
export const oneVerdictEach =
  '<xs:unique name="oneVerdictEach"><xs:selector xpath="verdict"/><xs:field xpath="@criterion"/></xs:unique>';

/** The text of an element; white space alone is none. */
export const Text = z.object({ text: z.string().min(1, 'is empty') }).transform(({ text }) => text);

export const OneText = z.array(Text).transform((texts) => texts.join(''));

/** An optional element; empty text if missing. */
export const PerhapsText = z
  .array(Text)
  .default([])
  .transform((texts) => texts.join(''));

export const Texts = z.array(Text).default([]);

export const VerdictData: z.ZodType<ClaimedVerdict, unknown> = z
  .object({
    attributes: z.object({
      criterion: z.coerce.number().int(),
      met: z.enum(['true', 'false']),
      failureClass: z.enum(['Logical', 'Environmental']).optional(),
    }),
    children: z.object({ evidence: Texts, reason: OneText }),
  })
  .refine(({ attributes }) => attributes.met === 'true' || attributes.failureClass !== undefined, UNCLASSIFIED)
  .transform(({ attributes: { criterion, met, failureClass }, children }) => ({
    criterion,
    met: met === 'true',
    ...(failureClass === undefined ? {} : { failureClass }),
    ...children,
  }));
