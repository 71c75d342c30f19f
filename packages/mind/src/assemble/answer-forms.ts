/**
 * The forms in which a role is asked for its structured answer: as JSON that the provider holds to a schema, or as XML.
 *
 * I1  The strict schema is derived from the schema by which an answer is read, so that they cannot differ.
 * I2  The examples of both forms show the same answers, and a test reads all of them.
 *
 * Source: springdrift 14. Differs: a schema of the provider precedes XML where the model takes one.
 */
import type { Json } from '@retainer/contract/std/canonical-json';
import type { AnswerKind } from '@retainer/contract/api/roles';
import { z } from 'zod';
import type { AnswerAs, AnswerForm } from '../request/model-request.ts';
import { AbandonReport, AttemptVerdicts, ClaimedVerdict, Merge, Perception, Plan, Reflection } from './role-answers.ts';
import { strictSchema } from './strict-schema.ts';

/** Characters of a reason, a correction or a summary: a paragraph or two. */
export const PROSE_CHARACTERS_MAX = 4096;
/** Longer than any id of a call. */
export const CALL_ID_CHARACTERS_MAX = 128;
/** Criteria, and so verdicts, of a task or a step. */
export const VERDICTS_MAX = 64;
/** Calls cited by one verdict; more would be no selection. */
export const EVIDENCE_MAX = 32;
/** Far beyond any list of criteria. */
const CRITERION_NUMBER_MAX = 999;
/** The most that any Agent may allow. The check of plans enforces the Agent's own limit. */
export const SUBTASKS_MAX = 64;
/** Criteria of the whole. With a person's 32 at most, as many as there may be verdicts. */
export const TASK_CRITERIA_MAX = 32;
/** Criteria of one subtask; with more, it is two subtasks. */
export const SUBTASK_CRITERIA_MAX = 16;
/** Characters of a criterion, as for a person's. */
export const CRITERION_CHARACTERS_MAX = 1024;
/** Characters of a subtask's intent: one action. */
export const STEP_CHARACTERS_MAX = 2048;
/** Characters of the context for a worker who sees nothing else. */
export const CONTEXT_CHARACTERS_MAX = 8192;
/** Tools that one worker can handle, and characters beyond the name of any tool or worker. */
export const PLANNED_TOOLS_MAX = 32;
export const TOOL_CHARACTERS_MAX = 64;
/** Far beyond any plan; later code renumbers them from 1 without gaps. Source: artoo A.7. */
export const SEQUENCE_MAX = 999;

/** Items of one kind in a reflection, and characters of each; code keeps fewer, and an answer with more is no list. */
export const REFLECTED_MAX = 32;
export const REFLECTED_CHARACTERS_MAX = 256;
/** Characters of what was wanted, and of what came of it. */
export const CLAUSE_CHARACTERS_MAX = 1024;

/** Lines of memory that one subtask names: as many as a planner is shown. */
export const BASED_ON_MAX = 24;
/** Of the name of such a line. */
export const LINE_NAME_CHARACTERS_MAX = 8;

export const UNCLASSIFIED = 'met is false, so failureClass must be Logical or Environmental';
export const UNCORRECTED = 'a criterion is not met, so whatWasWrong and whatToDo must say what to correct';

const words = (characters: number): z.ZodString => z.string().trim().min(1, 'is empty').max(characters);
const perhaps = (characters: number): z.ZodDefault<z.ZodString> => z.string().trim().max(characters).default('');

const verdicts = z
  .array(
    ClaimedVerdict.extend({
      criterion: z.int().min(0).max(CRITERION_NUMBER_MAX),
      evidence: z.array(words(CALL_ID_CHARACTERS_MAX)).max(EVIDENCE_MAX).default([]),
      reason: words(PROSE_CHARACTERS_MAX),
    }).refine(({ met, failureClass }) => met || failureClass !== undefined, UNCLASSIFIED),
  )
  .max(VERDICTS_MAX)
  .refine(
    (all) => new Set(all.map(({ criterion }) => criterion)).size === all.length,
    'one verdict for each criterion',
  );

const plannedCriterion = Plan.shape.criteria.element;
const criterion = plannedCriterion.extend({
  text: words(CRITERION_CHARACTERS_MAX),
  mode: plannedCriterion.shape.mode.default('Verifiable'),
  required: z.boolean().default(true),
});

/** One word of any script, as XML names have it without colon and dot. */
const SLUG = /^[\p{L}\p{N}\p{M}_·-]{1,48}$/u;

const perception = Perception.refine((it) => it.kind !== 'Task' || SLUG.test(it.slug), {
  path: ['slug'],
  message: 'must be one word of at most 48 letters, digits and _',
}).refine((it) => (it.kind === 'Task' ? it.intent : it.text).trim() !== '', 'is empty');

const reflectedItem = words(REFLECTED_CHARACTERS_MAX);
const reflectedItems = z.array(reflectedItem).max(REFLECTED_MAX).default([]);

/** What an answer in JSON must be, by kind. An object, because providers hold only objects to a schema. */
const jsonAnswers = {
  TaskSpec: z.object({ perception }),
  Plan: Plan.extend({
    criteria: z.array(criterion).max(TASK_CRITERIA_MAX).default([]),
    subtasks: z
      .array(
        Plan.shape.subtasks.element.extend({
          sequence: z.int().min(-SEQUENCE_MAX).max(SEQUENCE_MAX).default(1),
          intent: words(STEP_CHARACTERS_MAX),
          context: perhaps(CONTEXT_CHARACTERS_MAX),
          criteria: z.array(criterion).min(1).max(SUBTASK_CRITERIA_MAX),
          plannedTools: z.array(words(TOOL_CHARACTERS_MAX)).max(PLANNED_TOOLS_MAX).default([]),
          worker: words(TOOL_CHARACTERS_MAX).exactOptional(),
          basedOn: z.array(words(LINE_NAME_CHARACTERS_MAX)).max(BASED_ON_MAX).exactOptional(),
        }),
      )
      .min(1)
      .max(SUBTASKS_MAX),
  }),
  AttemptVerdicts: AttemptVerdicts.extend({
    verdicts: verdicts.min(1),
    whatWasWrong: perhaps(PROSE_CHARACTERS_MAX),
    whatToDo: perhaps(PROSE_CHARACTERS_MAX),
  }).refine(isCorrected, UNCORRECTED),
  Merge: Merge.extend({ verdicts: verdicts.default([]) }),
  AbandonReport,
  Reflection: Reflection.extend({
    prose: words(PROSE_CHARACTERS_MAX),
    intent: words(CLAUSE_CHARACTERS_MAX),
    domain: perhaps(REFLECTED_CHARACTERS_MAX),
    keywords: reflectedItems,
    entities: reflectedItems,
    topics: reflectedItems,
    calls: z
      .array(z.object({ tool: reflectedItem, target: reflectedItem.exactOptional() }))
      .max(REFLECTED_MAX)
      .default([]),
    case: z
      .object({
        approach: words(PROSE_CHARACTERS_MAX),
        assessment: words(CLAUSE_CHARACTERS_MAX),
        pitfalls: reflectedItems,
      })
      .exactOptional(),
  }),
} as const satisfies Readonly<Record<AnswerKind, z.ZodObject>>;

/** Whether an unmet criterion comes with a correction. */
export function isCorrected(answer: AttemptVerdicts): boolean {
  return answer.verdicts.every(({ met }) => met) || (answer.whatWasWrong !== '' && answer.whatToDo !== '');
}

export interface AnswerRow {
  /** Of the structure, for models: the root of the XML, the name of the schema. */
  readonly name: string;
  /** Reads an answer in JSON. */
  readonly json: z.ZodObject;
  /** The value in it that the role reads; absent: all of it. */
  readonly within?: string;
  /** Answers as the models are shown them. */
  readonly examples: readonly { readonly json: Json; readonly xml: string }[];
}

/** All structures of roles, by kind. */
export const answerRows: Readonly<Record<AnswerKind, AnswerRow>> = {
  TaskSpec: {
    name: 'perception',
    json: jsonAnswers.TaskSpec,
    within: 'perception',
    examples: [
      {
        json: {
          perception: {
            kind: 'Task',
            slug: 'sum_march_sales',
            intent: 'Sum the sales of March in sales.csv.',
            shape: 'SingleStep',
            assumptions: ['What you took for granted, if anything.'],
          },
        },
        xml: `<perception>
  <task slug="sum_march_sales" shape="SingleStep">
    <intent>Sum the sales of March in sales.csv.</intent>
    <assumption>What you took for granted, if anything.</assumption>
  </task>
</perception>`,
      },
      {
        json: { perception: { kind: 'Question', text: 'Which file do you mean?' } },
        xml: `<perception>
  <question>Which file do you mean?</question>
</perception>`,
      },
      {
        json: { perception: { kind: 'Reply', text: 'Hello! What can I do for you?' } },
        xml: `<perception>
  <reply>Hello! What can I do for you?</reply>
</perception>`,
      },
    ],
  },
  Plan: {
    name: 'plan',
    json: jsonAnswers.Plan,
    examples: [
      {
        json: {
          criteria: [{ text: 'What must hold of the combined result.', mode: 'Verifiable', required: true }],
          subtasks: [
            {
              sequence: 1,
              intent: 'One action.',
              context: 'All that the worker needs to know.',
              criteria: [{ text: "What a tool's output must show.", mode: 'Verifiable', required: true }],
              plannedTools: ['NAME-OF-A-TOOL'],
            },
          ],
        },
        xml: `<plan>
  <criterion mode="Verifiable" required="true">What must hold of the combined result.</criterion>
  <subtask sequence="1">
    <intent>One action.</intent>
    <context>All that the worker needs to know.</context>
    <criterion mode="Verifiable" required="true">What a tool's output must show.</criterion>
    <tool>NAME-OF-A-TOOL</tool>
  </subtask>
</plan>`,
      },
    ],
  },
  AttemptVerdicts: {
    name: 'attempt',
    json: jsonAnswers.AttemptVerdicts,
    examples: [
      {
        json: {
          verdicts: [
            { criterion: 1, met: true, evidence: ['t1'], reason: 'One sentence.' },
            { criterion: 2, met: false, failureClass: 'Logical', evidence: [], reason: 'One sentence.' },
          ],
          whatWasWrong: 'What kept the criterion from being met.',
          whatToDo: 'What to do differently.',
        },
        xml: `<attempt>
  <verdict criterion="1" met="true">
    <evidence>t1</evidence>
    <reason>One sentence.</reason>
  </verdict>
  <verdict criterion="2" met="false" failureClass="Logical">
    <reason>One sentence.</reason>
  </verdict>
  <whatWasWrong>What kept the criterion from being met.</whatWasWrong>
  <whatToDo>What to do differently.</whatToDo>
</attempt>`,
      },
    ],
  },
  Merge: {
    name: 'merge',
    json: jsonAnswers.Merge,
    examples: [
      {
        json: {
          output: 'The combined result itself.',
          verdicts: [
            { criterion: 1, met: true, evidence: ['t1'], reason: 'One sentence.' },
            { criterion: 2, met: false, failureClass: 'Environmental', evidence: [], reason: 'One sentence.' },
          ],
          summary: 'One or two sentences on the whole.',
        },
        xml: `<merge>
  <output>The combined result itself.</output>
  <verdict criterion="1" met="true">
    <evidence>t1</evidence>
    <reason>One sentence.</reason>
  </verdict>
  <verdict criterion="2" met="false" failureClass="Environmental">
    <reason>One sentence.</reason>
  </verdict>
  <summary>One or two sentences on the whole.</summary>
</merge>`,
      },
    ],
  },
  AbandonReport: {
    name: 'report',
    json: jsonAnswers.AbandonReport,
    examples: [
      {
        json: {
          done: ['One thing that was done, and where it is.'],
          missing: ['One thing that was asked for and is not there.'],
          nextMoves: ['One thing that a person could do or decide.'],
        },
        xml: `<report>
  <done>One thing that was done, and where it is.</done>
  <missing>One thing that was asked for and is not there.</missing>
  <nextMove>One thing that a person could do or decide.</nextMove>
</report>`,
      },
    ],
  },
  Reflection: {
    name: 'reflection',
    json: jsonAnswers.Reflection,
    examples: [
      {
        json: {
          prose: 'What was wanted, what was done, what came of it, and why.',
          intent: 'Sum the sales of March.',
          domain: 'finance',
          keywords: ['sales', 'sum'],
          entities: ['data/sales.csv'],
          topics: ['monthly revenue'],
          calls: [{ tool: 'NAME-OF-A-TOOL', target: 'data/sales.csv' }],
          case: {
            approach: 'What to do with such a task another time.',
            assessment: 'What came of it, in one sentence.',
            pitfalls: ['What went wrong on the way, and how to avoid it.'],
          },
        },
        xml: `<reflection>
  <prose>What was wanted, what was done, what came of it, and why.</prose>
  <intent>Sum the sales of March.</intent>
  <domain>finance</domain>
  <keyword>sales</keyword>
  <keyword>sum</keyword>
  <entity>data/sales.csv</entity>
  <topic>monthly revenue</topic>
  <call tool="NAME-OF-A-TOOL" target="data/sales.csv"/>
  <case>
    <approach>What to do with such a task another time.</approach>
    <assessment>What came of it, in one sentence.</assessment>
    <pitfall>What went wrong on the way, and how to avoid it.</pitfall>
  </case>
</reflection>`,
      },
    ],
  },
};

const answersAs = new Map<string, AnswerAs>();

/** What the provider holds the answer to; undefined for XML, which only its text asks for. The same object for each request. */
export function answerAs(kind: AnswerKind, form: AnswerForm): AnswerAs | undefined {
  if (form === 'Xml') return undefined;
  const key = `${form} ${kind}`;
  const { name, json } = answerRows[kind];
  const known = answersAs.get(key) ?? { form, name, schema: strictSchema(json) };
  answersAs.set(key, known);
  return known;
}

const INTRODUCTIONS: Readonly<Record<AnswerForm, string>> = {
  Schema: 'Answer with one JSON object like this and nothing else',
  Tool: 'Answer with one call of the tool that takes your answer. Its input is like this',
  Xml: 'Answer with this XML and nothing else',
};

const ESCAPES = 'In the texts write &amp; for & and &lt; for <.';

/** The end of a role's duties: how to answer. */
export function answerForm(kind: AnswerKind, form: AnswerForm): string {
  const { examples } = answerRows[kind];
  const shown = examples.map(({ json, xml }) => (form === 'Xml' ? xml : JSON.stringify(json)));
  const one = examples.length > 1 ? ', one of these' : '';
  return [`${INTRODUCTIONS[form]}${one}:`, ...shown, ...(form === 'Xml' ? [ESCAPES] : [])].join('\n\n');
}
