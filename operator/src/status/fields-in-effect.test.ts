import { CONDITION_MESSAGE_LENGTH_MAX } from '@retainer/contract/api/conditions';
import { SPECIALISTS } from '@retainer/contract/api/roles';
import { describe, expect, it } from 'vitest';
import { agentDefinition, characterSpec } from '../../../test/support/agents.ts';
import { shippedCharacter } from '../../../test/support/shipped-character.ts';
import { verifies } from '../../../test/verifies.ts';
import { fieldsInEffect } from './fields-in-effect.ts';

const agent = (spec: object = {}) => agentDefinition(spec).agent;

describe('FieldsInEffect', () => {
  it('is true of what sets nothing in vain, and of what holds on a cluster', () => {
    const told = { status: 'True', reason: 'AllInEffect' };
    expect(fieldsInEffect('Agent', agent())).toMatchObject(told);
    expect(fieldsInEffect('Agent', agent({ memory: { storage: '9Gi' } }))).toMatchObject(told);
  });

  verifies('operator-agent:fields-in-effect', 'names who is set and played by nobody', () => {
    expect(fieldsInEffect('CharacterSpec', characterSpec(shippedCharacter()))).toEqual({
      type: 'FieldsInEffect',
      status: 'False',
      reason: 'NoEffectYet',
      message:
        'set without effect yet: spec.gatePolicies.agentOverrides[Comms]; docs/not-yet.md says what holds instead',
    });
  });

  it('names some of many, within the length of a message', () => {
    const overrides = SPECIALISTS.map((name) => ({ name, maxTurns: 3 }));
    const many = agent({ specialists: { overrides, teamRoundsMax: 9 }, limits: { inboxLength: 7 } });
    const { message } = fieldsInEffect('Agent', many);
    expect(message).toMatch(/^set without effect yet: spec\.specialists\.overrides\[Planner\], .* and 1 more; docs/);
    expect(message.length).toBeLessThanOrEqual(CONDITION_MESSAGE_LENGTH_MAX);
  });
});
