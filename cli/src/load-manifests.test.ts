import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { renderManifestError } from '@retainer/contract/manifest/manifest-error';
import { verifies } from '../../test/verifies.ts';
import { inTemporaryDirectory } from '../../test/support/agents.ts';
import { testSeed } from '../../test/support/seed.ts';
import { Seeded } from '../../test/support/seeded.ts';
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
      value: {
        objects: [{ kind: 'Task' }],
        skipped: [{ file: expect.stringMatching(/script\.yaml$/), why: 'holds no manifest' }],
      },
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

  it('reads a manifest on one line, a list, and only our own of what a directory for a cluster holds', async () => {
    const line =
      "{apiVersion: retainer.dev/v1alpha1, kind: Task, metadata: {name: flow}, spec: {agentRef: {name: ada}, intent: 'work'}}";
    const loaded = await loadFrom({
      'a.json': JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [] }),
      'b.yml': line,
      'c.yaml': `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n---\n${taskText('one')}`,
      'Chart.yaml': 'apiVersion: v2\nname: chart\n',
      'kustomization.yaml': 'resources: [c.yaml]\n',
      'template.yaml': 'replicas: {{ .Values.replicas }}\n{{- if .x }}\n',
      'list.yaml': '- a\n- b\n',
    });
    expect(loaded.ok && loaded.value.objects.map((it) => it.object.metadata.name)).toEqual(['flow', 'one']);
    expect(loaded.ok && loaded.value.skipped.map(({ file, why }) => `${basename(file)} ${why}`)).toEqual([
      'Chart.yaml holds no manifest',
      'a.json holds no manifest',
      'c.yaml holds what is for other programs: apps/v1 Deployment/web',
      'kustomization.yaml holds no manifest',
      'list.yaml holds no manifest',
      'template.yaml holds no manifest',
    ]);
    expect(await errorsOf({ 'a.yaml': 'apiVersion: {{ .x }}\nkind: Task\n' })).toMatch(
      /a\.yaml:1: found a key that is no text/,
    );
    expect(await errorsOf({ 'a.yaml': `${taskText('one')}---\nversion: 1\n` })).toMatch(
      /a\.yaml:10: apiVersion: found nothing/,
    );
  });

  it('says of a file that is no text in UTF-8 that it is none, and does not read on', () =>
    inTemporaryDirectory(async (directory) => {
      const file = join(directory, 'a.yaml');
      const task = taskText('größe');
      for (const bytes of [Buffer.from(`\uFEFF${task}`, 'utf16le'), Buffer.from(task, 'latin1')]) {
        await writeFile(file, bytes);
        expect(await loadManifests([directory])).toMatchObject({
          ok: false,
          error: [{ file, found: 'bytes that are no text in UTF-8' }],
        });
      }
    }));

  it('reads a file once that is named twice', () =>
    inTemporaryDirectory(async (directory) => {
      await writeFile(join(directory, 'a.yaml'), taskText('one'));
      await symlink('a.yaml', join(directory, 'b.yaml'));
      const loaded = await loadManifests([directory, join(directory, 'a.yaml'), `${directory}/./a.yaml`]);
      expect(loaded.ok && loaded.value.objects).toHaveLength(1);
    }));

  it('reads a pipe that is named to its end', () =>
    inTemporaryDirectory(async (directory) => {
      const pipe = join(directory, 'pipe');
      execFileSync('mkfifo', [pipe]);
      // It opens the pipe when somebody reads it, as a shell's other side does.
      const writer = spawn('sh', ['-c', 'cat > "$0"', pipe], { stdio: ['pipe', 'ignore', 'inherit'] });
      writer.stdin.end(taskText('piped'));
      const [loaded] = await Promise.all([loadManifests([pipe]), once(writer, 'close')]);
      expect(loaded).toMatchObject({
        ok: true,
        value: { objects: [{ object: { metadata: { name: 'piped' } } }] },
      });
    }));
});

/** What stands in a directory beside the manifests. Each leaves the name that it made, or nothing where it is no file. */
const besides: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
  'a directory': (path) => mkdir(path),
  'a pipe': (path) => Promise.resolve(execFileSync('mkfifo', [path])),
  'a link to a directory': (path) => symlink(tmpdir(), path),
  'a link to a device': (path) => symlink('/dev/zero', path),
  'a socket': (path) =>
    new Promise((resolve) =>
      createServer()
        .listen(path, () => resolve(undefined))
        .unref(),
    ),
};
const faulty: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
  'a link that leads nowhere': (path) => symlink('/nowhere', path),
  'links in a circle': (path) => symlink(path, path),
  'half a file': (path) => writeFile(path, taskText('half').slice(0, -20)),
};

describe('a directory', () => {
  it('gives its manifests whatever else stands in it, and tells each file that it cannot read', async () => {
    const random = new Seeded(testSeed);
    for (let round = 0; round < 40; round += 1)
      await inTemporaryDirectory(async (directory) => {
        const good: string[] = [];
        const bad: string[] = [];
        for (let at = 0; at < 8; at += 1) {
          const path = join(directory, `${at}.${['yaml', 'yml', 'json'][random.below(3)]}`);
          const kinds = [...Object.values(besides), ...Object.values(faulty)];
          const make = kinds[random.below(kinds.length + 3)];
          if (make === undefined) {
            await writeFile(path, taskText(`task-${at}`));
            good.push(`task-${at}`);
          } else await make(path);
          if (make !== undefined && Object.values(faulty).includes(make)) bad.push(path);
          if (random.below(4) === 0) await symlink('someone@host.1234', join(directory, `.#${at}.yaml`));
        }
        const loaded = await loadManifests([directory]);
        const errors = loaded.ok ? [] : loaded.error.map((it) => it.file);
        if (bad.length > 0) expect([...new Set(errors)].toSorted()).toEqual(bad.toSorted());
        else if (good.length === 0) expect(errors).toEqual([directory]);
        else expect(loaded.ok && loaded.value.objects.map((it) => it.object.metadata.name)).toEqual(good);
      });
  });
});
