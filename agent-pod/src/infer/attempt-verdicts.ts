/** The agent validator's answer: one verdict per criterion of a subtask, and the corrections. Source: artoo A.6. */
import { z } from 'zod';
import type { AttemptVerdicts } from '@retainer/mind/assemble/role-answers';
import { isCorrected, UNCORRECTED, VERDICTS_MAX } from '@retainer/mind/assemble/answer-forms';
import type { StructuredSchema } from './structured.ts';
import {
  booleanType,
  oneVerdictEach,
  PerhapsText,
  proseType,
  VerdictData,
  verdictLayout,
  verdictTypes,
  xsdOf,
} from './xsd-types.ts';

const XSD = xsdOf(
  booleanType,
  proseType,
  verdictTypes,
  `<xs:element name="attempt">
  <xs:complexType>
    <xs:sequence>
      <xs:element name="verdict" type="verdict" minOccurs="1" maxOccurs="${VERDICTS_MAX}"/>
      <xs:element name="whatWasWrong" type="prose" minOccurs="0"/>
      <xs:element name="whatToDo" type="prose" minOccurs="0"/>
    </xs:sequence>
  </xs:complexType>
  ${oneVerdictEach}
</xs:element>`,
);

const EXAMPLE = `<attempt>
  <verdict criterion="1" met="true">
    <evidence>ID-OF-A-TOOL-CALL</evidence>
    <reason>What the evidence shows.</reason>
  </verdict>
  <verdict criterion="2" met="false" failureClass="Logical">
    <reason>What is missing.</reason>
  </verdict>
  <whatWasWrong>What kept criterion 2 from being met.</whatWasWrong>
  <whatToDo>What to do differently.</whatToDo>
</attempt>`;

const AttemptData = z
  .object({
    children: z.object({ verdict: z.array(VerdictData), whatWasWrong: PerhapsText, whatToDo: PerhapsText }),
  })
  .transform(({ children: { verdict, whatWasWrong, whatToDo } }): AttemptVerdicts => {
    return { verdicts: verdict, whatWasWrong, whatToDo };
  })
  .refine(isCorrected, UNCORRECTED);

/** Root `attempt`: 1 to 64 verdicts; for an unmet one, the fault and the correction. */
export const attemptVerdicts: StructuredSchema<AttemptVerdicts> = {
  name: 'attempt',
  xsd: XSD,
  layout: { attempt: ['verdict', 'whatWasWrong', 'whatToDo'], verdict: verdictLayout },
  example: EXAMPLE,
  extract: AttemptData,
};
