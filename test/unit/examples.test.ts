import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseManifests } from '@retainer/contract/manifest/parse-manifests';
import type { ManifestObject } from '@retainer/contract/manifest/parse-manifests';

const EXAMPLES = fileURLToPath(new URL('../../manifests/examples/', import.meta.url));
const MANIFESTS = ['agent.yaml', 'character.yaml', 'skills.yaml', 'tasks.yaml'] as const;

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
  it('are a CharacterSpec, an Agent, two Skills and three Tasks that refer to each other', () => {
    const [character, ...otherCharacters] = ofKind('CharacterSpec');
    const [agent, ...otherAgents] = ofKind('Agent');
    const skills = ofKind('Skill').map(({ metadata }) => metadata.name);
    expect([otherCharacters, otherAgents]).toStrictEqual([[], []]);
    expect(agent?.spec.characterRef.name).toBe(character?.metadata.name);
    expect(agent?.spec.skillRefs.map(({ name }) => name)).toStrictEqual(skills);
    expect(ofKind('Task').map(({ spec }) => spec.agentRef.name)).toStrictEqual(
      Array.from({ length: 3 }, () => agent?.metadata.name),
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

  it('ship the data they name, with at least a thousand rows, a source and a licence', () => {
    const data = readFileSync(`${EXAMPLES}workspace/data/seattle-weather.csv`);
    const source = readFileSync(`${EXAMPLES}workspace/data/SOURCE.md`, 'utf8');
    expect(data.toString('utf8').trim().split('\n')).toHaveLength(1462);
    expect(source).toContain(createHash('sha256').update(data).digest('hex'));
    expect(source).toMatch(/\*\*Source\.\*\* NOAA/);
    expect(source).toMatch(/\*\*Licence\.\*\* Public domain/);
  });
});
