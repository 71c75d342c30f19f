/** The Archivist's answer on an ended run: prose, labels, and at most one case. Source: springdrift 4. */
import { z } from 'zod';
import { CLAUSE_CHARACTERS_MAX, REFLECTED_CHARACTERS_MAX, REFLECTED_MAX } from '@retainer/mind/assemble/answer-forms';
import type { Reflection } from '@retainer/mind/assemble/role-answers';
import type { StructuredSchema } from './structured.ts';
import { OneText, PerhapsText, proseType, Texts, textType, xsdOf } from './xsd-types.ts';

const many = `minOccurs="0" maxOccurs="${REFLECTED_MAX}"`;

const XSD = xsdOf(
  proseType,
  textType('clause', CLAUSE_CHARACTERS_MAX),
  textType('item', REFLECTED_CHARACTERS_MAX),
  `<xs:element name="reflection">
  <xs:complexType>
    <xs:sequence>
      <xs:element name="prose" type="prose"/>
      <xs:element name="intent" type="clause"/>
      <xs:element name="domain" type="item" minOccurs="0"/>
      <xs:element name="keyword" type="item" ${many}/>
      <xs:element name="entity" type="item" ${many}/>
      <xs:element name="topic" type="item" ${many}/>
      <xs:element name="call" ${many}>
        <xs:complexType>
          <xs:attribute name="tool" type="item" use="required"/>
          <xs:attribute name="target" type="item"/>
        </xs:complexType>
      </xs:element>
      <xs:element name="case" minOccurs="0">
        <xs:complexType>
          <xs:sequence>
            <xs:element name="approach" type="prose"/>
            <xs:element name="assessment" type="clause"/>
            <xs:element name="pitfall" type="item" ${many}/>
          </xs:sequence>
        </xs:complexType>
      </xs:element>
    </xs:sequence>
  </xs:complexType>
</xs:element>`,
);

const EXAMPLE = `<reflection>
  <prose>What was wanted, what was done, and what came of it.</prose>
  <intent>What was wanted, in a clause.</intent>
  <keyword>One word.</keyword>
</reflection>`;

const CallData = z
  .object({ attributes: z.object({ tool: z.string().min(1, 'is empty'), target: z.string().min(1).exactOptional() }) })
  .transform(({ attributes }): Reflection['calls'][number] => attributes);

const CaseData = z
  .object({ children: z.object({ approach: OneText, assessment: OneText, pitfall: Texts }) })
  .transform(({ children: { approach, assessment, pitfall } }) => ({ approach, assessment, pitfalls: pitfall }));

const ReflectionData = z
  .object({
    children: z.object({
      prose: OneText,
      intent: OneText,
      domain: PerhapsText,
      keyword: Texts,
      entity: Texts,
      topic: Texts,
      call: z.array(CallData).default([]),
      case: z.array(CaseData).default([]),
    }),
  })
  .transform(({ children }): Reflection => {
    const { prose, intent, domain, keyword, entity, topic, call } = children;
    const [made] = children.case;
    const labels = { keywords: keyword, entities: entity, topics: topic };
    return { prose, intent, domain, ...labels, calls: call, ...(made === undefined ? {} : { case: made }) };
  });

/** Root `reflection`. */
export const reflection: StructuredSchema<Reflection> = {
  name: 'reflection',
  xsd: XSD,
  layout: {
    reflection: ['prose', 'intent', 'domain', 'keyword', 'entity', 'topic', 'call', 'case'],
    case: ['approach', 'assessment', 'pitfall'],
  },
  example: EXAMPLE,
  extract: ReflectionData,
};
