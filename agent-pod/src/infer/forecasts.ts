/** The scorer's answer: the strength of each feature of a gate. Source: springdrift 2. */
import { FEATURES_MAX, MAGNITUDE_MAX_PAPER } from '@retainer/contract/api/gate-policy';
import { z } from 'zod';
import type { Forecast } from '@retainer/mind/gate/chain/answers';
import type { StructuredSchema } from './structured.ts';
import { OneText, restriction, textType, xsdOf } from './xsd-types.ts';

/** Characters: a sentence. */
const RATIONALE_CHARACTERS_MAX = 1024;
/** Characters of a feature's name, as in a CharacterSpec. */
const FEATURE_CHARACTERS_MAX = 63;
/** The common tool gate, and that of a specialist. */
const POLICIES_MAX = 2;

const XSD = xsdOf(
  textType('rationale', RATIONALE_CHARACTERS_MAX),
  restriction('feature', 'token', `<xs:minLength value="1"/><xs:maxLength value="${FEATURE_CHARACTERS_MAX}"/>`),
  restriction('magnitude', 'integer', `<xs:minInclusive value="0"/><xs:maxInclusive value="${MAGNITUDE_MAX_PAPER}"/>`),
  `<xs:element name="forecasts">
  <xs:complexType>
    <xs:sequence>
      <xs:element name="forecast" minOccurs="1" maxOccurs="${FEATURES_MAX * POLICIES_MAX}">
        <xs:complexType>
          <xs:sequence>
            <xs:element name="rationale" type="rationale"/>
          </xs:sequence>
          <xs:attribute name="feature" type="feature" use="required"/>
          <xs:attribute name="magnitude" type="magnitude" use="required"/>
        </xs:complexType>
      </xs:element>
    </xs:sequence>
  </xs:complexType>
  <xs:unique name="oneForecastEach"><xs:selector xpath="forecast"/><xs:field xpath="@feature"/></xs:unique>
</xs:element>`,
);

const EXAMPLE = `<forecasts>
  <forecast feature="data_exfiltration" magnitude="0">
    <rationale>One short sentence.</rationale>
  </forecast>
  <forecast feature="excessive_scope" magnitude="2">
    <rationale>One short sentence.</rationale>
  </forecast>
</forecasts>`;

const ForecastData = z
  .object({
    attributes: z.object({ feature: z.string(), magnitude: z.coerce.number().int() }),
    children: z.object({ rationale: OneText }),
  })
  .transform(({ attributes, children }): Forecast => ({ ...attributes, ...children }));

const ForecastsData = z
  .object({ children: z.object({ forecast: z.array(ForecastData) }) })
  .transform(({ children }): readonly Forecast[] => children.forecast);

/** Root `forecasts`: one per named feature. The gate checks that the features are its own. */
export const forecasts: StructuredSchema<readonly Forecast[]> = {
  name: 'forecasts',
  xsd: XSD,
  layout: { forecasts: ['forecast'], forecast: ['rationale'] },
  example: EXAMPLE,
  extract: ForecastsData,
};
