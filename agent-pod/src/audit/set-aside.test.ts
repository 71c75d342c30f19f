import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@retainer/contract/std/system-clock';
import { afterAll, describe, expect, it } from 'vitest';
import { hasWords, leaveSetAside, takeWords } from './set-aside.ts';

const own = mkdtempSync(join(tmpdir(), 'set-aside-'));
mkdirSync(join(own, 'words'));
afterAll(() => rmSync(own, { recursive: true }));

const word = { store: 'agent/7', reason: 'the disk was full', by: 'ann' };

async function takenUp(answer: string | undefined): Promise<void> {
  while (!(await hasWords(own))) await systemClock.sleep(1);
  await takeWords(own, () => Promise.resolve(answer));
}

describe('a word that is left for an auditor at work', () => {
  it('has its own answer, not that of an equal one for which nobody waited', async () => {
    const [first] = await Promise.all([leaveSetAside(own, word, systemClock), takenUp('agent/7 is no gap')]);
    expect(first).toBe('agent/7 is no gap');
    // Left, but its answer is fetched by nobody: the one who asked was ended.
    const gone = { ...systemClock, sleep: () => Promise.reject(new Error('ended')) };
    await expect(leaveSetAside(own, word, gone)).rejects.toThrow('ended');
    await takenUp('agent/7 is no gap');
    const [second] = await Promise.all([leaveSetAside(own, word, systemClock), takenUp(undefined)]);
    expect(second).toBeUndefined();
  });
});
