/** Skills that nobody here wrote are taken as they are. The API server takes them in test/api-server/kinds.test.ts. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseManifests } from '@retainer/contract/manifest/parse-manifests';
import { readSkillFile, skillManifest } from '@retainer/contract/manifest/skill-file';
import { publishedSkillFiles, shippedSkillFiles, skillTitle } from '../support/published-skills.ts';
import { verifies } from '../verifies.ts';

describe('a published skill', () => {
  it('is one of ten at least, of two authors at least', () => {
    expect(shippedSkillFiles.flat().length).toBeGreaterThanOrEqual(10);
    expect(shippedSkillFiles.filter((files) => files.length > 0).length).toBeGreaterThanOrEqual(2);
  });

  for (const path of publishedSkillFiles)
    verifies('api:skill-as-published', `is taken as it is: ${skillTitle(path)}`, () => {
      const text = readFileSync(path, 'utf8');
      const read = readSkillFile(text);
      if (!read.ok) throw new Error(read.error.join('; '));
      const { skill } = read.value;
      expect(text.trim().endsWith(skill.spec.body ?? 'nothing')).toBe(true);
      const again = parseManifests(skillManifest(skill), path);
      expect(again).toMatchObject({ ok: true, value: [{ object: skill }] });
    });
});
