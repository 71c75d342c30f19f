import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import { agentDefinition } from '../../test/support/agents.ts';
import { chooseModel, type ModelCircumstances } from './choose-model.ts';

const scriptedAgent = agentDefinition().agent.spec.models;
const claudeAgent = agentDefinition({ models: { provider: 'Anthropic' } }).agent.spec.models;
const none = { hasKey: false, baseURL: undefined, flag: undefined };

describe('chooseModel', () => {
  const cases: readonly {
    readonly name: string;
    readonly given: ModelCircumstances;
    readonly who: string;
    readonly why: string;
  }[] = [
    {
      name: 'a scripted Agent without a key',
      given: { models: scriptedAgent, ...none },
      who: 'Scripted',
      why: 'nothing leaves this machine',
    },
    {
      name: 'a scripted Agent with a key',
      given: { models: scriptedAgent, ...none, hasKey: true },
      who: 'Scripted',
      why: 'spec.models.provider of the Agent says so; ANTHROPIC_API_KEY is not used',
    },
    {
      name: 'a scripted Agent with a key and auto',
      given: { models: scriptedAgent, ...none, hasKey: true, flag: 'auto' },
      who: 'Anthropic',
      why: 'ANTHROPIC_API_KEY is set (--model auto)',
    },
    {
      name: 'a scripted Agent without a key and auto',
      given: { models: scriptedAgent, ...none, flag: 'auto' },
      who: 'Scripted',
      why: 'nothing leaves this machine',
    },
    {
      name: 'a scripted Agent with a key and the flag',
      given: { models: scriptedAgent, ...none, hasKey: true, flag: 'scripted' },
      who: 'Scripted',
      why: '--model scripted',
    },
    {
      name: 'another Agent with a key',
      given: { models: claudeAgent, ...none, hasKey: true },
      who: 'Anthropic',
      why: 'spec.models.provider of the Agent says so',
    },
    {
      name: 'the flag with a key',
      given: { models: scriptedAgent, ...none, hasKey: true, flag: 'claude' },
      who: 'Anthropic',
      why: '--model claude',
    },
  ];
  for (const { name, given, who, why } of cases) {
    verifies('cli:says-who-answers', `${name}: ${who}`, () => {
      const choice = chooseModel(given);
      expect(choice.ok && choice.value.provider).toBe(who);
      expect(choice.ok && choice.value.because).toContain(why);
    });
  }

  it('names the server that is asked', () => {
    const choice = chooseModel({ models: claudeAgent, ...none, hasKey: true, baseURL: 'http://127.0.0.1:9' });
    expect(choice).toMatchObject({ ok: true, value: { baseURL: 'http://127.0.0.1:9' } });
    expect(choice.ok && choice.value.because).toContain('at http://127.0.0.1:9');
  });

  it('refuses Claude without a key and a script where there is none', () => {
    expect(chooseModel({ models: claudeAgent, ...none })).toMatchObject({ ok: false });
    expect(chooseModel({ models: scriptedAgent, ...none, flag: 'claude' })).toMatchObject({ ok: false });
    expect(chooseModel({ models: claudeAgent, ...none, flag: 'scripted' })).toMatchObject({ ok: false });
  });
});
