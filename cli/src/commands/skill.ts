/** `retainer skill add`: a published skill becomes a manifest. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readSkillFile, skillManifest } from '@retainer/contract/manifest/skill-file';
import { printable } from '@retainer/contract/std/printable';
import { readEnvironment } from '../config.ts';
import { exitCodes } from '../exit-codes.ts';
import { createOutput } from '../output.ts';
import { refuse } from '../refuse.ts';

export interface SkillFlags {
  readonly name?: string;
  readonly namespace?: string;
  readonly skillVersion?: string;
}

const SKILL_FILE = 'SKILL.md';
/** Files named in a note. */
const NAMED_MAX = 5;

export async function skillAddCommand(path: string, flags: SkillFlags): Promise<number> {
  const output = createOutput('text', readEnvironment().colour);
  const isDirectory = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  const file = isDirectory ? join(path, SKILL_FILE) : path;
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return refuse(output, `${file}: there is no such file`);
  const { name, namespace, skillVersion: version } = flags;
  const read = readSkillFile(text, {
    ...(name === undefined ? {} : { name }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(version === undefined ? {} : { version }),
  });
  if (!read.ok)
    return refuse(
      output,
      read.error.map((it) => `${file}: ${it}`),
    );
  const { skill, leftOut } = read.value;
  if (leftOut.length > 0)
    output.note(`no effect here: ${leftOut.map(printable).join(', ')} of the front matter`, 'Warning');
  const others = isDirectory ? await otherFiles(path) : [];
  if (others.length > 0)
    output.note(
      `not part of a Skill: ${others.slice(0, NAMED_MAX).map(printable).join(', ')}${others.length > NAMED_MAX ? ` and ${others.length - NAMED_MAX} more files` : ''}; give them to the agent as seeds of its workspace`,
      'Warning',
    );
  for (const line of skillManifest(skill).trimEnd().split('\n')) output.line(line);
  return exitCodes.done;
}

async function otherFiles(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((it) => it.isFile() && it.name !== SKILL_FILE)
    .map((it) => join(it.parentPath, it.name).slice(join(directory).length + 1))
    .toSorted();
}
