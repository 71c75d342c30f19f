import { describe, expect, it } from 'vitest';
import { LABELS } from '@retainer/contract/api/names';
import { agentOfChild } from './observe-agent-indexes.ts';

const children = [
  ['a child with the namespace of its agent', { [LABELS.agent]: 'one', [LABELS.agentNamespace]: 'here' }, ['here/one']],
  ['a claim that has the name alone', { [LABELS.agent]: 'one' }, ['here/one']],
  ['a policy of an agent that lives elsewhere', { [LABELS.agent]: 'one', [LABELS.agentNamespace]: 'there' }, []],
  ['an object of no agent', {}, []],
] as const;

describe('agentOfChild', () => {
  for (const [what, labels, expected] of children)
    it(`knows whose it is: ${what}`, () => {
      const found = agentOfChild({ metadata: { name: 'any', namespace: 'here', labels } });
      expect(found.map(({ namespace, name }) => `${namespace}/${name}`)).toEqual(expected);
    });
});
