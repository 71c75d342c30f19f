import { describe, expect } from 'vitest';
import { MAX_VALUE_CHARACTERS } from '@retainer/mind/parts/facts/fact-key';
import { toolWorld } from '../../../../test/support/tool-world.ts';
import { verifies } from '../../../../test/verifies.ts';

describe('a fact that no memory takes', () => {
  const fact = { key: 'vat.rate', value: '25 %' };
  const rows: readonly (readonly [string, object, string])[] = [
    ['confidence above 1', { ...fact, confidence: 1.01 }, 'confidence'],
    ['confidence below 0', { ...fact, confidence: -0.01 }, 'confidence'],
    ['confidence in words', { ...fact, confidence: 'high' }, 'confidence'],
    ['a value that is too long', { ...fact, value: 'x'.repeat(MAX_VALUE_CHARACTERS + 1) }, 'value'],
    ['no value', { ...fact, value: '' }, 'value'],
    ['a key that is none', { ...fact, key: 'VAT rate' }, 'key'],
    ['a scope that there is not', { ...fact, scope: 'Forever' }, 'scope'],
    ['a derivation that there is not', { ...fact, derivation: 'Guessed' }, 'derivation'],
    ['a field that there is not', { ...fact, sure: true }, 'sure'],
  ];
  for (const [what, input, field] of rows)
    verifies('memory:bad-fact', `is one with ${what}: the error names ${field}, and nothing is written`, async () => {
      const world = toolWorld();
      const { status, text } = await world.call('memory_write', input);
      expect(status).toBe('Error');
      expect(text).toContain(field);
      expect((await world.call('memory_read', {})).text).toBe('No fact is kept under that.');
    });

  for (const confidence of [0, 1])
    verifies('memory:bad-fact', `is not one with confidence ${confidence}`, async () => {
      const world = toolWorld();
      expect(await world.call('memory_write', { ...fact, confidence })).toMatchObject({ status: 'Ok' });
      expect((await world.call('memory_read', {})).text).toContain('vat.rate');
    });
});
