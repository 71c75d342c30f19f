import { describe, expect, it } from 'vitest';
import { exampleObjects } from '../../../../test/support/observed-agent.ts';
import { verifies } from '../../../../test/verifies.ts';
import { parseCharacter } from '../../observe/observe-kinds.ts';
import { characterStatus } from './character-status.ts';

function status(spec: object) {
  const [example] = exampleObjects('character.yaml');
  if (example === undefined) throw new Error('the examples lack a character');
  const parsed = parseCharacter({ ...example, spec: { ...(example['spec'] as object), ...spec } });
  if (parsed.type !== 'Found') throw new Error(`not valid at ${parsed.type === 'Invalid' ? parsed.path : ''}`);
  return characterStatus(3, parsed.value, 2);
}

describe('the status of a CharacterSpec', () => {
  it('has its digest and its users', () => {
    const { conditions, fields } = status({});
    expect(conditions.map(({ type, status: holds }) => [type, holds])).toEqual([
      ['Ready', 'True'],
      ['Compiled', 'True'],
      ['FieldsInEffect', 'True'],
    ]);
    expect(fields).toMatchObject({ observedGeneration: 3, inUseBy: 2, digest: expect.stringMatching(/^sha256:/) });
  });

  const never = (pattern: string) => ({ authority: { never: [{ id: 'a', description: 'A.', pattern }] } });
  const paper = [{ id: 'a', description: 'A.', level: 'Etiquette', operator: 'Ought' }];
  const broken: readonly (readonly [string, object, string, RegExp])[] = [
    [
      'a pattern that is no RE2',
      never('(?=a)'),
      'PatternInvalid',
      /^spec\.authority\.never\[0\]\.pattern: must be .* RE2/,
    ],
    [
      'a level of another scheme',
      { highestEndeavour: paper },
      'LevelInvalid',
      /level Etiquette is not in the chosen levelScheme/,
    ],
    [
      'thresholds in the wrong order',
      { gatePolicies: { tool: { modify: 0.9, reject: 0.1 } } },
      'SpecInvalid',
      /modify must not be above reject/,
    ],
  ];
  for (const [name, spec, reason, message] of broken)
    verifies('operator-agent:characters-are-judged', `refuses ${name} with its place`, () => {
      const [ready] = status(spec).conditions;
      expect(ready).toMatchObject({ type: 'Ready', status: 'False', reason });
      expect(ready?.message).toMatch(message);
    });
});
