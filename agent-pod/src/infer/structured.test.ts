import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { AbandonReport } from '@retainer/mind/request/answers/abandon-report';
import { AttemptVerdicts } from '@retainer/mind/request/answers/attempt-verdicts';
import { Merge } from '@retainer/mind/request/answers/merge';
import { Perception } from '@retainer/mind/request/answers/task-spec';
import { Plan } from '@retainer/mind/request/answers/plan';
import { ANSWER_KINDS, type AnswerKind } from '@retainer/contract/api/roles';
import { gapsIn } from '@retainer/mind/request/answer-gaps';
import { GAP, isGap } from '@retainer/mind/request/answer-texts';
import { xmlOf } from '@retainer/mind/request/answer-xml';
import { answerAs, answers } from '@retainer/mind/request/answers';
import { filledForm, filledForms, withGap } from '../../../test/support/filled-form.ts';
import { STRUCTURED_CHARS_MAX } from './parse-xml.ts';
import { parseStructured } from './structured.ts';

async function faultsOf(kind: AnswerKind, xml: string): Promise<string> {
  const parsed = await parseStructured(kind, xml, '');
  return parsed.ok ? '' : parsed.error;
}

async function valueOf(kind: AnswerKind, xml: string): Promise<unknown> {
  const parsed = await parseStructured(kind, xml, '');
  return parsed.ok ? parsed.value : parsed.error;
}

const subtask = '<subtask sequence="1"><intent>Sum.</intent><criterion>It is there.</criterion></subtask>';
const verdict = '<verdict criterion="1" met="true"><evidence>t1</evidence><reason>It shows.</reason></verdict>';
const unmet = '<verdict criterion="2" met="false" failureClass="Logical"><reason>No.</reason></verdict>';
const correction = '<whatWasWrong>w</whatWasWrong><whatToDo>d</whatToDo>';

describe.each(ANSWER_KINDS)('the structure %s', (kind) => {
  const { name, forms, schema } = answers[kind];
  const { xml: example } = filledForm(kind);

  it('reads each form that the model is shown, once it is filled', async () => {
    for (const { xml } of filledForms(kind)) expect(await faultsOf(kind, xml)).toBe('');
  });

  verifies(
    'infer:no-open-gap',
    'takes no form back that is open in any place, and shows it with its gaps',
    async () => {
      const paths = gapsIn(schema, forms[0]?.json, '')?.gaps ?? [];
      expect(paths.length).toBeGreaterThan(0);
      for (const { path } of paths) {
        const open = withGap(filledForm(kind).json, path);
        for (const text of [JSON.stringify(open), xmlOf(name, schema, open)]) {
          const faults = await faultsOf(kind, text);
          expect(faults).toMatch(/is left open|must be/u);
          expect(faults).toContain(`Your answer, with ${GAP} where your own words are missing:\n`);
        }
      }
    },
  );

  const hostile: readonly (readonly [string, string, RegExp])[] = [
    ['a document type', `<!DOCTYPE ${name}>${example}`, /document type/],
    ['an entity', `<!DOCTYPE x [<!ENTITY e "x">]>${example.replace('>One', '>&e;')}`, /document type/],
    [
      'a file behind an entity',
      `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]>${example.replace('>One', '>&e;')}`,
      /document type/,
    ],
    ['megabytes', example.replace('</', `${'x'.repeat(2 * STRUCTURED_CHARS_MAX)}</`), /characters long/],
    ['megabytes of elements', `<${name}>${'<a/>'.repeat(STRUCTURED_CHARS_MAX)}</${name}>`, /characters long/],
    ['elements nested ten thousand deep', `<${name}>${'<a>'.repeat(10_000)}${'</a>'.repeat(10_000)}</${name}>`, /./],
    ['one text of nearly all that may be', example.replace('</', `${'x'.repeat(STRUCTURED_CHARS_MAX - 4096)}</`), /./],
    ['another root', `<other>${example}</other>`, /other/],
    ['another namespace', example.replace(`<${name}`, `<${name} xmlns="urn:mine"`), /./],
    ['nothing in it', `<${name}/>`, /./],
    ['prose', 'I have done it all.', /no XML/],
    ['prose with tags of its own around it', `Here <b>it</b> is:\n${example}`, /no XML/],
    ...(forms.length > 1 ? [] : [['two answers', `${example}\n${example}`, /./] as const]),
    ['a comment and prose', `Here:\n${example.replace('</', '<!-- c --></')}`, /no XML/],
    ['half of it', example.slice(0, Math.floor(example.length / 2)), /./],
    ['a text of white space', example.replace(/>[^<\s][^<]*<\//, '>   </'), /./],
    ['a text between elements', example.replace(/>\s+</, '>text<'), /./],
  ];
  const untidy: readonly (readonly [string, string, string])[] = [
    [
      'prose around it',
      `Here:\n\`\`\`xml\n${example}\n\`\`\`\nI hope this helps.`,
      'what stood around the answer was left out',
    ],
    ['thoughts before it', `<think>Is it <b>?</think>\n${example}`, 'thoughts before the answer were left out'],
    ['a bare ampersand', example.replace('</', ' A & B</'), 'the characters & and < in texts were escaped'],
    [
      'an entity that nobody declared',
      example.replace('</', '&mine;</'),
      'the characters & and < in texts were escaped',
    ],
    [
      'an element that nobody asked for',
      example.replace(/>\s/, '><mine>a b</mine>'),
      'the element mine, which nobody asked for, was left out',
    ],
    [
      'an attribute that nobody asked for',
      example.replace(`<${name}`, `<${name} mine="1"`),
      'the attribute mine, which nobody asked for, was left out',
    ],
    [
      'an element around all',
      example.replace(/^(<\w+[^>]*>)([\s\S]*)(<\/\w+>)$/, '$1<all>$2</all>$3'),
      'the element all, which nobody asked for, was left out',
    ],
    ['a tag in a text', example.replace('</', ' if a < b and <i>c</'), 'the characters & and < in texts were escaped'],
  ];
  verifies('infer:kind-xml', 'reads an untidy answer, and says what was mended', async () => {
    for (const [name, xml, note] of untidy)
      expect([name, await parseStructured(kind, xml, '')]).toMatchObject([name, { ok: true, mended: [note] }]);
  });

  it('shows the form beside the faults of what is no answer at all', async () => {
    const [, form = ''] = (await faultsOf(kind, 'I have done it all.')).split('Its form:\n');
    expect(form).toBe(forms.map(({ xml }) => xml).join('\n'));
  });

  it.each(hostile)('refuses %s', async (_name, xml, message) => {
    expect(await faultsOf(kind, xml)).toMatch(message);
  });
});

describe('the order of elements', () => {
  const swapped = verdict.replace(/(<evidence>.*<\/evidence>)(<reason>.*<\/reason>)/, '$2$1');
  it.each<readonly [AnswerKind, string, string]>([
    [
      'TaskSpec',
      '<perception><task slug="s" shape="Plan"><assumption>a</assumption><intent>i</intent></task></perception>',
      '<perception><task slug="s" shape="Plan"><intent>i</intent><assumption>a</assumption></task></perception>',
    ],
    ['Plan', `<plan>${subtask}<criterion>c</criterion></plan>`, `<plan><criterion>c</criterion>${subtask}</plan>`],
    ['AttemptVerdicts', `<attempt>${swapped}</attempt>`, `<attempt>${verdict}</attempt>`],
    [
      'Merge',
      '<merge><summary>s</summary><output>o</output></merge>',
      '<merge><output>o</output><summary>s</summary></merge>',
    ],
    [
      'AbandonReport',
      '<report><missing>m</missing><done>d</done></report>',
      '<report><done>d</done><missing>m</missing></report>',
    ],
  ])('does not matter in %s, but is told', async (kind, given, ordered) => {
    expect(await parseStructured(kind, given, '')).toEqual({
      ok: true,
      value: await valueOf(kind, ordered),
      mended: ['elements were put in their order'],
    });
  });

  it('and the case of true do not matter together', async () => {
    const xml = `<attempt>${swapped.replace('"true"', '"True"')}</attempt>`;
    const value = await valueOf('AttemptVerdicts', `<attempt>${verdict}</attempt>`);
    const mended = ['"True" was read as true', 'elements were put in their order'];
    expect(await parseStructured('AttemptVerdicts', xml, '')).toEqual({ ok: true, value, mended });
  });
});

describe.each(ANSWER_KINDS)('the structure %s in JSON', (kind) => {
  const { name } = answers[kind];
  const examples = filledForms(kind);

  verifies('infer:one-value-any-form', 'has the same value as in XML, with and without prose around it', async () => {
    for (const { json, xml } of examples) {
      const wanted = { ok: true, value: await valueOf(kind, xml) };
      const text = JSON.stringify(json);
      expect(await parseStructured(kind, text, '')).toEqual(wanted);
      expect(await parseStructured(kind, `\`\`\`json\n${text}\n\`\`\``, '')).toEqual(wanted);
      expect(await parseStructured(kind, `Here it is:\n${text}\nThat is all.`, '')).toEqual({
        ...wanted,
        mended: ['what stood around the answer was left out'],
      });
    }
  });

  it('is held to a strict schema without bounds', () => {
    const given = answerAs(kind, 'Schema');
    expect(given).toMatchObject({ form: 'Schema', name, schema: { type: 'object', additionalProperties: false } });
    expect(answerAs(kind, 'Schema')?.schema).toBe(given?.schema);
    expect(JSON.stringify(given)).not.toMatch(/"(?:maxLength|minLength|maxItems|minimum|maximum|default|oneOf)":/);
  });

  it.each([
    ['nothing in it', '{}', /expected|invalid/i],
    ['half of it', JSON.stringify(examples[0]?.json).slice(0, 40), /no JSON/],
    ['too long a text', `{"a":"${'x'.repeat(STRUCTURED_CHARS_MAX)}"}`, /characters long/],
  ])('is refused with %s', async (_name, text, message) => {
    expect(await faultsOf(kind, text)).toMatch(message);
  });
});

describe('TaskSpec', () => {
  it('takes the first of the several kinds of answer that a weak model gives at once', async () => {
    const [first, ...rest] = filledForms('TaskSpec', 'Count the rows.').map(({ xml }) => xml);
    expect(await parseStructured('TaskSpec', [first, ...rest].join('\n\nor\n\n'), '')).toEqual({
      ok: true,
      value: await valueOf('TaskSpec', first ?? ''),
      mended: ['of several answers the first was taken'],
    });
  });

  const task = '<task slug="s" shape="Plan"><intent>Sum.</intent></task>';
  it.each<readonly [string, string, Perception]>([
    ['a reply', '<reply>Hello & welcome.</reply>'.replace('&', '&amp;'), { kind: 'Reply', text: 'Hello & welcome.' }],
    ['a question', '<question>Which file?</question>', { kind: 'Question', text: 'Which file?' }],
    ['a task', task, { kind: 'Task', slug: 's', intent: 'Sum.', shape: 'Plan', assumptions: [] }],
    [
      'a task of another script, with assumptions',
      '<task slug="农历_日期" shape="SingleStep"><intent>查</intent><assumption>a</assumption><assumption>b</assumption></task>',
      { kind: 'Task', slug: '农历_日期', intent: '查', shape: 'SingleStep', assumptions: ['a', 'b'] },
    ],
  ])('takes %s', async (_name, xml, value) => {
    expect(Perception.parse(await valueOf('TaskSpec', `<perception>${xml}</perception>`))).toEqual(value);
  });

  it.each([
    ['two answers in one', `<reply>r</reply>${task}`, /task/],
    ['a task without a shape', task.replace(' shape="Plan"', ''), /shape/],
    ['a task without a slug', task.replace(' slug="s"', ''), /slug/],
    ['a slug of several words', task.replace('"s"', '"a b"'), /slug/],
    ['a slug with a path', task.replace('"s"', '"../etc"'), /slug/],
    ['a slug that is too long', task.replace('"s"', `"${'s'.repeat(49)}"`), /slug/],
    ['a shape of its own', task.replace('Plan', 'Team'), /Team/],
  ])('refuses %s', async (_name, xml, message) => {
    expect(await faultsOf('TaskSpec', `<perception>${xml}</perception>`)).toMatch(message);
  });
});

describe('JSON that not everybody reads alike', () => {
  const asked = (intent: string, more = ''): string =>
    `{"perception":{"kind":"Task","slug":"s","intent":"${intent}","shape":"SingleStep","assumptions":[]${more}}}`;

  it('is made well formed', async () => {
    expect(await parseStructured('TaskSpec', asked(String.raw`a\ud800`), '')).toMatchObject({
      ok: true,
      value: { intent: 'a\uFFFD' },
    });
  });

  it.each([
    [`,"more":${'['.repeat(2000)}${']'.repeat(2000)}`, 'it is nested deeper than 64 levels'],
    [',"more":1e400', 'a number in it is too large'],
  ])('%.20s… is sent back with the reason', async (more, why) => {
    expect(await parseStructured('TaskSpec', asked('a', more), '')).toMatchObject({
      ok: false,
      error: expect.stringContaining(why),
    });
  });
});

describe('Plan', () => {
  it('takes what is left out as required and verifiable, in the first group', async () => {
    const xml = '<plan><subtask><intent>Sum.</intent><criterion>It is there.</criterion></subtask></plan>';
    expect(Plan.parse(await valueOf('Plan', xml))).toEqual({
      criteria: [],
      subtasks: [
        {
          sequence: 1,
          intent: 'Sum.',
          context: '',
          criteria: [{ text: 'It is there.', mode: 'Verifiable', required: true }],
          plannedTools: [],
        },
      ],
    });
  });

  it.each([
    ['a subtask without a criterion', `<plan>${subtask.replace(/<criterion>.*<\/criterion>/, '')}</plan>`, /criterion/],
    ['a criterion that is empty', `<plan>${subtask.replace('It is there.', '')}</plan>`, /criterion/],
    [
      'a criterion of a mode of its own',
      `<plan>${subtask.replace('<criterion', '<criterion mode="x"')}</plan>`,
      /mode/,
    ],
    ['a sequence that is no number', `<plan>${subtask.replace('"1"', '"first"')}</plan>`, /sequence/],
    ['a sequence beyond all bounds', `<plan>${subtask.replace('"1"', '"1000"')}</plan>`, /sequence/],
    ['no subtask', '<plan><criterion>c</criterion></plan>', /subtask/],
    ['a thousand subtasks', `<plan>${subtask.repeat(1000)}</plan>`, /subtask/],
    ['65 subtasks', `<plan>${subtask.repeat(65)}</plan>`, /subtask/],
    ['a subtask within a subtask', `<plan>${subtask.replace('</subtask>', `${subtask}</subtask>`)}</plan>`, /subtask/],
  ])('refuses %s', async (_name, xml, message) => {
    expect(await faultsOf('Plan', xml)).toMatch(message);
  });

  verifies('roles:plan-has-no-ids', 'gives back any plan that is written as XML, and no id', async () => {
    const text = fc
      .string({ minLength: 1, maxLength: 40 })
      .map((it) => it.trim())
      .filter((it) => it !== '' && !isGap(it));
    const criteria = fc.array(
      fc.record({ text, mode: fc.constantFrom('Verifiable' as const, 'Plausible' as const), required: fc.boolean() }),
      { minLength: 1, maxLength: 3 },
    );
    const planned = fc.record({
      sequence: fc.integer({ min: -999, max: 999 }),
      intent: text,
      context: text,
      criteria,
      plannedTools: fc.array(fc.stringMatching(/^[a-z_]{1,20}$/), { maxLength: 3 }),
    });
    const plans = fc.record({ criteria, subtasks: fc.array(planned, { minLength: 1, maxLength: 64 }) });
    await fc.assert(
      fc.asyncProperty(plans, async (given) => {
        expect(Plan.parse(await valueOf('Plan', planXml(given)))).toEqual(given);
      }),
      { numRuns: 40 },
    );
  });
});

describe('AttemptVerdicts', () => {
  it('takes verdicts with and without a correction', async () => {
    const met = { criterion: 1, met: true, evidence: ['t1'], reason: 'It shows.' };
    expect(AttemptVerdicts.parse(await valueOf('AttemptVerdicts', `<attempt>${verdict}</attempt>`))).toEqual({
      verdicts: [met],
      whatWasWrong: '',
      whatToDo: '',
    });
    const both = `<attempt>${verdict}${unmet}${correction}</attempt>`;
    expect(AttemptVerdicts.parse(await valueOf('AttemptVerdicts', both))).toEqual({
      verdicts: [met, { criterion: 2, met: false, failureClass: 'Logical', evidence: [], reason: 'No.' }],
      whatWasWrong: 'w',
      whatToDo: 'd',
    });
  });

  it.each([
    ['an unmet criterion without a class', unmet.replace(' failureClass="Logical"', '') + correction, /failureClass/],
    ['a class that only code may give', unmet.replace('Logical', 'Policy') + correction, /Policy/],
    ['an unmet criterion without a correction', unmet, /whatWasWrong and whatToDo/],
    ['an unmet criterion with half a correction', `${unmet}<whatToDo>d</whatToDo>`, /whatWasWrong and whatToDo/],
    ['two verdicts on one criterion', verdict + verdict, /unique|criterion/i],
    ['a verdict without a number', verdict.replace(' criterion="1"', ''), /criterion/],
    ['a verdict without a decision', verdict.replace(' met="true"', ''), /met/],
    ['33 pieces of evidence', verdict.replace(/(<evidence>.*<\/evidence>)/, '$1'.repeat(33)), /evidence/],
    ['65 verdicts', Array.from({ length: 65 }, (_, n) => verdict.replace('"1"', `"${n}"`)).join(''), /verdict/],
    ['no verdict', correction, /verdict/],
  ])('refuses %s', async (_name, xml, message) => {
    expect(await faultsOf('AttemptVerdicts', `<attempt>${xml}</attempt>`)).toMatch(message);
  });
});

describe('Merge', () => {
  const output = '<output>[1, 2]\n[3]</output>';
  const summary = '<summary>All is there.</summary>';

  it('takes an output with verdicts, and without where there is no criterion', async () => {
    expect(Merge.parse(await valueOf('Merge', `<merge>${output}${summary}</merge>`))).toEqual({
      output: '[1, 2]\n[3]',
      verdicts: [],
      summary: 'All is there.',
    });
    const judged = Merge.parse(await valueOf('Merge', `<merge>${output}${verdict}${unmet}${summary}</merge>`));
    expect(judged.verdicts.map(({ met }) => met)).toEqual([true, false]);
  });

  it.each([
    ['no output', verdict + summary, /output/],
    ['two outputs', output + output + summary, /output/],
    ['no summary', output + verdict, /summary/],
    [
      'an unmet criterion without a class',
      output + unmet.replace(' failureClass="Logical"', '') + summary,
      /failureClass/,
    ],
    ['two verdicts on one criterion', output + verdict + verdict + summary, /unique|criterion/i],
    ['too long an output', `<output>${'x'.repeat(131_073)}</output>${summary}`, /output/],
  ])('refuses %s', async (_name, xml, message) => {
    expect(await faultsOf('Merge', `<merge>${xml}</merge>`)).toMatch(message);
  });
});

describe('AbandonReport', () => {
  it('takes what is missing, and the rest where there is some', async () => {
    const xml = '<report><done>d</done><missing>m</missing><missing>n</missing></report>';
    expect(AbandonReport.parse(await valueOf('AbandonReport', xml))).toEqual({
      done: ['d'],
      missing: ['m', 'n'],
      nextMoves: [],
    });
  });

  it.each([
    ['nothing that is missing', '<done>d</done>', /missing/],
    ['too many points', '<missing>m</missing>'.repeat(17), /missing/],
    ['too long a point', `<missing>${'m'.repeat(513)}</missing>`, /missing/],
  ])('refuses %s', async (_name, xml, message) => {
    expect(await faultsOf('AbandonReport', `<report>${xml}</report>`)).toMatch(message);
  });
});

function planXml({ criteria, subtasks }: Plan): string {
  const steps = subtasks.map(
    ({ sequence, intent, context, criteria: own, plannedTools }) =>
      `<subtask sequence="${sequence}"><intent>${escaped(intent)}</intent><context>${escaped(context)}</context>` +
      `${own.map(criterionXml).join('')}${plannedTools.map((tool) => `<tool>${tool}</tool>`).join('')}</subtask>`,
  );
  return `<plan>${criteria.map(criterionXml).join('')}${steps.join('')}</plan>`;
}

function criterionXml({ text, mode, required }: Plan['criteria'][number]): string {
  return `<criterion mode="${mode}" required="${required}">${escaped(text)}</criterion>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

describe('Forecasts', () => {
  const forecast = (feature: string, magnitude: string, rationale = '<rationale>It shows.</rationale>'): string =>
    `<forecast feature="${feature}" magnitude="${magnitude}">${rationale}</forecast>`;

  it('takes one forecast or several, each a whole magnitude with its reason', async () => {
    const first = { feature: 'a', magnitude: 5, rationale: 'It shows.' };
    expect(await valueOf('Forecasts', `<forecasts>${forecast('a', '5')}</forecasts>`)).toEqual({ forecasts: [first] });
    const both = await valueOf('Forecasts', `<forecasts>${forecast('a', '5')}${forecast('b', '2')}</forecasts>`);
    expect(both).toEqual({ forecasts: [first, { ...first, feature: 'b', magnitude: 2 }] });
  });

  it.each([
    ['a magnitude that is none', forecast('a', 'high'), /magnitude|integer/],
    ['half a magnitude', forecast('a', '1.5'), /1\.5/],
    ['a magnitude off every scale', forecast('a', '6'), /6/],
    ['a negative one', forecast('a', '-1'), /-1/],
    ['a feature twice', `${forecast('a', '1')}${forecast('a', '0')}`, /one forecast for each feature/],
    ['no reason', forecast('a', '1', ''), /rationale/],
  ])('refuses %s', async (_name, xml, message) => {
    expect(await faultsOf('Forecasts', `<forecasts>${xml}</forecasts>`)).toMatch(message);
  });
});
