/** A data directory that was restored while a run waited for a person, as the one who restored it sees it: the real program. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { agentManifest, characterManifest, taskManifest, writeManifests } from '../support/asking-manifests.ts';
import { endAll, retainer, type Ended } from '../support/retainer-command.ts';
import { oneStepRule } from '../support/runs.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const consult = `  authority: {consult: [{id: notes-need-leave, description: Notes need leave., paths: ["notes/**"]}]}
`;
const script = `
version: 1
rules:${oneStepRule}
  - name: write
    when: {task: note, results: [{min: 0, max: 0}]}
    answer: {calls: [{tool: write_file, input: {path: notes/a.md, content: a}}]}
  - name: done
    answer: {text: done}
`;

const root = temporaryDirectory();
const data = join(root.path, 'data');
let manifests = '';

beforeAll(async () => {
  const objects = [characterManifest(consult), agentManifest, taskManifest('note', 'intent: Write a note.')];
  manifests = await writeManifests(join(root.path, 'manifests'), objects.join('---'), script);
  expect((await retainer('run', '-f', manifests, '--data', data)).code).toBe(10);
  expect((await retainer('backup', 'now', '--data', data)).code).toBe(0);
});
afterAll(async () => {
  endAll();
  await root.remove();
});

async function restored(name: string): Promise<{ readonly to: string; readonly ended: Ended }> {
  const to = join(root.path, name);
  const ended = await retainer('restore', '--data', data, '--to', to, '--by', 'ann');
  expect(ended, ended.stderr).toMatchObject({ code: 0 });
  return { to, ended };
}

const waiting = async (to: string): Promise<readonly unknown[]> =>
  JSON.parse((await retainer('approve', '--data', to, '-o', 'json')).stdout) as readonly unknown[];

describe('a restored directory', () => {
  verifies('backup:held-back', 'goes on with a run when a person says so', async () => {
    const { to, ended } = await restored('continued');
    expect(ended.stdout).toMatch(/^held back {2}note-\S+: what it did after that is unknown$/m);
    expect(ended.stdout).toContain(`retainer task continue|cancel TASK --data ${to}`);
    const held = await retainer('run', '-f', manifests, '--data', to);
    expect(held.code, held.stdout).toBe(4);
    expect(held.stdout.replaceAll(/\s+/g, ' ')).toMatch(/waits, because the record was restored from an earlier copy/);
    const told = await retainer('explain', 'note', '--data', to);
    expect(told.stdout).toMatch(/waits for a person: the record was restored from an earlier copy/);
    const word = await retainer('task', 'continue', 'note', '--data', to);
    expect(word, word.stderr).toMatchObject({ code: 0 });
    const goesOn = await retainer('run', '-f', manifests, '--data', to);
    expect(goesOn.code, goesOn.stderr).toBe(10);
    expect(await waiting(to)).toHaveLength(1);
  });

  verifies('backup:held-back', 'ends a run when a person says so', async () => {
    const { to } = await restored('cancelled');
    const word = await retainer('task', 'cancel', 'note', '--data', to, '--reason', 'it is done there');
    expect(word, word.stderr).toMatchObject({ code: 0 });
    const ended = await retainer('run', '-f', manifests, '--data', to);
    expect(ended.code, ended.stderr).toBe(2);
    const { stdout } = await retainer('journal', 'show', to, '--kind', 'Restored', '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject({ principal: 'human:ann', payload: { by: 'ann' } });
  });
});
