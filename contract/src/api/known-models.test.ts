import { describe, expect, it } from 'vitest';
import { AgentModels } from './agent-models.ts';
import { KNOWN_MODELS, knownModel, modelTrouble } from './known-models.ts';

describe('the table of models', () => {
  it('names each model once', () => {
    const names = KNOWN_MODELS.map(({ model }) => model);
    expect(new Set(names).size).toBe(names.length);
  });

  it('gives an Agent the newest Sonnet and the newest Haiku', () => {
    expect(AgentModels.parse({})).toMatchObject({ capable: 'claude-sonnet-5-5', fast: 'claude-haiku-5-5' });
  });

  it('knows a model by its name with a date or an alias, never another version', () => {
    expect(knownModel('claude-haiku-4-5-20251001')?.model).toBe('claude-haiku-4-5');
    expect(knownModel('claude-opus-5-latest')?.model).toBe('claude-opus-5');
    expect(knownModel('claude-opus-5-5')?.model).toBe('claude-opus-5-5');
    expect(knownModel('claude-opus-5-6')).toBeUndefined();
  });

  it.each([
    ['claude-sonnet-5-5', undefined],
    ['claude-sonnet-4-5', /will be retired on 2026-11-30; use claude-sonnet-5-5/],
    ['claude-opus-4-1', /was retired on 2026-08-05 and answers no more; use claude-opus-5-5/],
    ['qwen3-0.6b', /does not know/],
  ])('says of %s what is wrong with it', (model, trouble) => {
    const told = modelTrouble(model, '2026-11-01');
    if (trouble === undefined) expect(told).toBeUndefined();
    else expect(told).toMatch(trouble);
  });
});
