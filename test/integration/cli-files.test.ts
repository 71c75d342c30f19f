/** Whom the agent believes of its files: told from the record, and changed by a person's word. */
import { symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { agentManifest, characterManifest, taskManifest, writeManifests } from '../support/asking-manifests.ts';
import { endAll, retainer } from '../support/retainer-command.ts';
import { oneStepRule } from '../support/runs.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const root = temporaryDirectory();
const manifests = join(root.path, 'manifests');
const data = join(root.path, 'data');

const writing = (file: string): string =>
  [characterManifest(''), agentManifest, taskManifest(file, `intent: Write the file ${file}.txt.`)].join('---');

const script = `
version: 1
rules:${oneStepRule}
  - name: read a stranger first
    when: {task: second, results: [{min: 0, max: 0}]}
    answer: {calls: [{tool: read_file, input: {path: mine.txt}}]}
  - name: write after it
    when: {task: second, results: [{min: 1, max: 1}]}
    answer: {calls: [{tool: write_file, input: {path: second.txt, content: copied}}]}
  - name: write
    when: {task: first, results: [{min: 0, max: 0}]}
    answer: {calls: [{tool: write_file, input: {path: first.txt, content: hello}}]}
  - name: done
    answer: {text: done}
`;

beforeAll(() => writeManifests(manifests, writing('first'), script));
afterAll(() => {
  endAll();
  return root.remove();
});

interface Listed {
  readonly path: string;
  readonly isLink?: true;
  readonly trust: string;
  readonly why: string;
}

async function labels(): Promise<Readonly<Record<string, string>>> {
  const { stdout } = await retainer('files', 'list', '--data', data, '-o', 'json');
  const { files } = JSON.parse(stdout) as { readonly files: readonly Listed[] };
  return Object.fromEntries(
    files.map(({ path, isLink, trust, why }) => [path, `${trust} ${why}${isLink === true ? ' link' : ''}`]),
  );
}

verifies('cli:files-told', 'lists, traces and takes a word about exactly the bytes that stand there', async () => {
  const mine = join(data, 'workspace', 'mine.txt');
  await retainer('run', '-f', manifests, '--data', data);
  await writeFile(mine, 'my words');
  expect(await labels()).toEqual({ 'first.txt': 'Trusted Write', 'mine.txt': 'Untrusted Stranger' });

  const next = join(root.path, 'next');
  await writeManifests(next, writing('second'), script);
  await retainer('run', '-f', next, '--data', data);
  expect((await labels())['second.txt']).toBe('Untrusted Write');

  const refused = await retainer('files', 'trust', 'absent.txt', '--reason', 'x', '--data', data);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('absent.txt cannot be opened')]);
  const outside = await retainer('files', 'trace', '../mine.txt', '--data', data);
  expect([outside.code, outside.stderr]).toEqual([1, expect.stringContaining('leaves the workspace')]);

  await symlink('mine.txt', join(data, 'workspace', 'link.txt'));
  expect((await labels())['link.txt']).toBe('Untrusted Stranger link');
  await retainer('files', 'trust', 'mine.txt', '--reason', 'I wrote it', '--data', data);
  const believed = await retainer('files', 'trust', 'link.txt', '--reason', 'I made it', '--data', data);
  expect(believed.stdout).toContain('link.txt, a link, will be believed as it stands now');
  await retainer('run', '-f', next, '--data', data);
  expect(await labels()).toMatchObject({ 'mine.txt': 'Trusted Person', 'link.txt': 'Trusted Person link' });
  const link = await retainer('files', 'trace', 'link.txt', '--data', data);
  expect(link.stdout).toMatch(/trusted, link {2}\(.*\): "I made it"[\s\S]*this link stands there/);
  const traced = await retainer('files', 'trace', 'mine.txt', '--data', data);
  expect(traced.stdout).toMatch(/trusted {2}\(.*\): "I wrote it"[\s\S]*these bytes stand there/);

  await unlink(join(data, 'workspace', 'link.txt'));
  await symlink('first.txt', join(data, 'workspace', 'link.txt'));
  await writeFile(mine, 'my wards');
  const strangers = { 'mine.txt': 'Untrusted Stranger', 'link.txt': 'Untrusted Stranger link' };
  expect(await labels()).toMatchObject(strangers);
  expect((await retainer('files', 'list', '--data', data)).stdout).toContain("link.txt  (link, a stranger's)");
  const { stdout } = await retainer('files', 'trace', 'mine.txt', '--data', data);
  expect(stdout).toContain("now: a stranger's");
  const verified = await retainer('journal', 'verify', data);
  expect(verified.code).toBe(0);
});
