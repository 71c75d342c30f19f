/**
 * The planner's answer: criteria of the whole, and subtasks with their own.
 *
 * It has no ids, because the runtime assigns them. Source: artoo A.4, A.8.
 */
import { z } from 'zod';
import {
  BASED_ON_MAX,
  CONTEXT_CHARACTERS_MAX,
  CRITERION_CHARACTERS_MAX,
  LINE_NAME_CHARACTERS_MAX,
  PLANNED_TOOLS_MAX,
  SEQUENCE_MAX,
  STEP_CHARACTERS_MAX,
  SUBTASK_CRITERIA_MAX,
  SUBTASKS_MAX,
  TASK_CRITERIA_MAX,
  TOOL_CHARACTERS_MAX,
} from '@retainer/mind/assemble/answer-forms';
import type { Plan } from '@retainer/mind/assemble/role-answers';
import type { StructuredSchema } from './structured.ts';
import { booleanType, OneText, PerhapsText, restriction, Texts, textType, wordType, xsdOf } from './xsd-types.ts';

const XSD = xsdOf(
  booleanType,
  textType('intent', STEP_CHARACTERS_MAX),
  textType('context', CONTEXT_CHARACTERS_MAX),
  textType('criterionText', CRITERION_CHARACTERS_MAX),
  restriction('toolName', 'token', `<xs:minLength value="1"/><xs:maxLength value="${TOOL_CHARACTERS_MAX}"/>`),
  restriction(
    'sequence',
    'integer',
    `<xs:minInclusive value="-${SEQUENCE_MAX}"/><xs:maxInclusive value="${SEQUENCE_MAX}"/>`,
  ),
  wordType('mode', ['Verifiable', 'Plausible']),
  restriction('lineNames', 'token', `<xs:maxLength value="${BASED_ON_MAX * (LINE_NAME_CHARACTERS_MAX + 1)}"/>`),
  `<xs:complexType name="criterion">
  <xs:simpleContent>
    <xs:extension base="criterionText">
      <xs:attribute name="mode" type="mode"/>
      <xs:attribute name="required" type="boolean"/>
    </xs:extension>
  </xs:simpleContent>
</xs:complexType>
<xs:element name="plan">
  <xs:complexType>
    <xs:sequence>
      <xs:element name="criterion" type="criterion" minOccurs="0" maxOccurs="${TASK_CRITERIA_MAX}"/>
      <xs:element name="subtask" minOccurs="1" maxOccurs="${SUBTASKS_MAX}">
        <xs:complexType>
          <xs:sequence>
            <xs:element name="intent" type="intent"/>
            <xs:element name="context" type="context" minOccurs="0"/>
            <xs:element name="criterion" type="criterion" minOccurs="1" maxOccurs="${SUBTASK_CRITERIA_MAX}"/>
            <xs:element name="tool" type="toolName" minOccurs="0" maxOccurs="${PLANNED_TOOLS_MAX}"/>
          </xs:sequence>
          <xs:attribute name="sequence" type="sequence"/>
          <xs:attribute name="worker" type="toolName"/>
          <xs:attribute name="basedOn" type="lineNames"/>
        </xs:complexType>
      </xs:element>
    </xs:sequence>
  </xs:complexType>
</xs:element>`,
);

const EXAMPLE = `<plan>
  <criterion mode="Verifiable" required="true">What must hold of the combined result.</criterion>
  <subtask sequence="1">
    <intent>One action.</intent>
    <context>All that the worker needs to know.</context>
    <criterion mode="Verifiable" required="true">What a tool's output must show.</criterion>
    <tool>NAME-OF-A-TOOL</tool>
  </subtask>
</plan>`;

/** By default a criterion needs proof and is required. Source: artoo A.8. */
const CriterionData = z
  .object({
    attributes: z.object({
      mode: z.enum(['Verifiable', 'Plausible']).default('Verifiable'),
      required: z.enum(['true', 'false']).default('true'),
    }),
    text: z.string().min(1, 'is empty'),
  })
  .transform(({ attributes: { mode, required }, text }) => ({ text, mode, required: required === 'true' }));

const SubtaskData = z
  .object({
    attributes: z.object({
      sequence: z.coerce.number().int().default(1),
      worker: z.string().exactOptional(),
      /** Names, with blanks between. */
      basedOn: z
        .string()
        .transform((names) => names.split(/\s+/).filter((name) => name !== ''))
        .exactOptional(),
    }),
    children: z.object({ intent: OneText, context: PerhapsText, criterion: z.array(CriterionData), tool: Texts }),
  })
  .transform(({ attributes, children: { intent, context, criterion, tool } }) => {
    return { ...attributes, intent, context, criteria: criterion, plannedTools: tool };
  });

const PlanData = z
  .object({ children: z.object({ criterion: z.array(CriterionData).default([]), subtask: z.array(SubtaskData) }) })
  .transform(({ children: { criterion, subtask } }): Plan => ({ criteria: criterion, subtasks: subtask }));

/** Root `plan`: criteria of the whole, then 1 to 64 subtasks. */
export const plan: StructuredSchema<Plan> = {
  name: 'plan',
  xsd: XSD,
  layout: { plan: ['criterion', 'subtask'], subtask: ['intent', 'context', 'criterion', 'tool'] },
  example: EXAMPLE,
  extract: PlanData,
};
