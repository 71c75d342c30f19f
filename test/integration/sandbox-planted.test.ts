/** Files that a stranger leaves in a workspace do not run in the programs that come after. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { NEIGHBOURS, PLANTED_CODE, type PlantedCode } from '../support/planted-code.ts';
import { verifies } from '../verifies.ts';
import { openFixture, type Fixture } from './sandbox-fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture();
});
afterAll(() => fixture.close());
beforeEach(async () => {
  await rm(fixture.workspace, { recursive: true, force: true });
  await mkdir(fixture.workspace);
});

async function played({ files, language, script }: PlantedCode): Promise<string> {
  for (const [file, content] of Object.entries(files)) {
    await mkdir(join(fixture.workspace, dirname(file)), { recursive: true });
    await writeFile(join(fixture.workspace, file), content);
  }
  const { stdout, stderr } = await fixture.run(language, script);
  return `${stdout}${stderr}`;
}

/** A language or a program that this machine lacks. */
async function isMissing({ language, needs = 'true' }: PlantedCode): Promise<boolean> {
  if (!fixture.languages.includes(language)) return true;
  return (await fixture.run('bash', `command -v ${needs}`)).exitCode !== 0;
}

for (const planted of PLANTED_CODE)
  verifies('sandbox:runs-no-planted-code', `${planted.name}: does not run`, async () => {
    if (await isMissing(planted)) return;
    expect(await played(planted)).toBe(planted.prints);
  });

for (const neighbour of NEIGHBOURS)
  verifies('sandbox:runs-no-planted-code', `${neighbour.name}: is found`, async () => {
    if (await isMissing(neighbour)) return;
    expect(await played(neighbour)).toBe(neighbour.prints);
  });
