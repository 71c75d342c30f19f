import { CharacterSpec } from '@retainer/contract/api/character-spec';
import { renderManifestError } from '@retainer/contract/manifest/manifest-error';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { parseForecasts } from './forecast-file.ts';

const feature = (name: string): unknown => ({ name, description: 'Words.', importance: 3 });

function specOf(gatePolicies: unknown): CharacterSpec['spec'] {
  return CharacterSpec.shape.spec.parse({
    persona: 'A careful clerk.',
    highestEndeavour: [{ id: 'truth', description: 'Tell the truth.', level: 'EthicalMoral', operator: 'Required' }],
    gatePolicies,
  });
}

const spec = specOf({
  output: { features: [feature('unsourced_claim'), feature('accuracy')] },
  agentOverrides: [{ agent: 'Comms', tool: { modify: 0.3, reject: 0.5, features: [feature('credential_exposure')] } }],
});

function faults(text: string, of: CharacterSpec['spec'] = spec): readonly string[] {
  const parsed = parseForecasts(text, 'f.yaml', of);
  return parsed.ok ? [] : parsed.error.map(renderManifestError);
}

describe('a forecast file', () => {
  it('gives a finding for every feature of the gate, in the order of the policy', () => {
    const text = `
gate: output
cases:
  - {name: one, forecasts: [{feature: accuracy, magnitude: 4, rationale: wrong year}]}
  - name: none
`;
    const parsed = parseForecasts(text, 'f.yaml', spec);
    expect(parsed).toMatchObject({ ok: true, value: { gate: 'output', policy: { modify: 0.35 } } });
    expect(parsed.ok && parsed.value.cases).toMatchObject([
      {
        name: 'one',
        findings: [
          { feature: { name: 'unsourced_claim' }, magnitude: 0, rationale: '' },
          { feature: { name: 'accuracy' }, magnitude: 4, rationale: 'wrong year' },
        ],
      },
      { name: 'none', findings: [{ magnitude: 0 }, { magnitude: 0 }] },
    ]);
  });

  it('takes JSON, and the policy of a specialist', () => {
    const cases = [{ name: 'mail', forecasts: [{ feature: 'credential_exposure', magnitude: 5 }] }];
    const parsed = parseForecasts(JSON.stringify({ gate: 'tool', agent: 'Comms', cases }), 'f.json', spec);
    expect(parsed).toMatchObject({ ok: true, value: { agent: 'Comms', policy: { modify: 0.3, reject: 0.5 } } });
  });

  verifies('calculus:forecast-faults', 'is refused with every fault, in the order of the text', () => {
    const shape = `
gate: ouput
case: 3
cases:
  - name: x
    forecast: []
    forecasts:
      - {feature: accuracy, magnitude: 2.5, why: x}
`;
    expect(faults(shape)).toEqual([
      'f.yaml:2: gate: found "ouput"; allowed: input, tool, output',
      'f.yaml:3: case: found an unknown field; allowed: gate, agent, cases (did you mean cases?)',
      'f.yaml:6: cases[0].forecast: found an unknown field; allowed: name, forecasts (did you mean forecasts?)',
      'f.yaml:8: cases[0].forecasts[0].magnitude: found 2.5; allowed: a whole number',
      'f.yaml:8: cases[0].forecasts[0].why: found an unknown field; allowed: feature, magnitude, rationale',
    ]);
    const meaning = `
gate: output
cases:
  - name: x
    forecasts:
      - {feature: unsorced_claim, magnitude: 2}
      - {feature: accuracy, magnitude: 6}
      - {feature: accuracy, magnitude: 1}
  - name: x
`;
    expect(faults(meaning)).toEqual([
      'f.yaml:6: cases[0].forecasts[0].feature: found "unsorced_claim"; allowed: unsourced_claim, accuracy (did you mean unsourced_claim?)',
      'f.yaml:7: cases[0].forecasts[1].magnitude: found 6; allowed: 0 to 5 on the scale Paper',
      'f.yaml:8: cases[0].forecasts[2].feature: found accuracy again; allowed: each feature once in a case',
      'f.yaml:9: cases[1].name: found "x" again; allowed: each name once',
    ]);
  });

  it.each([
    ['nothing', '', ['f.yaml:1: found 0 documents; allowed: one']],
    ['two documents', 'gate: output\n---\ngate: input\n', ['f.yaml:1: found 2 documents; allowed: one']],
    ['no cases', 'gate: output\ncases: []\n', ['f.yaml:2: cases: found []; allowed: at least 1 items']],
    ['a list', '- x\n', ['f.yaml:1: found ["x"]; allowed: fields']],
    [
      'a specialist of another gate',
      'gate: output\nagent: Comms\ncases: [{name: x}]\n',
      ['f.yaml:2: agent: found "Comms"; allowed: this field only with gate: tool'],
    ],
    [
      'an unknown specialist',
      'gate: tool\nagent: Coms\ncases: [{name: x}]\n',
      ['f.yaml:2: agent: found "Coms"; allowed: Comms (did you mean Comms?)'],
    ],
    [
      'a gate without features',
      'gate: input\ncases: [{name: x, forecasts: [{feature: a, magnitude: 1}]}]\n',
      [
        'f.yaml:2: cases[0].forecasts[0].feature: found "a"; allowed: no feature: the input gate of the character has none',
      ],
    ],
  ])('is refused with %s', (_name, text, expected) => {
    expect(faults(text)).toEqual(expected);
  });

  it('holds magnitudes to the scale of the character', () => {
    const weighted = specOf({ scale: 'Weighted', output: { features: [feature('accuracy')] } });
    const text = 'gate: output\ncases: [{name: x, forecasts: [{feature: accuracy, magnitude: 4}]}]\n';
    expect(faults(text)).toEqual([]);
    expect(faults(text, weighted)).toEqual([
      'f.yaml:2: cases[0].forecasts[0].magnitude: found 4; allowed: 0 to 3 on the scale Weighted',
    ]);
  });
});
