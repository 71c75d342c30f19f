import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import type { Command } from '@retainer/mind/run/inbox';
import { systemClock } from '@retainer/contract/std/system-clock';
import { temporaryDirectory } from '../../../test/support/tool-world.ts';
import { verifies } from '../../../test/verifies.ts';
import { makePrivate } from './private-directory.ts';
import { leaveCommand, spoolCommand, watchSpool } from './spool.ts';

const cancel = { type: 'CancelRun', runId: 'r', by: 'ann', reason: 'enough' } as const;

/** What the agent makes of the files that lie there at its start. */
async function taken(
  directory: string,
): Promise<{ readonly accepted: readonly Command[]; readonly rejected: readonly string[] }> {
  const accepted: Command[] = [];
  const rejected: string[] = [];
  const over = new AbortController();
  const handlers = {
    isAccepting: () => true,
    accept: (_: string, command: Command) => Promise.resolve(accepted.push(command)),
    onRejected: (_: string, reason: string) => rejected.push(reason),
  };
  // Its first pause comes after it has taken everything.
  const clock = { ...systemClock, sleep: () => Promise.resolve(over.abort()) };
  const watching = watchSpool(directory, handlers, clock, over.signal);
  if (!over.signal.aborted) await once(over.signal, 'abort');
  await watching;
  return { accepted, rejected };
}

const modeOf = (directory: string): number => statSync(directory).mode & 0o777;

describe('the spool', () => {
  verifies('approvals:known-by', 'says whose file it was, whatever the file says', async () => {
    const data = temporaryDirectory();
    await leaveCommand(data, cancel);
    const forged = { ...cancel, by: 'root', knownBy: { how: 'OsUser', uid: 4711 } } as const;
    await spoolCommand(path.join(data, 'spool'), forged);
    const { accepted } = await taken(path.join(data, 'spool'));
    const uid = process.getuid?.();
    expect(accepted).toEqual([
      { ...cancel, knownBy: { how: 'OsUser', uid } },
      { ...forged, knownBy: { how: 'OsUser', uid } },
    ]);
  });

  verifies('approvals:known-by', 'sets a link aside', async () => {
    const directory = path.join(temporaryDirectory(), 'spool');
    mkdirSync(directory);
    const elsewhere = path.join(directory, '..', 'elsewhere.json');
    writeFileSync(elsewhere, JSON.stringify(cancel));
    symlinkSync(elsewhere, path.join(directory, 'a.json'));
    const { accepted, rejected } = await taken(directory);
    expect(accepted).toEqual([]);
    expect(rejected).toEqual(['a link, or a file that cannot be opened']);
    expect(readdirSync(path.join(directory, 'rejected'))).toEqual(['a.json']);
  });

  verifies('approvals:known-by', 'is nobody else’s, also where it stood open before', async () => {
    const data = temporaryDirectory();
    const directory = path.join(data, 'spool');
    await leaveCommand(data, cancel);
    expect(modeOf(directory)).toBe(0o700);
    chmodSync(directory, 0o777);
    await taken(directory);
    expect(modeOf(directory)).toBe(0o700);
    const other = path.join(data, 'outbox');
    await makePrivate(other);
    expect(modeOf(other)).toBe(0o700);
  });
});
