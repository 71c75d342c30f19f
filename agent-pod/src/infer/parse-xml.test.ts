import fc from 'fast-check';
import { diag } from 'libxml2-wasm';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { answers } from '@retainer/mind/request/answers';
import type { AttemptVerdicts } from '@retainer/mind/request/answers/attempt-verdicts';
import { parseXml, STRUCTURED_CHARS_MAX } from './parse-xml.ts';
import { renderFaults } from './structured.ts';

const attempt = answers.AttemptVerdicts;

const one = '<verdict criterion="1" met="true"><evidence>call_1</evidence><reason>It shows.</reason></verdict>';
const whole = `<attempt>\n  ${one}\n  <whatWasWrong>Nothing.</whatWasWrong>\n</attempt>`;

const value = {
  verdicts: [{ criterion: 1, met: true, evidence: ['call_1'], reason: 'It shows.' }],
  whatWasWrong: 'Nothing.',
  whatToDo: '',
};

type AttemptVerdict = AttemptVerdicts['verdicts'][number];

describe('parseXml', () => {
  verifies('infer:single-element-lists', 'keeps a list of one element a list', async () => {
    expect(await parseXml(attempt, whole)).toMatchObject({ ok: true, value });
  });

  it.each([
    ['a code fence', `\`\`\`xml\n${whole}\n\`\`\``],
    ['a code fence without a language', `\`\`\`\n${whole}\n\`\`\`\n`],
    ['an XML declaration', `<?xml version="1.0" encoding="UTF-16"?>\n${whole}`],
    ['both, and white space', `\n\n  \`\`\`xml\n<?xml version="1.0"?>\n\n${whole}\n\n\`\`\`  \n`],
  ])('takes off %s', async (_name, text) => {
    expect(await parseXml(attempt, text)).toMatchObject({ ok: true, value });
  });

  it.each([
    ['prose', 'All criteria are met.', /no XML: it begins with "All criteria are met\."/],
    ['nothing', '', /no XML/],
    ['two code fences', `\`\`\`xml\n${whole}\n\`\`\`\n\`\`\`xml\n${whole}\n\`\`\``, /./],
    ['XML that is cut off', whole.slice(0, -12), /./],
    ['an unclosed tag', whole.replace('</reason>', ''), /mismatch/],
    ['another root element', '<answer/>', /answer/],
    ['a missing attribute', whole.replace(' met="true"', ''), /met/],
    ['a word for a boolean', whole.replace('"true"', '"perhaps"'), /perhaps/],
    ['a verdict without a reason', whole.replace('<reason>It shows.</reason>', ''), /reason/],
    ['an empty reason', whole.replace('It shows.', ''), /reason/],
    ['the same criterion twice', whole.replace(one, one + one), /criterion|unique/i],
    ['no verdict at all', '<attempt><whatWasWrong>x</whatWasWrong></attempt>', /verdict/],
    ['a document type', `<!DOCTYPE attempt>\n${whole}`, /document type/],
    ['an entity of its own', `<!DOCTYPE v [<!ENTITY e "x">]>${whole.replace('It shows.', '&e;')}`, /document type/],
    [
      'an external entity',
      `<!DOCTYPE v [<!ENTITY e SYSTEM "file:///etc/hostname">]>${whole.replace('It shows.', '&e;')}`,
      /document type/,
    ],
    ['too long a text', `<attempt>${' '.repeat(STRUCTURED_CHARS_MAX)}</attempt>`, /characters long/],
  ])('refuses %s and says why', async (_name, text, message) => {
    const result = await parseXml(attempt, text);
    expect(result.ok).toBe(false);
    expect(result.ok ? '' : renderFaults(result.error)).toMatch(message);
  });

  it('refuses a bomb of entities', async () => {
    const levels = Array.from({ length: 20 }, (_, level) => `<!ENTITY e${level + 1} "${`&e${level};`.repeat(10)}">`);
    const bomb = `<!DOCTYPE v [<!ENTITY e0 "${'x'.repeat(1000)}">${levels.join('')}]><attempt>&e20;</attempt>`;
    expect((await parseXml(attempt, bomb)).ok).toBe(false);
  });

  it('counts lines in the answer as the model wrote it', async () => {
    const text = `\n\`\`\`xml\n<?xml version="1.0"?>\n${whole.replace('"true"', '"perhaps"')}\n\`\`\``;
    const result = await parseXml(attempt, text);
    expect(result.ok ? [] : result.error.map(({ line }) => line)).toContain(5);
  });

  it('names every fault, not the first alone', async () => {
    const text = whole.replace('criterion="1"', 'criterion="x"').replace('"true"', '"perhaps"');
    const result = await parseXml(attempt, text);
    expect(result.ok ? 0 : result.error.length).toBeGreaterThanOrEqual(2);
  });

  it('accepts verdicts without a correction', async () => {
    const bare = await parseXml(attempt, `<attempt>${one}</attempt>`);
    expect(bare).toMatchObject({ ok: true, value: { ...value, whatWasWrong: '' } });
  });

  it('says where the definition finds a fault, in the words of the XML', async () => {
    const unclassed = '<verdict criterion="2" met="false"><reason>No.</reason></verdict>';
    const result = await parseXml(attempt, whole.replace(one, one + unclassed));
    expect(result.ok ? '' : renderFaults(result.error)).toMatch(/^- verdict 2: met is false, so failureClass/);
  });

  it('gives back any verdicts that are written as XML', async () => {
    const prose = fc
      .string({ minLength: 1, maxLength: 60, unit: 'grapheme' })
      .map((text) => text.replaceAll(/[\u0000-\u001F\u007F-\u009F\uFFFE\uFFFF]/g, '').trim())
      .filter((text) => text !== '');
    const failureClass = fc.constantFrom('Logical' as const, 'Environmental' as const);
    const judged = fc.oneof(
      fc.constant({ met: true }),
      failureClass.map((it) => ({ met: false, failureClass: it })),
    );
    const grounds = fc.record({
      evidence: fc.array(fc.stringMatching(/^[A-Za-z0-9_-]{1,30}$/), { maxLength: 4 }),
      reason: prose,
    });
    const verdict = fc.tuple(judged, grounds).map(([a, b]): Omit<AttemptVerdict, 'criterion'> => ({ ...a, ...b }));
    await fc.assert(
      fc.asyncProperty(fc.array(verdict, { minLength: 1, maxLength: 6 }), prose, async (list, correction) => {
        const expected = list.map((each, index) => ({ criterion: index + 1, ...each }));
        expect(await parseXml(attempt, render(expected, correction))).toMatchObject({
          ok: true,
          value: { verdicts: expected, whatWasWrong: correction, whatToDo: correction },
        });
      }),
      { numRuns: 60 },
    );
  });

  it('disposes every document, valid or not', async () => {
    await parseXml(attempt, whole);
    diag.configure({ enabled: true });
    try {
      await parseXml(attempt, whole);
      await parseXml(attempt, whole.replace('"true"', '"perhaps"'));
      await parseXml(attempt, whole.slice(0, -3));
      await parseXml(attempt, `<!DOCTYPE attempt>${whole}`);
      expect(diag.report()).toEqual({});
    } finally {
      diag.configure({ enabled: false });
    }
  });
});

describe('renderFaults', () => {
  it('gives place and message, and bounds both number and length', () => {
    const faults = Array.from({ length: 12 }, (_, index) => ({
      line: index,
      column: index % 2,
      message: 'm'.repeat(400),
    }));
    const lines = renderFaults(faults).split('\n');
    expect(lines).toHaveLength(11);
    expect(lines[0]).toBe(`- ${'m'.repeat(300)}…`);
    expect(lines[1]).toMatch(/^- line 1, column 1: m/);
    expect(lines[2]).toMatch(/^- line 2: m/);
    expect(lines[10]).toBe('- and 2 more');
  });
});

function render(list: readonly AttemptVerdict[], correction: string): string {
  const items = list.map(({ criterion, met, failureClass, evidence, reason }) => {
    const ids = evidence.map((id) => `<evidence>${id}</evidence>`).join('');
    const why = failureClass === undefined ? '' : ` failureClass="${failureClass}"`;
    return `<verdict criterion="${criterion}" met="${met}"${why}>${ids}<reason>${escape(reason)}</reason></verdict>`;
  });
  const text = escape(correction);
  return `<attempt>${items.join('')}<whatWasWrong>${text}</whatWasWrong><whatToDo>${text}</whatToDo></attempt>`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
