import { describe, expect, it } from 'vitest';
import { characterSpec } from '../../../../test/support/agents.ts';
import { changedParts } from './changed-parts.ts';

const { spec } = characterSpec();
const [truth] = spec.highestEndeavour;
const other = { ...truth, id: 'care' };

const cases: readonly (readonly [name: string, change: object, parts: readonly string[]])[] = [
  ['nothing', {}, []],
  ['the persona', { persona: 'Another.' }, ['persona']],
  ['a virtue', { virtues: [{ name: 'honesty', expressions: ['is silent'] }] }, ['virtues/honesty']],
  ['a new commitment', { highestEndeavour: [truth, other] }, ['highestEndeavour/care']],
  [
    'a rule of authority that is gone',
    { authority: { ...spec.authority, never: [] } },
    ['authority.never/data-is-read-only'],
  ],
  ['a threshold', { gatePolicies: { ...spec.gatePolicies, detector: true } }, ['gatePolicies.detector']],
  ['something that was not there', { confidential: true }, ['confidential']],
];

describe('changedParts', () => {
  it.each(cases)('names %s', (_, change, parts) => {
    expect(changedParts(spec, characterSpec({ ...spec, ...change }).spec)).toEqual(parts);
  });

  it('names no more than a person reads', () => {
    const many = Array.from({ length: 40 }, (_, index) => ({ ...truth, id: `c${index}` }));
    const parts = changedParts(spec, characterSpec({ ...spec, highestEndeavour: many }).spec);
    expect(parts).toHaveLength(33);
    expect(parts.at(-1)).toBe('and 9 more');
  });
});
