/** The planner's report on a run that was given up: what was done, what is missing, what to try next. Source: artoo A.9. */
import { z } from 'zod';
import type { AbandonReport } from '@retainer/mind/assemble/role-answers';
import type { StructuredSchema } from './structured.ts';
import { Texts, textType, xsdOf } from './xsd-types.ts';

/** Characters of one point: a sentence or two, since all of them stand in a Task's status. */
const POINT_CHARACTERS_MAX = 512;

/** Points of one kind: what a person reads before deciding what to do. */
const POINTS_MAX = 16;

const XSD = xsdOf(
  textType('point', POINT_CHARACTERS_MAX),
  `<xs:element name="report">
  <xs:complexType>
    <xs:sequence>
      <xs:element name="done" type="point" minOccurs="0" maxOccurs="${POINTS_MAX}"/>
      <xs:element name="missing" type="point" minOccurs="1" maxOccurs="${POINTS_MAX}"/>
      <xs:element name="nextMove" type="point" minOccurs="0" maxOccurs="${POINTS_MAX}"/>
    </xs:sequence>
  </xs:complexType>
</xs:element>`,
);

const EXAMPLE = `<report>
  <done>One thing that was done, and where it is.</done>
  <missing>One thing that was asked for and is not there.</missing>
  <nextMove>One thing that a person could do or decide.</nextMove>
</report>`;

const ReportData = z
  .object({ children: z.object({ done: Texts, missing: Texts, nextMove: Texts }) })
  .transform(({ children: { done, missing, nextMove } }): AbandonReport => ({ done, missing, nextMoves: nextMove }));

/** Root `report`: up to 16 points of each kind, at least one that is missing. */
export const abandonReport: StructuredSchema<AbandonReport> = {
  name: 'report',
  xsd: XSD,
  example: EXAMPLE,
  extract: ReportData,
};
