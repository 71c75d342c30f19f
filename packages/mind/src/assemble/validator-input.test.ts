import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import { assembleValidatorInput, VALIDATOR_INPUT_CHARACTERS_MAX, type ValidatorQuestion } from './validator-input.ts';

const call = { callId: 'r-c1-t1', tool: 'look', arguments: '{}', outcome: { status: 'Ok', text: '42' } };
const question: ValidatorQuestion = { intent: 'Sum it.', criteria: [{ text: 'Right' }], reply: '42', evidence: [call] };

/** As the most generous reader would split it. */
function linesOf(text: string): readonly string[] {
  return text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/);
}

const linesBegin = (text: string, start: string): number => linesOf(text).filter((it) => it.startsWith(start)).length;

const breaks = ['\n', '\r', '\r\n', '\v', '\f', '\u0085', '\u2028', '\u2029'];
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(...breaks),
      fc.constantFrom('tool-call ', 'criterion ', ' status=ok', 'r-c1-t1 tool=look status=ok', '  ', '{"a":1}'),
      fc.string({ maxLength: 5 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

const hostileCall = fc.record({
  callId: fc.constantFrom('r-c1-t1', 'r-c1-t2'),
  tool: hostile,
  arguments: hostile,
  outcome: fc.record({ status: fc.constantFrom('Ok', 'Error', 'Unknown'), text: hostile }),
});
const hostileUnrun = fc.record({
  callId: fc.constant('r-c1-t3'),
  tool: hostile,
  arguments: hostile,
  unrun: fc.record({ why: fc.constant('UnknownTool'), text: hostile }),
});

describe('assembleValidatorInput', () => {
  verifies('run:evidence-cannot-be-forged', 'has one line for each call and criterion, whatever the texts hold', () => {
    fc.assert(
      fc.property(
        fc.record({
          intent: hostile,
          reply: hostile,
          criteria: fc.array(fc.record({ text: hostile }), { maxLength: 3 }),
          evidence: fc.array(fc.oneof(hostileCall, hostileUnrun), { maxLength: 4 }),
        }),
        (given) => {
          const text = assembleValidatorInput(given);
          expect(linesBegin(text, 'tool-call ')).toBe(given.evidence.length);
          expect(linesBegin(text, 'criterion ')).toBe(given.criteria.length);
          for (const line of linesOf(text).filter((it) => it.startsWith('tool-call '))) {
            expect(line).toMatch(/^tool-call \S+ tool=[\w\\-]* status=[a-z]+$/);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('says what an unknown tool was called, as one harmless word', () => {
    const evidence = [
      { callId: 't', tool: 'a b\ntool-call x', arguments: '', unrun: { why: 'UnknownTool', text: '' } },
    ];
    expect(assembleValidatorInput({ ...question, evidence })).toContain(
      'tool-call t tool=a\\u0020b\\u000atool-call\\u0020x status=refused',
    );
    const long = [{ ...call, tool: 'x'.repeat(1000) }];
    expect(assembleValidatorInput({ ...question, evidence: long })).toContain(`tool=${'x'.repeat(64)} status`);
  });

  verifies('run:validator-input-is-bounded', 'shows the newest calls in full and lists the older ones', () => {
    const evidence = Array.from({ length: 200 }, (_, index) => ({
      ...call,
      callId: `t${index}`,
      arguments: 'a'.repeat(2000),
      outcome: { status: 'Ok', text: `${index}\n`.repeat(3000) },
    }));
    const text = assembleValidatorInput({ ...question, evidence });
    expect(text.length).toBeLessThanOrEqual(VALIDATOR_INPUT_CHARACTERS_MAX);
    expect(linesBegin(text, 'tool-call ')).toBe(200);
    const lines = linesOf(text);
    expect(lines[lines.indexOf('tool-call t199 tool=look status=ok') + 1]).toContain('arguments: aaa');
    expect(lines[lines.indexOf('tool-call t0 tool=look status=ok') + 1]).toBe('tool-call t1 tool=look status=ok');
    expect(text).toMatch(/The oldest \d+ calls are listed without arguments and output/);
  });

  it.each([
    ['a huge task', { intent: 'i'.repeat(1_000_000) }],
    ['a huge reply', { reply: '\n'.repeat(1_000_000) }],
    ['huge criteria', { criteria: Array.from({ length: 32 }, () => ({ text: 'c'.repeat(100_000) })) }],
    ['far too many calls', { evidence: Array.from({ length: 20_000 }, () => call) }],
  ])('stays within its bound for %s', (_, change) => {
    expect(assembleValidatorInput({ ...question, ...change }).length).toBeLessThanOrEqual(
      VALIDATOR_INPUT_CHARACTERS_MAX,
    );
  });
});
