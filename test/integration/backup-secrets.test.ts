/** Secrets come into a whole agent by every way, and none is in any object of its repository, in any form. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, expect } from 'vitest';
import type { OpenedAgent } from '@retainer/agent-pod/open-agent';
import { agentDefinition, characterSpec, scripted, task } from '../support/agents.ts';
import { openedAgent } from '../support/opened-agent.ts';
import { endAll, examplesPath, startRetainer } from '../support/retainer-command.ts';
import { oneStepRule } from '../support/runs.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const root = temporaryDirectory();
afterAll(async () => {
  endAll();
  await root.remove();
});

/** Of the environment, and of a mounted file. JSON and URLs write both of them differently. */
const OF_ENVIRONMENT = 'correct/horse "battery" & stäple';
const OF_FILE = 'tr0ub4dor\\and/3 more+things';
const SECRETS = [OF_ENVIRONMENT, OF_FILE];

/** Base64 has three spellings of a text, by what is before it. */
function spellings(secret: string): readonly string[] {
  return ['', 'x', 'xx'].map((before) => Buffer.from(`${before}${secret}`).toString('base64'));
}

/** What is in each text that has the secret in this spelling, whatever surrounds it. */
function base64Forms(secret: string): readonly string[] {
  return spellings(secret).map((text, index) => text.slice(index === 0 ? 0 : 4, -4));
}

/** As they would be found. */
function formsOf(secret: string): readonly string[] {
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    JSON.stringify(JSON.stringify(secret)).slice(3, -3),
    encodeURIComponent(secret),
    ...base64Forms(secret),
  ];
}
const FORMS = SECRETS.flatMap(formsOf);

/** As somebody would write them. */
const SAID = SECRETS.flatMap((secret) => [
  `plainly ${secret}.`,
  `in JSON ${JSON.stringify({ is: secret })}`,
  `in a URL https://example.org/?q=${encodeURIComponent(secret)}`,
  ...spellings(secret).map((text) => `in base64 ${text} so`),
]);

interface GitObject {
  readonly name: string;
  readonly text: string;
}

/** All of them, whoever still names them. What was compressed before git had it is read, too. */
function objectsOf(data: string): readonly GitObject[] {
  const env = { PATH: process.env['PATH'], GIT_DIR: join(data, 'git'), GIT_CONFIG_GLOBAL: '/dev/null' };
  const args = ['cat-file', '--batch-all-objects', '--batch'];
  const all = execFileSync('git', args, { env, maxBuffer: 256 * 1024 * 1024 });
  const found: GitObject[] = [];
  for (let at = 0; at < all.length;) {
    const end = all.indexOf('\n', at);
    const name = all.toString('latin1', at, end);
    const start = end + 1;
    const bytes = all.subarray(start, start + Number(name.split(' ')[2]));
    found.push({ name, text: (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString('utf8') });
    at = start + bytes.length + 1;
  }
  return found;
}

function showing(objects: readonly GitObject[], forms: readonly string[]): readonly string[] {
  return objects.flatMap(({ name, text }) =>
    forms.filter((form) => text.includes(form)).map((form) => `${name}: ${form} in ${text.slice(0, 80)}`),
  );
}

const answer = (text: string): string => JSON.stringify(text);

/** The model writes them into a file and into memory, reads them where they are, and says them. */
const script = `
version: 1
rules:${oneStepRule}
  - name: write a file
    when: {role: executor, turn: 1, task: 'Write a file'}
    answer: {calls: [{tool: write_file, input: {path: 'written.md', content: ${answer(SAID.join('\n'))}}}]}
  - name: write a memory
    when: {role: executor, turn: 1, task: 'Write a memory'}
    answer: {calls: [{tool: memory_write, input: {key: 'note', value: ${answer(SAID.join('\n'))}}}]}
  - name: read
    when: {role: executor, turn: 1, task: 'Read'}
    answer: {calls: [{tool: read_file, input: {path: 'large.txt'}}, {tool: search_files, input: {text: 'plainly'}}]}
  - name: read memory
    when: {role: executor, turn: 2, task: 'Read'}
    answer: {calls: [{tool: memory_read, input: {prefix: 'note'}}, {tool: list_files, input: {}}]}
  - name: say
    when: {role: executor, task: 'Say'}
    answer: {text: ${answer(`Done. ${SAID.join(' ')}`)}}
  - name: end
    when: {role: executor}
    answer: {text: Done.}
`;

/** What people ask. The gate refuses calls with a hidden secret, and the record tells why. */
const INTENTS = {
  told: `Remember. ${SAID.join('\n')}`,
  file: 'Write a file.',
  memory: 'Write a memory.',
  read: 'Read what is there.',
  said: 'Say them.',
};

async function open(dataDirectory: string): Promise<OpenedAgent> {
  return await openedAgent({
    dataDirectory,
    model: await scripted(script),
    definition: agentDefinition({}, characterSpec({ persona: `A careful analyst. ${SAID.join(' ')}` })),
    secrets: [
      { name: 'MAIL_PASSWORD', value: OF_ENVIRONMENT },
      { name: 'password', value: OF_FILE },
    ],
    backup: { closingMs: 60_000 },
  });
}

function plant(workspace: string): void {
  mkdirSync(workspace, { recursive: true });
  writeFileSync(join(workspace, 'good.txt'), 'a file without any');
  for (const [index, text] of SAID.entries()) writeFileSync(join(workspace, `planted-${index}.txt`), text);
  // Too long to be shown whole, and for a line of the record.
  writeFileSync(join(workspace, 'large.txt'), `${'line after line of it\n'.repeat(6000)}${SAID.join('\n')}\n`);
  const inNames = SECRETS.flatMap((secret) => [encodeURIComponent(secret), ...spellings(secret)]);
  for (const name of inNames) writeFileSync(join(workspace, name.replaceAll('/', '_')), 'a file with a telling name');
  // A slash of the secret makes a directory.
  mkdirSync(join(workspace, 'correct'));
  writeFileSync(join(workspace, OF_ENVIRONMENT), 'its path is the secret');
}

verifies('backup:no-secret-anywhere', 'with a whole agent that is told them, writes and reads them', async () => {
  const data = join(root.path, 'agent');
  const agent = await open(data);
  plant(join(data, 'workspace'));
  const outcomes = new Map<string, string | undefined>();
  for (const [name, intent] of Object.entries(INTENTS)) {
    const { runId } = await agent.submitTask(task(name, intent), 'test');
    outcomes.set(name, (await agent.runtime.closed(runId)).concluded?.outcome);
  }
  await agent.close();
  const refused = ['file', 'memory'];
  for (const [name, outcome] of outcomes)
    expect([name, outcome]).toEqual([name, refused.includes(name) ? 'Refused' : 'Succeeded']);
  const objects = objectsOf(data);
  expect(showing(objects, ['a file without any'])).toHaveLength(1);
  expect(showing(objects, ['[secret:MAIL_PASSWORD]']).length).toBeGreaterThan(3);
  expect(showing(objects, FORMS)).toEqual([]);
});

verifies(
  'backup:local-credentials',
  'with the program: of a file they are nowhere, and of both it refuses',
  async () => {
    const credentials = join(root.path, 'credentials');
    mkdirSync(credentials);
    writeFileSync(join(credentials, 'username'), 'ada');
    writeFileSync(join(credentials, 'password'), `${OF_FILE}\n`);
    const data = join(root.path, 'program');
    mkdirSync(join(data, 'workspace'), { recursive: true });
    writeFileSync(join(data, 'workspace', 'theirs.txt'), `of the remote: ${OF_FILE}`);
    const args = ['run', '-f', examplesPath, '--data', data, '--model', 'scripted'];
    const variables = { RETAINER_GIT_CREDENTIALS: credentials };
    const both = await startRetainer(args, { variables: { ...variables, RETAINER_GIT_PASSWORD: OF_ENVIRONMENT } })
      .ended;
    expect(both).toMatchObject({ code: 1 });
    expect(both.stderr).toContain(
      'RETAINER_GIT_CREDENTIALS and RETAINER_GIT_PASSWORD are both set: take one of them away',
    );
    const ended = await startRetainer(args, { variables }).ended;
    // One of the examples ends Abandoned.
    expect(ended, ended.stderr).toMatchObject({ code: 2 });
    const objects = objectsOf(data);
    expect(showing(objects, ['HoldsSecret'])).toHaveLength(1);
    expect(showing(objects, formsOf(OF_FILE))).toEqual([]);
  },
);
