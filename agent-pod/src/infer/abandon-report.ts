/** The planner's report on an abandoned run: work done, work missing, next steps. Source: artoo A.9. */
import { z } from 'zod';
import type { AbandonReport } from '@retainer/mind/assemble/role-answers';
import type { StructuredSchema } from './structured.ts';
import { Texts, textType, xsdOf } from './xsd-types.ts';

/** Characters per point: a sentence or two, because a Task's status holds all of them. */
const POINT_CHARACTERS_MAX = 512;

/** Points of one kind; a person reads them all before a decision. */
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

/** Root `report`: up to 16 points of each kind, at least one for missing work. */
export const abandonReport: StructuredSchema<AbandonReport> = {
  name: 'report',
  xsd: XSD,
  layout: { report: ['done', 'missing', 'nextMove'] },
  example: EXAMPLE,
  extract: ReportData,
};
