/** The scorer's answer: the strength of each feature of a gate. Source: springdrift 2. */
import { FEATURES_MAX, MAGNITUDE_MAX_PAPER } from '@retainer/contract/api/gate-policy';
import { z } from 'zod';
import type { Forecast } from '@retainer/mind/gate/chain/answers';
import type { StructuredSchema } from './structured.ts';
import { CALLS_MAX } from '@retainer/mind/gate/score/score-request';
import { OneText, restriction, textType, xsdOf } from './xsd-types.ts';

/** Characters: a sentence. */
const RATIONALE_CHARACTERS_MAX = 1024;
/** Characters of a feature's name, as in a CharacterSpec. */
const FEATURE_CHARACTERS_MAX = 63;
/** The common tool gate, and that of a specialist. */
const POLICIES_MAX = 2;

/** @param keyAttribute  beside the feature  @param after  constraints on the whole */
function xsdWith(forecastsMax: number, keyAttribute: string, after: string): string {
  return xsdOf(
    textType('rationale', RATIONALE_CHARACTERS_MAX),
    restriction('name', 'token', `<xs:minLength value="1"/><xs:maxLength value="${FEATURE_CHARACTERS_MAX}"/>`),
    restriction(
      'magnitude',
      'integer',
      `<xs:minInclusive value="0"/><xs:maxInclusive value="${MAGNITUDE_MAX_PAPER}"/>`,
    ),
    `<xs:element name="forecasts">
  <xs:complexType>
    <xs:sequence>
      <xs:element name="forecast" minOccurs="1" maxOccurs="${forecastsMax}">
        <xs:complexType>
          <xs:sequence>
            <xs:element name="rationale" type="rationale"/>
          </xs:sequence>
          ${keyAttribute}<xs:attribute name="feature" type="name" use="required"/>
          <xs:attribute name="magnitude" type="magnitude" use="required"/>
        </xs:complexType>
      </xs:element>
    </xs:sequence>
  </xs:complexType>${after}
</xs:element>`,
  );
}

const EXAMPLE = `<forecasts>
  <forecast feature="data_exfiltration" magnitude="0">
    <rationale>One short sentence.</rationale>
  </forecast>
  <forecast feature="excessive_scope" magnitude="2">
    <rationale>One short sentence.</rationale>
  </forecast>
</forecasts>`;

const LAYOUT = { forecasts: ['forecast'], forecast: ['rationale'] } as const;

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
  xsd: xsdWith(
    FEATURES_MAX * POLICIES_MAX,
    '',
    '\n  <xs:unique name="oneForecastEach"><xs:selector xpath="forecast"/><xs:field xpath="@feature"/></xs:unique>',
  ),
  layout: LAYOUT,
  example: EXAMPLE,
  extract: ForecastsData,
};

const CallForecastData = z
  .object({
    attributes: z.object({ call: z.string(), feature: z.string(), magnitude: z.coerce.number().int() }),
    children: z.object({ rationale: OneText }),
  })
  .transform(({ attributes, children }) => ({ ...attributes, ...children }));

const CallForecastsData = z
  .object({ children: z.object({ forecast: z.array(CallForecastData) }) })
  .transform(({ children }) => children.forecast);

export type CallForecast = z.infer<typeof CallForecastData>;

/**
 * Root `forecasts`, as answer about several calls: each forecast names its call. A feature may be forecast twice here: the gate then
 * asks about that call again, and the others keep their scores.
 */
export const callForecasts: StructuredSchema<readonly CallForecast[]> = {
  name: 'forecasts',
  xsd: xsdWith(
    FEATURES_MAX * POLICIES_MAX * CALLS_MAX,
    '<xs:attribute name="call" type="name" use="required"/>\n          ',
    '',
  ),
  layout: LAYOUT,
  example: EXAMPLE.replaceAll('<forecast ', '<forecast call="t1" '),
  extract: CallForecastsData,
};
