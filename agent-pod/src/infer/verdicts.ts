/** The validator's answer: one verdict on each success criterion, with the tool calls it rests on. */
import { err, type Result } from '@retainer/contract/std/result';
import { z } from 'zod';
import { parseStructured, renderFaults, type StructuredSchema } from './structured.ts';

export interface Verdict {
  /** Number of the criterion, as it was listed to the validator. */
  readonly criterion: number;
  readonly met: boolean;
  /** Ids of tool calls. Whether they exist is for the reader to check. */
  readonly evidence: readonly string[];
  readonly reason: string;
}

export interface Verdicts {
  /** In the order of the answer; no criterion twice. */
  readonly verdicts: readonly Verdict[];
  /** Empty where the validator gave none. */
  readonly summary: string;
}

const XSD = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:simpleType name="prose">
    <xs:restriction base="xs:string">
      <xs:minLength value="1"/>
      <xs:maxLength value="4096"/>
    </xs:restriction>
  </xs:simpleType>
  <xs:simpleType name="toolCallId">
    <xs:restriction base="xs:token">
      <xs:minLength value="1"/>
      <xs:maxLength value="128"/>
    </xs:restriction>
  </xs:simpleType>
  <xs:simpleType name="trueOrFalse">
    <xs:restriction base="xs:token">
      <xs:enumeration value="true"/>
      <xs:enumeration value="false"/>
    </xs:restriction>
  </xs:simpleType>
  <xs:simpleType name="criterionNumber">
    <xs:restriction base="xs:integer">
      <xs:minInclusive value="0"/>
      <xs:maxInclusive value="999"/>
    </xs:restriction>
  </xs:simpleType>
  <xs:element name="verdicts">
    <xs:complexType>
      <xs:sequence>
        <xs:element name="verdict" minOccurs="1" maxOccurs="64">
          <xs:complexType>
            <xs:sequence>
              <xs:element name="evidence" type="toolCallId" minOccurs="0" maxOccurs="32"/>
              <xs:element name="reason" type="prose"/>
            </xs:sequence>
            <xs:attribute name="criterion" type="criterionNumber" use="required"/>
            <xs:attribute name="met" type="trueOrFalse" use="required"/>
          </xs:complexType>
        </xs:element>
        <xs:element name="summary" type="prose" minOccurs="0"/>
      </xs:sequence>
    </xs:complexType>
    <xs:unique name="oneVerdictEach">
      <xs:selector xpath="verdict"/>
      <xs:field xpath="@criterion"/>
    </xs:unique>
  </xs:element>
</xs:schema>`;

const EXAMPLE = `<verdicts>
  <verdict criterion="1" met="true">
    <evidence>ID-OF-A-TOOL-CALL</evidence>
    <reason>What the evidence shows.</reason>
  </verdict>
  <verdict criterion="2" met="false">
    <reason>What is missing.</reason>
  </verdict>
  <summary>One or two sentences on the whole.</summary>
</verdicts>`;

const Prose = z.array(z.object({ text: z.string() })).length(1);

const VerdictData = z
  .object({
    attributes: z.object({ criterion: z.coerce.number().int(), met: z.enum(['true', 'false']) }),
    children: z.object({
      evidence: z.array(z.object({ text: z.string() })).default([]),
      reason: Prose,
    }),
  })
  .transform(({ attributes, children }) => ({
    criterion: attributes.criterion,
    met: attributes.met === 'true',
    evidence: children.evidence.map(({ text }) => text),
    reason: textOf(children.reason),
  }));

const VerdictsData = z
  .object({ children: z.object({ verdict: z.array(VerdictData), summary: Prose.optional() }) })
  .transform(({ children }) => ({ verdicts: children.verdict, summary: textOf(children.summary ?? []) }));

/** Root `verdicts`: 1 to 64 verdicts, at most 32 tool-call ids each, then perhaps a summary. */
export const verdicts: StructuredSchema<Verdicts> = {
  name: 'verdicts',
  xsd: XSD,
  example: EXAMPLE,
  extract: VerdictsData,
};

/** The verdicts of an answer, or what the validator is told to make it try again. */
export async function parseVerdicts(text: string): Promise<Result<Verdicts, string>> {
  const parsed = await parseStructured(verdicts, text);
  return parsed.ok ? parsed : err(renderFaults(parsed.error));
}

function textOf(elements: readonly { readonly text: string }[]): string {
  return elements.map(({ text }) => text).join('');
}
