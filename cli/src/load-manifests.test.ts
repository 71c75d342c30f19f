import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { renderManifestError } from '@retainer/contract/manifest/manifest-error';
import { verifies } from '../../test/verifies.ts';
import { inTemporaryDirectory } from '../../test/support/agents.ts';
import { loadManifests } from './load-manifests.ts';

const taskText = (name: string, extra = ''): string =>
  `apiVersion: retainer.dev/v1alpha1\nkind: Task\nmetadata:\n  name: ${name}\nspec:\n  agentRef:\n    name: ada\n  intent: work\n${extra}`;

const loadFrom = (files: Readonly<Record<string, string>>): ReturnType<typeof loadManifests> =>
  inTemporaryDirectory(async (directory) => {
    for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
    return loadManifests([directory]);
  });

const errorsOf = async (files: Readonly<Record<string, string>>): Promise<string> => {
  const loaded = await loadFrom(files);
  return loaded.ok ? '' : loaded.error.map(renderManifestError).join('\n');
};

describe('loadManifests', () => {
  verifies('cli:same-manifest-errors', 'tells the faults of all files, each with file, line and path', async () => {
    const errors = await errorsOf({
      'a.yaml': taskText('one', '  intend: work\n'),
      'b.yaml': taskText('two', '  budget:\n    wallClock: soon\n'),
    });
    expect(errors).toMatch(/a\.yaml:9: Task\/one: spec\.intend: found an unknown field/);
    expect(errors).toMatch(/b\.yaml:10: Task\/two: spec\.budget\.wallClock: found "soon"/);
  });

  verifies('cli:same-manifest-errors', 'refuses a name that two files have', async () => {
    const errors = await errorsOf({ 'a.yaml': taskText('one'), 'b.yaml': taskText('one') });
    expect(errors).toMatch(/b\.yaml:1: Task\/one: metadata\.name: found "one" again.*a\.yaml:1/);
  });

  it('leaves out what holds no manifest, and says so', async () => {
    const loaded = await loadFrom({
      'a.yaml': taskText('one'),
      'script.yaml': 'version: 1\nrules: []\n',
      'notes.md': 'kind: x',
    });
    expect(loaded).toMatchObject({
      ok: true,
      value: { objects: [{ kind: 'Task' }], skipped: [expect.stringMatching(/script\.yaml$/)] },
    });
  });

  it('does not leave out a file that was named', () =>
    inTemporaryDirectory(async (directory) => {
      const file = join(directory, 'script.yaml');
      await writeFile(file, 'version: 1\n');
      expect(await loadManifests([file])).toMatchObject({ ok: false, error: [{ path: 'apiVersion' }] });
    }));

  it('names a path with nothing, and a directory without manifests', () =>
    inTemporaryDirectory(async (directory) => {
      await mkdir(join(directory, 'empty'));
      const loaded = await loadManifests([join(directory, 'empty'), join(directory, 'missing')]);
      expect(loaded.ok ? [] : loaded.error.map(({ found }) => found)).toEqual([
        'a directory without manifests',
        'no such file or directory',
      ]);
    }));
});
