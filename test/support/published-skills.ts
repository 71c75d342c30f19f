/**
 * Skills that nobody here wrote: those that packages of other authors ship beside their code, of which nothing is loaded, and
 * whatever lies in `../shared/data/skills`.
 */
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { repositoryRoot } from './repository-files.ts';

const besideManifest = (url: string): string => join(dirname(fileURLToPath(url)), 'skills');

/** MIT the first, Apache-2.0 the second. */
const shippedIn = [
  besideManifest(import.meta.resolve('@tanstack/router-core/package.json')),
  besideManifest(import.meta.resolve('@durable-streams/client/package.json')),
];
const own = join(repositoryRoot, '../shared/data/skills');

function skillFilesIn(directory: string): readonly string[] {
  if (!existsSync(directory)) return [];
  const paths = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return paths.filter((path) => path.endsWith('SKILL.md')).map((path) => join(directory, path));
}

/** Paths of `SKILL.md` files by who ships them, the same on every machine. */
export const shippedSkillFiles: readonly (readonly string[])[] = shippedIn.map(skillFilesIn);

/** Paths of all `SKILL.md` files that are at hand. */
export const publishedSkillFiles: readonly string[] = [...shippedSkillFiles.flat(), ...skillFilesIn(own)];

/** For the name of a test. */
export const skillTitle = (path: string): string => path.slice(path.lastIndexOf('skills/'));
