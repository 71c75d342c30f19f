/** What `npm run steady` and `npm run nightly` stop ends with all that it started: a process that stays would be the load of the next. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { runInGroup } from '../scripts/process-group.mjs';
import { inTemporaryDirectory } from './support/agents.ts';

/** A child, and one in a group of its own, which no signal to the first group reaches. Their ids are in two files. */
const STARTS_OTHERS = 'sleep 60 & echo $! > child; setsid sleep 60 & echo $! > apart; touch ready; wait';

const isAlive = (id: number): boolean => {
  // Who ended, but whose parent did not ask how, is still in the list.
  const path = `/proc/${id}/stat`;
  return existsSync(path) && !/\) Z /.test(readFileSync(path, 'utf8'));
};

describe.skipIf(process.platform !== 'linux')('a command that is stopped', () => {
  it('ends with all that it started', () =>
    inTemporaryDirectory(async (directory) => {
      const command = ['sh', '-c', `cd ${directory}; ${STARTS_OTHERS}`];
      const interrupt = new AbortController();
      const log = join(directory, 'log');
      const running = runInGroup(command, {
        ...{ env: process.env, log, limitMs: 60_000, interrupt: interrupt.signal },
      });
      while (!existsSync(join(directory, 'ready'))) await sleep(10);
      const ids = ['child', 'apart'].map((name) => Number(readFileSync(join(directory, name), 'utf8')));
      expect(ids.filter(isAlive)).toEqual(ids);
      interrupt.abort();
      expect(await running).toMatchObject({ code: 143, isStopped: false });
      expect(ids.filter(isAlive)).toEqual([]);
    }));

  it('was stopped where it reached its limit, and not where it ended before', () =>
    inTemporaryDirectory(async (directory) => {
      const options = { env: process.env, log: join(directory, 'log'), interrupt: new AbortController().signal };
      const never = await runInGroup(['sleep', '60'], { ...options, limitMs: 50 });
      expect(never).toMatchObject({ code: 143, isStopped: true });
      const soon = await runInGroup(['sh', '-c', 'echo said; exit 3'], { ...options, limitMs: 60_000 });
      expect(soon).toMatchObject({ code: 3, isStopped: false });
      expect(readFileSync(options.log, 'utf8')).toBe('said\n');
    }));
});
