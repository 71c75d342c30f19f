/** Reads manifests from files and directories, with the schema and the errors of a cluster, and reports all errors at once. */
import { readManifests, type ManifestObject } from '@retainer/contract/manifest/parse-manifests';
import type { ManifestError } from '@retainer/contract/manifest/manifest-error';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { readManifestFiles, type ManifestFile } from './manifest-files.ts';

export interface LoadedManifests {
  readonly objects: readonly ManifestObject[];
  /** What was read and is not for this program: reported, so that a forgotten `apiVersion` is noticed. */
  readonly skipped: readonly Skipped[];
}

export interface Skipped {
  readonly file: string;
  /** The end of a sentence that begins with the file. */
  readonly why: string;
}

/** YAML that cannot be read is no manifest without either field: a template, for example. */
const manifestMark = /(?:^|[{,\s])["']?(?:apiVersion|kind)["']?\s*:/m;

/** Objects for other programs that one line names. */
const OTHERS_SHOWN = 5;

export async function loadManifests(
  paths: readonly string[],
): Promise<Result<LoadedManifests, readonly ManifestError[]>> {
  const objects: ManifestObject[] = [];
  const errors: ManifestError[] = [];
  const skipped: Skipped[] = [];
  for (const read of await readManifestFiles(paths)) {
    const parsed = read.ok ? parseFile(read.value) : err([{ ...nowhere, ...read.error }]);
    if (!parsed.ok) errors.push(...parsed.error);
    else {
      objects.push(...parsed.value.objects);
      skipped.push(...parsed.value.skipped);
    }
  }
  errors.push(...doubledObjects(objects));
  return errors.length > 0 ? err(errors) : ok({ objects, skipped });
}

const nowhere = { line: 1, object: '', path: '' } as const;

function parseFile({ name, text, isFound }: ManifestFile): Result<LoadedManifests, readonly ManifestError[]> {
  const none = ok({ objects: [], skipped: [{ file: name, why: 'holds no manifest' }] });
  const read = readManifests(text, name);
  if (!read.ok) return isFound && !manifestMark.test(text) ? none : read;
  const { objects, others, strangers } = read.value;
  const isOfManifests = objects.length > 0 || others.length > 0;
  if (strangers.length > 0) return isFound && !isOfManifests ? none : err(strangers);
  if (!isOfManifests) return none;
  const names = others.slice(0, OTHERS_SHOWN).map((it) => it.name);
  const more = others.length > names.length ? `, and ${others.length - names.length} more` : '';
  const why = `holds what is for other programs: ${names.join(', ')}${more}`;
  return ok({ objects, skipped: others.length === 0 ? [] : [{ file: name, why }] });
}

function doubledObjects(objects: readonly ManifestObject[]): readonly ManifestError[] {
  const firstOf = new Map<string, ManifestObject>();
  const errors: ManifestError[] = [];
  for (const item of objects) {
    const { name, namespace } = item.object.metadata;
    const key = `${item.kind} ${namespace}/${name}`;
    const first = firstOf.get(key);
    if (first === undefined) firstOf.set(key, item);
    else if (first.file !== item.file)
      errors.push({
        ...{ file: item.file, line: item.line, object: `${item.kind}/${name}`, path: 'metadata.name' },
        found: `"${name}" again`,
        allowed: `a unique name; ${first.file}:${first.line} has this one`,
      });
  }
  return errors;
}
