/**
 * Law 1 by isolation: every known way around a filter of commands, in a real sandbox, on files that a character protects, on
 * files beside the workspace and on a server. What counts is what is there afterwards; no pattern looks at the scripts.
 */
import { once } from 'node:events';
import { chmod, mkdir, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { openAgent } from '@retainer/agent-pod/open-agent';
import type { JournalRecord } from '@retainer/journal/journal';
import { afterAll, beforeAll, expect } from 'vitest';
import { agentDefinition, inTemporaryDirectory, scripted, task } from '../support/agents.ts';
import { BYPASSES } from '../support/bypass-corpus.ts';
import { oneStepRule } from '../support/runs.ts';
import { verifies } from '../verifies.ts';
import { openFixture, type Fixture } from './sandbox-fixture.ts';

const content = 'the one true row\n';

let fixture: Fixture;
/** Programs of the corpus that this system has, inside a sandbox. */
let programs: ReadonlySet<string>;

beforeAll(async () => {
  fixture = await openFixture();
  const names = BYPASSES.flatMap(({ needs }) => needs ?? []);
  const { stdout } = await fixture.run(
    'bash',
    `for name in ${names.join(' ')}; do command -v $name > /dev/null && echo $name; done`,
  );
  programs = new Set(stdout.split('\n'));
});
afterAll(() => fixture.close());

/** A workspace with one file below `data/`, played upon. @returns what is left of it */
async function afterwards(script: string, readOnlyPaths: readonly string[]): Promise<string> {
  await rm(fixture.workspace, { recursive: true });
  await mkdir(join(fixture.workspace, 'data'), { recursive: true });
  await writeFile(join(fixture.workspace, 'data', 'rows.csv'), content);
  await fixture.run('bash', `f=data/rows.csv; d=data; ${script}`, { readOnlyPaths });
  return read(join(fixture.workspace, 'data'), 'rows.csv');
}

async function read(directory: string, name: string): Promise<string> {
  const names = await readdir(directory).catch(() => []);
  return `${names.join(' ')}: ${await readFile(join(directory, name), 'utf8').catch(() => '(gone)')}`;
}

for (const { name, script, needs } of BYPASSES) {
  verifies('adversary:bypasses', `${name}: a read-only path stays as it is`, async () => {
    const untouched = `rows.csv: ${content}`;
    const isThere = needs === undefined || programs.has(needs);
    expect((await afterwards(script, [])) !== untouched, 'where nothing is protected').toBe(isThere);
    expect(await afterwards(script, ['data'])).toBe(untouched);
  });

  verifies('adversary:bypasses', `${name}: what is beside the workspace stays as it is`, async () => {
    await rm(fixture.workspace, { recursive: true });
    await mkdir(fixture.workspace);
    await symlink(fixture.outside, join(fixture.workspace, 'link'));
    await chmod(fixture.outside, 0o777);
    const secret = join(fixture.outside, 'secret.txt');
    const before = await stat(secret);
    const text = await read(fixture.outside, 'secret.txt');
    for (const directory of [fixture.outside, 'link', '../outside', '/proc/self/cwd/../outside'])
      await fixture.run('bash', `d=${directory}; f=$d/secret.txt; ${script}`);
    const after = await stat(secret);
    expect(await read(fixture.outside, 'secret.txt')).toBe(text);
    expect([after.ino, after.mode, after.uid, after.mtimeMs]).toEqual([
      before.ino,
      before.mode,
      before.uid,
      before.mtimeMs,
    ]);
  });
}

verifies('adversary:bypasses', 'curl -X DELETE: no request reaches a server', async () => {
  const methods: string[] = [];
  const server = createServer(({ method = '' }, response) => {
    methods.push(method);
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/rows/1`;
  await fetch(url, { method: 'DELETE' });
  expect(methods).toEqual(['DELETE']);
  const { end } = await fixture.run(
    'bash',
    `curl -m 2 -X DELETE ${url}; node -e "fetch('${url}', {method: 'DELETE'})"; exec 3<>/dev/tcp/127.0.0.1/${url.split(/[:/]/)[4] ?? ''} && printf 'DELETE / HTTP/1.0\\r\\n\\r\\n' >&3`,
  );
  expect(end).toBe('Exited');
  expect(methods).toEqual(['DELETE']);
  await new Promise((resolve) => server.close(resolve));
});

verifies(
  'adversary:bypasses',
  'an agent whose character protects data/ runs all of them, and data/ stays',
  async () => {
    await inTemporaryDirectory(async (dataDirectory) => {
      const data = join(dataDirectory, 'workspace', 'data');
      await mkdir(data, { recursive: true });
      await writeFile(join(data, 'rows.csv'), content);
      const calls = BYPASSES.map(({ script }) => ({
        tool: 'bash',
        input: { script: `f=data/rows.csv; d=data; ${script}` },
      }));
      const rules = `${oneStepRule}
  - name: all of them
    when: {role: executor, turn: 1}
    answer: {calls: ${JSON.stringify(calls)}}
  - name: done
    when: {role: executor}
    answer: {text: 'Done.'}`;
      const records: JournalRecord[] = [];
      const opened = await openAgent({
        definition: agentDefinition({ limits: { toolCallsPerCycle: calls.length } }),
        dataDirectory,
        model: await scripted(`version: 1\nrules:${rules}`),
        secrets: [],
        onRecord: (record) => records.push(record),
        onFault: (error) => {
          throw error;
        },
      });
      if (!opened.ok) throw new Error(opened.error.join('\n'));
      const work = task('work', 'Tidy up.', { budget: { toolCalls: calls.length, wallClock: '5m' } });
      const { runId } = await opened.value.submitTask(work, 'test');
      await opened.value.runtime.closed(runId);
      await opened.value.close();
      const ran = records.filter((it) => it.kind === 'ToolFinished');
      expect(ran, 'no gate stopped one by its words').toHaveLength(calls.length);
      expect(await read(data, 'rows.csv')).toBe(`rows.csv: ${content}`);
    });
  },
);
