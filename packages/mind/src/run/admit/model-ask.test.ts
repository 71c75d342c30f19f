import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import { modelAsk, type AskQuestion } from './model-ask.ts';

const ask = (model: string, more: Partial<AskQuestion> = {}): unknown =>
  modelAsk({ model, provider: 'Anthropic', structured: 'Auto', ...more });

describe('modelAsk', () => {
  verifies('roles:asked-as-taken', 'asks each model for what it takes, and an unknown one for nothing', () => {
    const wanted: readonly (readonly [string, AskQuestion['thinking'], unknown])[] = [
      ['claude-sonnet-5-5', undefined, { answers: 'Schema', thinking: { mode: 'BetweenTools' } }],
      ['claude-sonnet-5-5', { effort: 'High' }, { answers: 'Schema', thinking: { mode: 'Adaptive', effort: 'high' } }],
      ['claude-sonnet-5-5', { effort: 'None' }, { answers: 'Schema', thinking: { mode: 'BetweenTools' } }],
      ['claude-haiku-5-5', undefined, { answers: 'Schema', thinking: { mode: 'Disabled' } }],
      ['claude-opus-5-5', undefined, { answers: 'Schema', thinking: { mode: 'Adaptive', effort: 'low' } }],
      [
        'claude-opus-4-8',
        { budgetTokens: 5000 },
        { answers: 'Schema', thinking: { mode: 'Adaptive', effort: 'high' } },
      ],
      ['claude-sonnet-4-6', { effort: 'XHigh' }, { answers: 'Schema', thinking: { mode: 'Adaptive', effort: 'high' } }],
      ['claude-sonnet-4-5-20250929', undefined, { answers: 'Schema' }],
      [
        'claude-haiku-4-5',
        { effort: 'Medium' },
        { answers: 'Schema', thinking: { mode: 'Budget', budgetTokens: 4096 } },
      ],
      [
        'claude-haiku-4-5',
        { budgetTokens: 2000 },
        { answers: 'Schema', thinking: { mode: 'Budget', budgetTokens: 2000 } },
      ],
      ['claude-opus-4-1', undefined, { answers: 'Tool' }],
      ['claude-opus-4-1', { effort: 'Low' }, { answers: 'Xml', thinking: { mode: 'Budget', budgetTokens: 1024 } }],
      ['qwen3-0.6b', { effort: 'High' }, { answers: 'Xml' }],
      ['claude-sonnet-5-5-turbo', undefined, { answers: 'Xml' }],
    ];
    for (const [model, thinking, asked] of wanted)
      expect([model, ask(model, thinking === undefined ? {} : { thinking })]).toEqual([model, asked]);
  });

  it('asks a script for XML', () => {
    expect(ask('claude-sonnet-5-5', { provider: 'Scripted' })).toEqual({ answers: 'Xml' });
  });

  it.each(['Schema', 'Tool', 'Xml'] as const)('takes the form %s where the Agent names it', (structured) => {
    expect(ask('somebody', { structured })).toEqual({ answers: structured });
  });

  it('forces no call on a model that thinks', () => {
    expect(ask('claude-opus-5', { structured: 'Tool', thinking: { effort: 'Low' } })).toMatchObject({ answers: 'Xml' });
  });
});
