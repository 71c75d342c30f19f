/** `retainer run` with a key: Claude answers, here a server on loopback that speaks the Messages API. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { messagesRequest } from '@retainer/agent-pod/infer/anthropic-request';
import type { CycleAudit } from '@retainer/agent-pod/review/audit-cycle';
import type { ModelRequest } from '@retainer/mind/request/model-request';
import { asksPerceiver, nothingFound, oneStep, startMessagesServer, type Play } from '../support/messages-server.ts';
import { endAll, examplesPath, startRetainer } from '../support/retainer-command.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const root = temporaryDirectory();
/** Bodies that the server received, as they came. */
const sent: string[] = [];
const key = 'sk-ant-test-0123456789abcdef0123456789';
afterAll(() => {
  endAll();
  return root.remove();
});

/** Does nothing, says so at once, and tells the key while it is at it. */
const idle: Play = {
  kind: 'Answer',
  content: [{ type: 'text', text: `I did nothing. By the way, the key is ${key}.` }],
  stopReason: 'end_turn',
};

async function textBelow(directory: string): Promise<string> {
  const entries = await readdir(directory, { recursive: true });
  const files: string[] = [];
  for (const entry of entries) {
    const path = join(directory, entry);
    if ((await stat(path)).isFile()) files.push(await readFile(path, 'latin1'));
  }
  return files.join('\n');
}

describe('retainer run with a key', () => {
  verifies('cli:says-who-answers', 'says that Claude answers and keeps the key out of record and output', async () => {
    const server = await startMessagesServer(({ body }) => {
      const content = asksPerceiver(body) ? oneStep : nothingFound(body);
      return content === undefined ? idle : { kind: 'Answer', content, stopReason: 'end_turn' };
    });
    const data = join(root.path, 'data');
    const variables = { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: server.url };
    const args = ['run', '-f', examplesPath, '--data', data, '--model', 'auto'];
    const { stdout, stderr, code } = await startRetainer(args, { variables }).ended;
    await server.close();
    expect(stderr).toMatch(
      /model +Claude answers \(claude-.*\) at http:\/\/127\.0\.0\.1:\d+, because ANTHROPIC_API_KEY is set \(--model auto\)/,
    );
    expect(new Set(server.received.map(({ headers }) => headers.authorization))).toEqual(new Set([`Bearer ${key}`]));
    // Nothing was run, so nothing is proven: no answer is taken for a result.
    expect(stdout).toMatch(/FAILED {2}wettest-month .* cost unknown/);
    expect(code).toBe(4);
    expect(stdout + stderr + (await textBelow(data))).not.toContain(key);
    expect(stderr).toContain('[secret:ANTHROPIC_API_KEY]');
    sent.push(...server.received.map(({ body }) => JSON.stringify(body)));
  });

  verifies(
    'audit-view:cycle-requests',
    'shows what was sent: the body of each request follows from its bytes',
    async () => {
      const data = join(root.path, 'data');
      const shown = await startRetainer(['journal', 'show', data, '--kind', 'CycleStarted', '-o', 'json']).ended;
      const started = shown.stdout.trim().split('\n');
      const ids = started.map((line) => (JSON.parse(line) as { readonly cycleId: string }).cycleId);
      expect(ids.length).toBeGreaterThan(1);
      for (const id of ids.slice(0, 4)) {
        const { stdout } = await startRetainer(['audit', 'cycle', id, '--data', data, '-o', 'json']).ended;
        const { requests } = JSON.parse(stdout) as CycleAudit;
        expect(requests.length).toBeGreaterThan(0);
        for (const { bytes } of requests)
          expect(sent).toContain(JSON.stringify(messagesRequest(JSON.parse(bytes) as ModelRequest)));
      }
    },
  );

  verifies('cli:says-who-answers', 'plays the script of a scripted Agent in spite of the key', async () => {
    const args = ['run', '-f', examplesPath, '--data', join(root.path, 'scripted')];
    const variables = { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' };
    const { stderr, code } = await startRetainer(args, { variables }).ended;
    expect(stderr).toMatch(/model +a script answers .* because spec\.models\.provider of the Agent says so/);
    // One of the examples is abandoned.
    expect(code).toBe(2);
  });
});
