/** The meta validator's answer: the combined result, and one verdict per criterion of the task. Source: artoo A.8. */
import { z } from 'zod';
import type { Merge } from '@retainer/mind/assemble/role-answers';
import { VERDICTS_MAX } from '@retainer/mind/assemble/answer-forms';
import type { StructuredSchema } from './structured.ts';
import {
  booleanType,
  oneVerdictEach,
  OneText,
  proseType,
  textType,
  VerdictData,
  verdictLayout,
  verdictTypes,
  xsdOf,
} from './xsd-types.ts';

/** Characters of the combined result: about 30,000 tokens, more than a model may write. Longer results are files. */
const OUTPUT_CHARACTERS_MAX = 131_072;

const XSD = xsdOf(
  booleanType,
  proseType,
  textType('output', OUTPUT_CHARACTERS_MAX),
  verdictTypes,
  `<xs:element name="merge">
  <xs:complexType>
    <xs:sequence>
      <xs:element name="output" type="output"/>
      <xs:element name="verdict" type="verdict" minOccurs="0" maxOccurs="${VERDICTS_MAX}"/>
      <xs:element name="summary" type="prose"/>
    </xs:sequence>
  </xs:complexType>
  ${oneVerdictEach}
</xs:element>`,
);

const EXAMPLE = `<merge>
  <output>The combined result itself.</output>
  <verdict criterion="1" met="true">
    <evidence>ID-OF-A-TOOL-CALL</evidence>
    <reason>What the evidence shows.</reason>
  </verdict>
  <verdict criterion="2" met="false" failureClass="Environmental">
    <reason>What is missing.</reason>
  </verdict>
  <summary>One or two sentences on the whole.</summary>
</merge>`;

const MergeData = z
  .object({
    children: z.object({ output: OneText, verdict: z.array(VerdictData).default([]), summary: OneText }),
  })
  .transform(({ children: { output, verdict, summary } }): Merge => ({ output, verdicts: verdict, summary }));

/** Root `merge`: the output, up to 64 verdicts, a summary. */
export const merge: StructuredSchema<Merge> = {
  name: 'merge',
  xsd: XSD,
  layout: { merge: ['output', 'verdict', 'summary'], verdict: verdictLayout },
  example: EXAMPLE,
  extract: MergeData,
};
