/** The perceiver's answer: a reply, a question, or a task. Source: artoo A.3, C (one step or a plan). */
import { z } from 'zod';
import type { Perception } from '@retainer/mind/assemble/role-answers';
import type { StructuredSchema } from './structured.ts';
import { OneText, restriction, Text, Texts, textType, wordType, xsdOf } from './xsd-types.ts';

/** Characters of a reply without work; a longer one is work. */
const REPLY_CHARACTERS_MAX = 4096;

/** Characters of a question or an assumption: a person reads it while waiting. */
const SENTENCE_CHARACTERS_MAX = 1024;

/** Characters of the intent: one action, with everything the person said about it. */
const INTENT_CHARACTERS_MAX = 8192;

/** With more assumptions, the perceiver should ask. */
const ASSUMPTIONS_MAX = 16;

/** XML name characters of any script, without colon and dot. The parser's \p{L} lacks the CJK ideographs. */
const SLUG_PATTERN = String.raw`[\c-[:.]]{1,48}`;

const XSD = xsdOf(
  textType('reply', REPLY_CHARACTERS_MAX),
  textType('sentence', SENTENCE_CHARACTERS_MAX),
  textType('intent', INTENT_CHARACTERS_MAX),
  wordType('shape', ['SingleStep', 'Plan']),
  restriction('slug', 'token', `<xs:pattern value="${SLUG_PATTERN}"/>`),
  `<xs:element name="perception">
  <xs:complexType>
    <xs:choice>
      <xs:element name="reply" type="reply"/>
      <xs:element name="question" type="sentence"/>
      <xs:element name="task">
        <xs:complexType>
          <xs:sequence>
            <xs:element name="intent" type="intent"/>
            <xs:element name="assumption" type="sentence" minOccurs="0" maxOccurs="${ASSUMPTIONS_MAX}"/>
          </xs:sequence>
          <xs:attribute name="slug" type="slug" use="required"/>
          <xs:attribute name="shape" type="shape" use="required"/>
        </xs:complexType>
      </xs:element>
    </xs:choice>
  </xs:complexType>
</xs:element>`,
);

const EXAMPLE = `<perception>
  <task slug="sum_march_sales" shape="SingleStep">
    <intent>Sum the sales of March in sales.csv.</intent>
    <assumption>What is taken for granted; leave it out where there is nothing.</assumption>
  </task>
</perception>`;

const TaskData = z
  .object({
    attributes: z.object({ slug: z.string(), shape: z.enum(['SingleStep', 'Plan']) }),
    children: z.object({ intent: OneText, assumption: Texts }),
  })
  .transform(({ attributes, children }): Perception => {
    return { kind: 'Task', ...attributes, intent: children.intent, assumptions: children.assumption };
  });

const choice = z.object({
  reply: z.array(Text.transform((text): Perception => ({ kind: 'Reply', text }))).default([]),
  question: z.array(Text.transform((text): Perception => ({ kind: 'Question', text }))).default([]),
  task: z.array(TaskData).default([]),
});

const PerceptionData = z.object({ children: choice }).transform(({ children }, context): Perception => {
  const [only] = [...children.reply, ...children.question, ...children.task];
  if (only !== undefined) return only;
  context.addIssue('one of reply, question and task must be there');
  return z.NEVER;
});

/** Root `perception` with one of `reply`, `question` and `task`. */
export const taskSpec: StructuredSchema<Perception> = {
  name: 'perception',
  xsd: XSD,
  layout: { perception: ['task', 'question', 'reply'], task: ['intent', 'assumption'] },
  example: EXAMPLE,
  extract: PerceptionData,
};
