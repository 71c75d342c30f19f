/** Design 5.15, on the whole agent: secrets come in by every way, none reaches the disk, and nothing breaks over it. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'vitest';
import type { OpenedAgent } from '@retainer/agent-pod/open-agent';
import { inTemporaryDirectory, scripted, task } from '../support/agents.ts';
import { oneStepRule } from '../support/runs.ts';
import { verifies } from '../verifies.ts';
import { openedAgent } from '../support/opened-agent.ts';

const known = 'correct-horse-battery';
const shaped = 'export API_TOKEN=abcdefgh12 and "password=hunter2hunter2" and -----BEGIN RSA PRIVATE KEY-----';

/** Writes what it was told into its memory, reads it back, and says it. */
const script = String.raw`
version: 1
rules:${oneStepRule}
  - name: write
    when: {role: executor, turn: 1, task: '(?s)(?P<all>.*)'}
    answer: {calls: [{tool: memory_write, input: {key: 'note', value: '{{task.all}}'}}]}
  - name: read
    when: {role: executor, turn: 2}
    answer: {calls: [{tool: memory_read, input: {prefix: 'note'}}]}
  - name: say
    when: {role: executor, last: {text: '(?s)(?P<all>.*)'}}
    answer: {text: '{{last.all}}'}
`;

async function open(dataDirectory: string): Promise<OpenedAgent> {
  return await openedAgent({
    dataDirectory,
    model: await scripted(script),
    secrets: [{ name: 'MAIL_PASSWORD', value: known }],
  });
}

async function everythingBelow(directory: string): Promise<string> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name !== 'ballast');
  const texts = files.map(async (entry) => {
    const bytes = await readFile(join(entry.parentPath, entry.name));
    return (entry.name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  });
  return (await Promise.all(texts)).join('\n');
}

verifies(
  'loop:secrets-stay-out',
  'known ones and those that look like it; the run ends well and the record opens again',
  async () => {
    await inTemporaryDirectory(async (dataDirectory) => {
      const agent = await open(dataDirectory);
      const { runId } = await agent.submitTask(task('note', `Remember: ${known} ${shaped}`), 'test');
      const { concluded } = await agent.runtime.closed(runId);
      await agent.close();
      expect(concluded?.outcome).toBe('Succeeded');
      expect(concluded?.summary).toContain('[secret:MAIL_PASSWORD]');
      const disk = await everythingBelow(dataDirectory);
      for (const secret of [known, 'abcdefgh12', 'hunter2hunter2']) expect(disk).not.toContain(secret);
      const again = await open(dataDirectory);
      expect(again.runtime.openRuns()).toEqual([]);
      await again.close();
    });
  },
);
