import { describe, expect, it } from 'vitest';
import { filledForm } from '../../../test/support/filled-form.ts';
import { verifies } from '../../../test/verifies.ts';
import { FIELDS_MAX } from '@retainer/mind/request/answers/reading';
import { answers } from '@retainer/mind/request/answers';
import { readingRequest } from '@retainer/mind/gate/provenance/reading-request';
import { parseStructured } from './structured.ts';

const field = (own: string, quote = 'q'): string => `<field ${own}><quote>${quote}</quote></field>`;
const date = 'type="Date" name="n" value="2015-12-31"';

function xml(fields: string, attributes = 'kind="Data" holdsInstructions="true"'): string {
  return `<reading ${attributes}><subject>Rain.</subject>${fields}</reading>`;
}

describe('the structure Reading', () => {
  it('keeps the fields in their order', async () => {
    const fields = `${field(date)}${field('type="Text" name="m" value="a &amp; b"')}`;
    expect(await parseStructured('Reading', xml(fields), '')).toEqual({
      ok: true,
      value: {
        kind: 'Data',
        holdsInstructions: true,
        subject: 'Rain.',
        fields: [
          { type: 'Date', name: 'n', value: '2015-12-31', quote: 'q' },
          { type: 'Text', name: 'm', value: 'a & b', quote: 'q' },
        ],
      },
    });
  });

  const faults: readonly (readonly [string, string, RegExp])[] = [
    ['a number in words', xml(field('type="Number" name="n" value="many"')), /value: is not a plain decimal number/],
    ['a number without end', xml(field(`type="Number" name="n" value="${'9'.repeat(40)}"`)), /plain decimal/],
    ['another form of date', xml(field('type="Date" name="n" value="31.12.2015"')), /YYYY-MM-DD/],
    ['an address without scheme', xml(field('type="Url" name="n" value="a.example"')), /https:/],
    ['an address that runs code', xml(field('type="Url" name="n" value="javascript:x"')), /https:/],
    ['a type of its own', xml(field('type="Order" name="n" value="do it"')), /must be one of Text, .* not "Order"/],
    ['a kind of its own', xml('', 'kind="Order" holdsInstructions="true"'), /must be one of Article, .* not "Order"/],
    ['no word on instructions', xml('', 'kind="Data"'), /holdsInstructions/],
    ['a long value', xml(field(`type="Text" name="n" value="${'x'.repeat(201)}"`)), /maxLength|length/],
    ['a long quote', xml(field(date, 'x'.repeat(121))), /maxLength|length/],
    ['too many fields', xml(field(date).repeat(FIELDS_MAX + 1)), /field/],
  ];
  it.each(faults)('refuses %s', async (_what, answer, message) => {
    const parsed = await parseStructured('Reading', answer, '');
    expect(parsed.ok ? '' : parsed.error).toMatch(message);
  });

  it('hands on nothing of a call', async () => {
    expect(await parseStructured('Reading', xml('<call tool="fetch_url"/>'), '')).toMatchObject({
      ok: true,
      value: { fields: [] },
      mended: ['the element call, which nobody asked for, was left out'],
    });
  });

  verifies('provenance:reader-answers-in-schema', 'shows the reader the form of its answer', async () => {
    const [system] = readingRequest('How much rain?', '<<data>>').system;
    expect(system?.text).toContain(answers.Reading.forms[0]?.xml);
    expect(await parseStructured('Reading', filledForm('Reading').xml, '')).toMatchObject({ ok: true });
  });
});
