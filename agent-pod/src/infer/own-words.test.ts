/** An answer has words of its own. */
import { describe, expect, it } from 'vitest';
import { parseStructured } from './structured.ts';

describe('the words of the duties', () => {
  const duties = '- intent: one action in one sentence, with the same meaning\n  as the message.';
  const perceived = (intent: string): string =>
    `<perception><task slug="work" shape="SingleStep"><intent>${intent}</intent></task></perception>`;

  it.each([
    ['are no answer, whatever their capitals and blanks', 'One action in one sentence, with the  same meaning', false],
    ['are one where it is a few words', 'the same meaning', true],
    ['are one with words of its own', 'Sum it: one action in one sentence, with the same meaning.', true],
  ])('%s', async (_name, intent, isTaken) => {
    const parsed = await parseStructured('TaskSpec', perceived(intent), duties);
    expect(parsed.ok).toBe(isTaken);
    expect(parsed.ok ? '' : parsed.error).toMatch(isTaken ? /^$/u : /intent: repeats what you were told/u);
  });
});
