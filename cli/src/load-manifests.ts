/** Reads manifests from files and directories, with the schema and the errors of a cluster, and reports all errors at once. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseManifests, type ManifestObject } from '@retainer/contract/manifest/parse-manifests';
import type { ManifestError } from '@retainer/contract/manifest/manifest-error';
import { err, ok, type Result } from '@retainer/contract/std/result';

export interface LoadedManifests {
  readonly objects: readonly ManifestObject[];
  /** Files of a directory that hold no manifest: reported, so that a forgotten `apiVersion` is noticed. */
  readonly skipped: readonly string[];
}

const manifestName = /\.(ya?ml|json)$/;

/** A file without either field, in YAML or JSON, is no manifest. */
const manifestMark = /^\s*["']?(apiVersion|kind)["']?\s*:/m;

/** @param paths  files and directories; as kubectl, it reads a directory's own `*.yaml`, `*.yml` and `*.json` files */
export async function loadManifests(
  paths: readonly string[],
): Promise<Result<LoadedManifests, readonly ManifestError[]>> {
  const objects: ManifestObject[] = [];
  const errors: ManifestError[] = [];
  const skipped: string[] = [];
  for (const path of paths) {
    const files = await filesOf(path);
    if (!files.ok) errors.push(fault(path, files.error, 'a manifest file or a directory of them'));
    for (const file of files.ok ? files.value : []) {
      const text = await readFile(file, 'utf8');
      if (file !== path && !manifestMark.test(text)) {
        skipped.push(file);
        continue;
      }
      const parsed = parseManifests(text, file);
      if (parsed.ok) objects.push(...parsed.value);
      else errors.push(...parsed.error);
    }
  }
  errors.push(...doubledObjects(objects));
  return errors.length > 0 ? err(errors) : ok({ objects, skipped });
}

async function filesOf(path: string): Promise<Result<readonly string[], string>> {
  try {
    if (!(await stat(path)).isDirectory()) return ok([path]);
    const names = (await readdir(path)).filter((name) => manifestName.test(name)).toSorted();
    return names.length === 0 ? err('a directory without manifests') : ok(names.map((name) => join(path, name)));
  } catch (error) {
    return err((error as NodeJS.ErrnoException).code === 'ENOENT' ? 'no such file or directory' : String(error));
  }
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
        ...fault(item.file, `"${name}" again`, `a unique name; ${first.file}:${first.line} has this one`),
        line: item.line,
        object: `${item.kind}/${name}`,
        path: 'metadata.name',
      });
  }
  return errors;
}

function fault(file: string, found: string, allowed: string): ManifestError {
  return { file, line: 1, object: '', path: '', found, allowed };
}
