/** A published skill becomes a manifest on the command line. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { parseManifests } from '@retainer/contract/manifest/parse-manifests';
import { retainer } from '../support/retainer-command.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const root = temporaryDirectory();
afterAll(() => root.remove());

verifies(
  'api:skill-as-published',
  'retainer skill add prints what can be applied, and tells what is left out',
  async () => {
    const directory = join(root.path, 'pdf-tools');
    await mkdir(join(directory, 'scripts'), { recursive: true });
    const published =
      '---\nname: PDF Tools\ndescription: Reads PDFs.\nlicense: MIT\n---\n# PDF\n\nRead the text first.\n';
    await writeFile(join(directory, 'SKILL.md'), published);
    await writeFile(join(directory, 'scripts/read.py'), '');
    const added = await retainer('skill', 'add', directory, '-n', 'team', '--skill-version', '1.2.0');
    expect(added.code).toBe(0);
    expect(parseManifests(added.stdout, 'pdf.yaml')).toMatchObject({
      ok: true,
      value: [{ object: { metadata: { name: 'pdf-tools', namespace: 'team' }, spec: { version: '1.2.0' } } }],
    });
    expect(added.stderr).toContain('no effect here: license of the front matter');
    expect(added.stderr).toContain('not part of a Skill: scripts/read.py');
    const missing = await retainer('skill', 'add', join(root.path, 'nowhere'));
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('there is no such file') });
  },
);
