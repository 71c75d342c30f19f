/**
 * A `SKILL.md` as others publish it, read as a Skill: front matter with name and description, and any body.
 *
 * Source: design 3. Differs: a published skill need not have a version; without one, or with one that is no version, it is 1.0.0.
 */
import { parseDocument, stringify } from 'yaml';
import { z } from 'zod';
import { Skill } from '../api/skill.ts';
import { API_VERSION } from '../api/names.ts';
import { DNS_LABEL_LENGTH_MAX } from '../api/fields.ts';
import { err, ok, type Result } from '../std/result.ts';

/** The version of a skill whose author gave none. */
const FIRST_VERSION = '1.0.0';

export interface SkillFile {
  readonly skill: Skill;
  /** Fields of the front matter that a Skill has no place for. */
  readonly leftOut: readonly string[];
}

export interface SkillFileOptions {
  /** Instead of the name in the front matter. */
  readonly name?: string;
  readonly namespace?: string;
  readonly version?: string;
}

const FrontMatter = z.looseObject({
  name: z.string().optional(),
  description: z.string().trim().min(1),
  version: z.unknown().optional(),
  metadata: z.looseObject({ version: z.unknown().optional() }).catch({ version: undefined }),
});

const TAKEN: ReadonlySet<string> = new Set(['name', 'description', 'version', 'metadata']);

/** @returns the Skill, or what is wrong with the file, one sentence each */
export function readSkillFile(text: string, options: SkillFileOptions = {}): Result<SkillFile, readonly string[]> {
  const parts = /^\s*---[ \t]*\r?\n([^]*?)\r?\n---[ \t]*(?:\r?\n([^]*))?$/.exec(text);
  if (parts === null) return err(['it has no front matter: begin it with ---, name and description, ---']);
  const [, head = '', body = ''] = parts;
  // Every scalar as it is written: version 1.10 is not 1.1.
  const document = parseDocument(head, { schema: 'failsafe' });
  if (document.errors.length > 0) return err(document.errors.map((it) => `front matter: ${it.message.split('\n')[0]}`));
  const read = FrontMatter.safeParse(document.toJS());
  if (!read.success)
    return err(read.error.issues.map((it) => `front matter: ${it.path.join('.') || 'it'}: ${it.message}`));
  const parsed = Skill.safeParse(given(read.data, body, options));
  if (!parsed.success) return err(parsed.error.issues.map((it) => `${it.path.join('.')}: ${it.message}`));
  return ok({ skill: parsed.data, leftOut: Object.keys(read.data).filter((key) => !TAKEN.has(key)) });
}

function given(front: z.infer<typeof FrontMatter>, body: string, options: SkillFileOptions): unknown {
  const { name = nameOf(front.name ?? ''), namespace } = options;
  const { version = versionOf(front.version) ?? versionOf(front.metadata.version) ?? FIRST_VERSION } = options;
  return {
    apiVersion: API_VERSION,
    kind: 'Skill',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    spec: { description: front.description, version, body: body.trim() },
  };
}

/** The manifest to apply, without what is a default. */
export function skillManifest({ apiVersion, kind, metadata, spec }: Skill): string {
  const { description, version, body } = spec;
  const place = metadata.namespace === 'default' ? {} : { namespace: metadata.namespace };
  return stringify({
    apiVersion,
    kind,
    metadata: { name: metadata.name, ...place },
    spec: { description, version, body },
  });
}

/** A title as a name of Kubernetes: `PDF Tools` is `pdf-tools`. */
function nameOf(title: string): string {
  const plain = title
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-');
  return plain
    .replace(/^[^a-z]+/, '')
    .slice(0, DNS_LABEL_LENGTH_MAX)
    .replace(/-+$/, '');
}

/** `1.0` and `v2` as published skills have them, with all three numbers. */
function versionOf(given: unknown): string | undefined {
  const found = /^v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9})(-[0-9A-Za-z.-]{1,30})?)?$/.exec(String(given));
  if (found === null) return undefined;
  const [, major, minor = '0', patch = '0', suffix = ''] = found;
  return `${Number(major)}.${Number(minor)}.${Number(patch)}${suffix}`;
}
