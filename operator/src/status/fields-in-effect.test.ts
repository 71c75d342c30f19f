import { CONDITION_MESSAGE_LENGTH_MAX } from '@retainer/contract/api/conditions';
import { SPECIALISTS } from '@retainer/contract/api/roles';
import { describe, expect, it } from 'vitest';
import { agentDefinition, characterSpec } from '../../../test/support/agents.ts';
import { verifies } from '../../../test/verifies.ts';
import { agentFieldsInEffect, fieldsInEffect } from './fields-in-effect.ts';

const fetch = { enabled: true, allowAnyPublicHost: true };
const override = (name: string) => ({ agent: name, tool: { modify: 0.3, reject: 0.5 } });
const agent = (spec: object = {}) => agentDefinition(spec).agent;

describe('FieldsInEffect', () => {
  it('is true of what sets nothing in vain, and of what holds on a cluster', () => {
    const told = { status: 'True', reason: 'AllInEffect' };
    expect(agentFieldsInEffect(agent(), undefined)).toMatchObject(told);
    expect(agentFieldsInEffect(agent({ memory: { storage: '9Gi' } }), undefined)).toMatchObject(told);
  });

  verifies('operator-agent:fields-in-effect', 'names who is set and played by nobody', () => {
    const agentOverrides = ['Writer', 'Comms'].map(override);
    expect(fieldsInEffect('CharacterSpec', characterSpec({ gatePolicies: { agentOverrides } }))).toEqual({
      type: 'FieldsInEffect',
      status: 'False',
      reason: 'NoEffectYet',
      message:
        'fields without an effect yet: spec.gatePolicies.agentOverrides[Writer]; docs/not-yet.md says what happens instead',
    });
  });

  verifies(
    'operator-agent:fields-in-effect',
    'names what its character sets for a worker that it does not have',
    () => {
      const agentOverrides = ['Writer', 'Coder', 'Researcher'].map(override);
      const character = characterSpec({ gatePolicies: { agentOverrides } });
      expect(agentFieldsInEffect(agent(), character)).toMatchObject({
        status: 'False',
        message: expect.stringMatching(
          /^fields without an effect yet: spec\.gatePolicies\.agentOverrides\[Researcher\] of its CharacterSpec; docs/,
        ),
      });
      expect(agentFieldsInEffect(agent({ tools: { fetch } }), character)).toMatchObject({ status: 'True' });
      expect(agentFieldsInEffect(agent({ tools: { fetch, deny: ['run_*'] } }), character).message).toContain(
        'spec.gatePolicies.agentOverrides[Coder] of its CharacterSpec;',
      );
    },
  );

  verifies('operator-agent:faulty-jobs', 'names a job that never fires, with its field and the fix', () => {
    const job = (name: string, more: object = {}) => ({ name, cron: '@daily', intent: 'Look.', ...more });
    const jobs = [job('good'), job('never', { cron: '0 0 31 2 *' }), job('nowhere', { timeZone: 'Middle/Earth' })];
    expect(agentFieldsInEffect(agent({ scheduler: { jobs } }), undefined)).toEqual({
      type: 'FieldsInEffect',
      status: 'False',
      reason: 'ScheduleInvalid',
      message:
        'jobs that never fire, while the others do: spec.scheduler.jobs[never].cron must be a cron text that has a moment: no calendar has that day; spec.scheduler.jobs[nowhere].timeZone must be the name of an IANA time zone, such as Europe/Berlin, or UTC',
    });
    expect(agentFieldsInEffect(agent({ scheduler: { jobs: [job('good')] } }), undefined).status).toBe('True');
    const bad = Array.from({ length: 100 }, (_, at) =>
      job(`${'x'.repeat(58)}-${at}`, { cron: '61 * * * *', intent: 'PRIVATE' }),
    );
    const { message } = agentFieldsInEffect(agent({ scheduler: { jobs: bad, timeZone: 'Mars' } }), undefined);
    expect(message.length).toBeLessThanOrEqual(CONDITION_MESSAGE_LENGTH_MAX);
    expect(message).toContain('and 98 more');
    expect(message).not.toContain('PRIVATE');
  });

  it('names some of many, within the length of a message', () => {
    const overrides = SPECIALISTS.map((name) => ({ name, maxTurns: 3 }));
    const many = agent({
      specialists: { overrides, teamRoundsMax: 9 },
      limits: { inboxLength: 7, delegationDepth: 2 },
      curiosity: { enabled: true, minutesPerDay: 7, requestsPerDay: 7, tokensPerDay: 7 },
      upkeep: { skillPromotion: { enabled: false } },
      tools: { fetch },
    });
    const { message } = agentFieldsInEffect(many, undefined);
    expect(message).toMatch(
      /^fields without an effect yet: spec\.specialists\.overrides\[Planner\], .* and 3 more; docs/,
    );
    expect(message.length).toBeLessThanOrEqual(CONDITION_MESSAGE_LENGTH_MAX);
  });
});
