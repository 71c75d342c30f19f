import { AgentMemory, PREAMBLE_CHARACTERS_MIN } from '@retainer/contract/api/agent-memory';
import { describe, expect } from 'vitest';
import { agentDefinition } from '../../../test/support/agents.ts';
import { verifies } from '../../../test/verifies.ts';
import { preambleOf } from './preamble.ts';

const charactersOf = (preambleChars: number): number =>
  preambleOf(agentDefinition({ memory: { recall: { preambleChars } } }).agent, undefined, '0').charactersMax;

describe('preambleOf', () => {
  verifies(
    'sensorium:bounded',
    'takes a budget that the fullest state does not fit into as the smallest that counts',
    () => {
      expect([1, 4900, PREAMBLE_CHARACTERS_MIN, 9000].map(charactersOf)).toEqual([
        ...[PREAMBLE_CHARACTERS_MIN, PREAMBLE_CHARACTERS_MIN, PREAMBLE_CHARACTERS_MIN, 9000],
      ]);
      expect(AgentMemory.safeParse({ recall: { preambleChars: 0 } }).error?.issues).toMatchObject([
        { path: ['recall', 'preambleChars'], code: 'too_small', minimum: 1 },
      ]);
    },
  );
});
