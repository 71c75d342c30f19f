import { expect, it } from 'vitest';
import { containerResources, AGENT_RESOURCES } from './container-resources.ts';
import { canonicalQuantity, greaterQuantity, lesserQuantity, quantityValue } from './quantity.ts';

it.each([
  ['500m', 0.5],
  ['1', 1],
  ['1.5k', 1500],
  ['2Gi', 2 * 2 ** 30],
  ['2e3', 2000],
  ['1E', 1e18],
  ['much', undefined],
  ['-1', undefined],
])('reads %s', (text, value) => {
  expect(quantityValue(text)).toBe(value);
});

it('compares amounts in different words', () => {
  expect([greaterQuantity('1Gi', '1000Mi'), lesserQuantity('1Gi', '1000Mi'), greaterQuantity('1Gi', '1024Mi')]).toEqual(
    ['1Gi', '1000Mi', '1Gi'],
  );
});

it.each([
  ['a request above the usual limit raises the limit', { requests: { memory: '4Gi' } }, '4Gi', '4Gi'],
  ['a limit below the usual request lowers the request', { limits: { memory: '64Mi' } }, '64Mi', '64Mi'],
  ['what is said is kept', { requests: { memory: '1Mi' }, limits: { memory: '2Mi' } }, '1Mi', '2Mi'],
])('%s', (_, given, request, limit) => {
  const { requests, limits } = containerResources(given, AGENT_RESOURCES);
  expect([requests.memory, limits.memory]).toEqual([request, limit]);
});

/** As a real API server stored them. */
it.each([
  ['0.5', '500m'],
  ['1000m', '1'],
  ['1500m', '1500m'],
  ['0.1', '100m'],
  ['1024Mi', '1Gi'],
  ['1.5Gi', '1536Mi'],
  ['0.5Ki', '512'],
  ['1000k', '1M'],
  ['8G', '8G'],
  ['0', '0'],
  ['256Mi', '256Mi'],
])('writes %s as %s', (text, stored) => {
  expect(canonicalQuantity(text)).toBe(stored);
  expect(canonicalQuantity(stored)).toBe(stored);
});
