import { describe, expect, it } from 'vitest';
import { CharacterSpec } from '../api/character-spec.ts';
import { characterDigest } from './character-digest.ts';

const spec = (persona: string) =>
  CharacterSpec.parse({
    apiVersion: 'retainer.dev/v1alpha1',
    kind: 'CharacterSpec',
    metadata: { name: 'c' },
    spec: {
      persona,
      highestEndeavour: [{ operator: 'Ought', id: 'a', level: 'Legal', description: 'x' }],
    },
  }).spec;

describe('characterDigest', () => {
  it('does not depend on the order of fields', () => {
    const one = spec('A.');
    const other = Object.fromEntries(Object.entries(one).toReversed()) as typeof one;
    expect(characterDigest(other)).toBe(characterDigest(one));
    expect(characterDigest(one)).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it('changes with every word', () => {
    expect(characterDigest(spec('A.'))).not.toBe(characterDigest(spec('B.')));
  });
});
