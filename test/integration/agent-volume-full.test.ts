/** Row 4 for the whole agent: its volume fills up in the middle of the work, space returns, the work goes on. */
import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect } from 'vitest';
import { agentDefinition, scripted, task } from '../support/agents.ts';
import { oneStepRule } from '../support/runs.ts';
import { withVolume, type VolumeKind } from '../support/small-volume.ts';
import { verifies } from '../verifies.ts';
import { openedAgent } from '../support/opened-agent.ts';

const isRoot = process.getuid?.() === 0;
/** Room for the journal's ballast (16 MiB) and some work. */
const volumeMiB = 48;

/** Looks at its notes and writes a new one, seventy times, within the tokens of a cycle: enough to be in the middle whenever the disk fills up. */
const script = String.raw`
version: 1
rules:${oneStepRule}
  - name: write first
    when: {role: executor, turn: 1}
    answer: {calls: [{tool: memory_write, input: {key: 'note', value: 'first'}}]}
  - name: write
    when: {role: executor, turn: {max: 70}, last: {text: '.'}}
    answer: {calls: [{tool: memory_write, input: {key: 'note', value: '{{last.callId}}'}}]}
  - name: done
    when: {role: executor}
    answer: {text: 'All notes are written.'}
`;

const smallVolume: VolumeKind = {
  name: `${volumeMiB} MiB tmpfs`,
  mount: async (path) => {
    await promisify(execFile)('mount', ['-t', 'tmpfs', '-o', `size=${volumeMiB}m`, 'tmpfs', path]);
  },
};

/** Waits for something that the agent does in its own time. */
async function until(what: string, holds: () => boolean): Promise<void> {
  for (let round = 0; !holds(); round += 1) {
    if (round > 3_000) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe.skipIf(!isRoot)('an agent on a full volume (mounting a small one needs root)', () => {
  verifies('loop:full-volume-waits', 'stops, serves its record, and finishes the run once there is space', async () => {
    await withVolume(smallVolume, async ({ path: dataDirectory }) => {
      const notices: string[] = [];
      const faults: unknown[] = [];
      const opened = await openedAgent({
        definition: agentDefinition({ limits: { turnsPerCycle: 120, toolCallsPerCycle: 200 } }),
        dataDirectory,
        model: await scripted(script),
        onNotice: (notice) => notices.push(notice),
        onFault: (error) => faults.push(error),
      });
      const { journal, runtime } = opened;
      const { runId } = await opened.submitTask(task('notes', 'Write notes.'), 'test');
      const filler = join(dataDirectory, 'filler');
      await writeFile(filler, Buffer.alloc(volumeMiB * 1024 * 1024)).catch(() => undefined);
      await until('the journal is full', () => journal.mode === 'Degraded');
      const before = await countRecords(journal.read('cycle'));
      expect(before).toBeGreaterThan(0);
      await rm(filler);
      const state = await runtime.closed(runId);
      expect(state.concluded).toMatchObject({ outcome: 'Succeeded', summary: 'All notes are written.' });
      expect(faults).toEqual([]);
      expect(notices.join('\n')).toMatch(/accepts no more records[\s\S]*space again/);
      await opened.close();
    });
  });
});

async function countRecords(records: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _ of records) count += 1;
  return count;
}
