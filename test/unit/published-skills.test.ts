/**
 * Skills that nobody here wrote are taken as they are: those that a package of others ships beside its code, and whatever lies in
 * `../shared/data/skills`.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseManifests } from '@retainer/contract/manifest/parse-manifests';
import { readSkillFile, skillManifest } from '@retainer/contract/manifest/skill-file';
import { repositoryRoot } from '../support/repository-files.ts';
import { verifies } from '../verifies.ts';

/** Of TanStack Router; MIT. Nothing of its code is loaded. */
const shipped = join(dirname(fileURLToPath(import.meta.resolve('@tanstack/router-core/package.json'))), 'skills');
const own = join(repositoryRoot, '../shared/data/skills');

function skillFilesIn(directory: string): readonly string[] {
  if (!existsSync(directory)) return [];
  const paths = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return paths.filter((path) => path.endsWith('SKILL.md')).map((path) => join(directory, path));
}

describe('a published skill', () => {
  it('is one of ten at least', () => {
    expect(skillFilesIn(shipped).length).toBeGreaterThanOrEqual(10);
  });

  for (const path of [...skillFilesIn(shipped), ...skillFilesIn(own)])
    verifies('api:skill-as-published', `is taken as it is: ${path.slice(path.lastIndexOf('skills/'))}`, () => {
      const text = readFileSync(path, 'utf8');
      const read = readSkillFile(text);
      if (!read.ok) throw new Error(read.error.join('; '));
      const { skill } = read.value;
      expect(text.trim().endsWith(skill.spec.body ?? 'nothing')).toBe(true);
      const again = parseManifests(skillManifest(skill), path);
      expect(again).toMatchObject({ ok: true, value: [{ object: skill }] });
    });
});
