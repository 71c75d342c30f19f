import { AgentGates } from '@retainer/contract/api/agent-tools';
import { describe, expect, it } from 'vitest';
import { feature } from '../../../../../test/support/gate-inquiries.ts';
import { verifies } from '../../../../../test/verifies.ts';
import type { CharacterPolicy } from '../character-policy.ts';
import { compileGate } from '../compile-gate.ts';
import { testTools } from '../../../../../test/support/known-tools.ts';

type Gates = NonNullable<CharacterPolicy['gatePolicies']>;
const good = { modify: 0.35, reject: 0.55, features: [feature('theft')] };

function errorsOf(policy: CharacterPolicy, agentGates: Parameters<typeof AgentGates.parse>[0] = {}): readonly string[] {
  const gate = compileGate(policy, 'digest', testTools, AgentGates.parse(agentGates));
  return gate.ok ? [] : gate.error;
}

describe('a policy', () => {
  const cases: readonly (readonly [string, Gates, RegExp])[] = [
    [
      'without a threshold',
      { input: { features: good.features, reject: 0.5 } },
      /^gatePolicies\.input\.modify: found nothing/,
    ],
    [
      'with a threshold that is no ratio',
      { output: { ...good, reject: 1.5 } },
      /^gatePolicies\.output\.reject: found 1\.5/,
    ],
    [
      'with modify above reject',
      { tool: { ...good, modify: 0.6 } },
      /^gatePolicies\.tool\.modify: 0\.6 is above reject/,
    ],
    [
      'with a feature twice',
      { tool: { ...good, features: [feature('theft'), feature('theft')] } },
      /^gatePolicies\.tool\.features\/theft: the name is used twice/,
    ],
    [
      'with an importance off its scale',
      { scale: 'Weighted', input: { ...good, features: [feature('theft', { importance: 4 })] } },
      /^gatePolicies\.input\.features\/theft\.importance: found 4; on the Weighted scale it is 1 to 3/,
    ],
    [
      'with a floor off its scale',
      {
        scale: 'Weighted',
        input: { ...good, features: [feature('theft', { importance: 3, floor: { magnitude: 5, verdict: 'Modify' } })] },
      },
      /^gatePolicies\.input\.features\/theft\.floor\.magnitude: found 5/,
    ],
    [
      'with a level of another scheme',
      { input: { ...good, features: [feature('theft', { level: 'Prudential' })] } },
      /^gatePolicies\.input\.features\/theft\.level: Prudential does not belong to the scheme Springdrift/,
    ],
    [
      'of a specialist that means something else by a shared name',
      {
        tool: good,
        agentOverrides: [
          { agent: 'Coder', tool: { ...good, features: [feature('theft', { description: 'Other.' })] } },
        ],
      },
      /^gatePolicies\.agentOverrides\/Coder\.features\/theft: the tool gate has another feature of this name/,
    ],
    [
      'of a specialist that has one in other letters',
      {
        agentOverrides: [
          { agent: 'Coder', tool: good },
          { agent: 'CODER', tool: good },
        ],
      },
      /^gatePolicies\.agentOverrides\/CODER: the specialist already has an override/,
    ],
    [
      'of a specialist without thresholds',
      { agentOverrides: [{ agent: 'Coder', tool: { features: good.features } }] },
      /^gatePolicies\.agentOverrides\/Coder\.modify/,
    ],
  ];
  for (const [name, gatePolicies, message] of cases) {
    verifies('gate-chain:broken-policy', `${name} is an error that names the field`, () => {
      const errors = errorsOf({ gatePolicies });
      expect(errors[0]).toMatch(message);
    });
  }

  verifies('gate-chain:broken-policy', 'whose commitments are of another scheme is an error as well', () => {
    const highestEndeavour = [
      { id: 'x', description: 'X.', level: 'Prudential', operator: 'Ought', modality: 'Possible' },
    ] as const;
    expect(errorsOf({ highestEndeavour })).toEqual([
      'highestEndeavour/x.level: Prudential does not belong to the scheme Springdrift',
    ]);
  });

  verifies('gate-chain:only-tighter', 'that an Agent leaves with modify above reject is an error of the Agent', () => {
    const tightened = { overrides: [{ gate: 'Tool', reject: 0.3 }] };
    expect(errorsOf({ gatePolicies: { tool: good } }, tightened)).toEqual([
      expect.stringMatching(
        /^gates\.overrides\/Tool\.reject: 0\.3 is below the modify threshold 0\.35 of gatePolicies\.tool/,
      ),
    ]);
    expect(
      errorsOf(
        { gatePolicies: { tool: good, output: good } },
        { overrides: [{ gate: 'Tool', modify: 0.2, reject: 0.3 }] },
      ),
    ).toEqual([]);
  });

  it('without features needs no thresholds', () => {
    expect(errorsOf({ gatePolicies: { input: { canary: true }, tool: {} } })).toEqual([]);
  });
});
