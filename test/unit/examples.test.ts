import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseManifests, type ManifestObject } from '@retainer/contract/manifest/parse-manifests';
import { verifies } from '../verifies.ts';

const EXAMPLES = fileURLToPath(new URL('../../manifests/examples/', import.meta.url));
const MANIFESTS = [
  'agent.yaml',
  'character.yaml',
  'scripted-model.yaml',
  'skills.yaml',
  'tasks.yaml',
  'weather-data.yaml',
] as const;

function objects(): readonly ManifestObject[] {
  return MANIFESTS.flatMap((file) => {
    const parsed = parseManifests(readFileSync(EXAMPLES + file, 'utf8'), file);
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
    return parsed.value;
  });
}

function ofKind<K extends ManifestObject['kind']>(kind: K) {
  return objects().flatMap((one) =>
    one.kind === kind ? [one.object as Extract<ManifestObject, { kind: K }>['object']] : [],
  );
}

describe('the examples', () => {
  it('are a CharacterSpec, an Agent, three Skills and six Tasks that refer to each other', () => {
    const [character, ...otherCharacters] = ofKind('CharacterSpec');
    const [agent, ...otherAgents] = ofKind('Agent');
    const skills = ofKind('Skill').map(({ metadata }) => metadata.name);
    expect([otherCharacters, otherAgents]).toStrictEqual([[], []]);
    expect(agent?.spec.characterRef.name).toBe(character?.metadata.name);
    expect(agent?.spec.skillRefs.map(({ name }) => name)).toStrictEqual(skills);
    expect(ofKind('Task').map(({ spec }) => spec.agentRef.name)).toStrictEqual(
      Array.from({ length: 6 }, () => agent?.metadata.name),
    );
    expect(ofKind('Skill').flatMap(({ spec }) => spec.dependencies.map(({ name }) => name))).toStrictEqual([skills[0]]);
  });

  it('have a character with five propositions, virtues, gate policies and a rule about the data', () => {
    const spec = ofKind('CharacterSpec')[0]?.spec;
    expect(spec?.highestEndeavour.length).toBeGreaterThanOrEqual(5);
    expect(spec?.virtues.length).toBeGreaterThan(0);
    expect(spec?.authority.never.find(({ id }) => id === 'source-data-is-read-only')?.paths).toStrictEqual(['data/**']);
    for (const gate of [spec?.gatePolicies.input, spec?.gatePolicies.tool, spec?.gatePolicies.output])
      expect(gate?.features.length).toBeGreaterThan(0);
  });

  verifies(
    'affect:choices',
    'say what an agent may do under pressure: a skill with seven choices, a virtue, a commitment',
    () => {
      const body = ofKind('Skill').find(({ metadata }) => metadata.name === 'under-pressure')?.spec.body ?? '';
      expect(body.match(/^\d\. [^:]+/gm)).toStrictEqual([
        '1. Go on, aware',
        '2. Return to what is in your power',
        '3. Reduce the scope',
        '4. Pause and diagnose',
        '5. Write down what you know',
        '6. Ask a person',
        '7. Do nothing',
      ]);
      const spec = ofKind('CharacterSpec')[0]?.spec;
      expect(spec?.virtues.map(({ name }) => name)).toContain('Equanimity');
      expect(spec?.highestEndeavour.map(({ id }) => id)).toContain('steady-under-pressure');
    },
  );

  it('fit into what kubectl applies on its own side, each', () => {
    const sizes = ofKind('ConfigMap').map((configMap) => JSON.stringify(configMap).length);
    expect(Math.max(...sizes)).toBeLessThan(262_144);
  });

  it('ship the script that the Agent names', () => {
    const { models } = ofKind('Agent')[0]?.spec ?? {};
    const configMap = ofKind('ConfigMap').find(({ metadata }) => metadata.name === models?.scriptConfigMapRef?.name);
    expect(Object.keys(configMap?.data ?? {})).toStrictEqual([models?.script]);
  });

  it('ship the data they name, with at least a thousand rows, a source and a licence', () => {
    const [seed] = ofKind('Agent')[0]?.spec.workspace.seeds ?? [];
    const configMap = ofKind('ConfigMap').find(({ metadata }) => metadata.name === seed?.configMapRef.name);
    const { 'seattle-weather.csv': data = '', 'SOURCE.md': source = '' } = configMap?.data ?? {};
    expect(seed?.directory).toBe('data');
    expect(data.trim().split('\n')).toHaveLength(1462);
    expect(source).toContain(createHash('sha256').update(data).digest('hex'));
    expect(source).toMatch(/\*\*Source\.\*\* NOAA/);
    expect(source).toMatch(/\*\*Licence\.\*\* Public domain/);
  });
});
