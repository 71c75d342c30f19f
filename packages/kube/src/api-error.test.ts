import { describe, expect, it } from 'vitest';
import { withoutQuotedValues } from './api-error.ts';

describe('withoutQuotedValues', () => {
  it.each([
    ['spec.a: Invalid value: "some words": must be b', 'spec.a: Invalid value'],
    ['spec.operator: Unsupported value: "some words": supported values: "Equal"', 'spec.operator: Unsupported value'],
    ['spec.b[1]: Duplicate value: "some words"', 'spec.b[1]: Duplicate value'],
    ['jobs "a" is forbidden: exceeded quota', 'jobs "a" is forbidden: exceeded quota'],
  ])('%s', (text, left) => {
    expect(withoutQuotedValues(text)).toBe(left);
  });
});
