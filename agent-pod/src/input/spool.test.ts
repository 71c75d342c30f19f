import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import type { Command } from '@retainer/mind/run/inbox';
import { systemClock } from '@retainer/contract/std/system-clock';
import { temporaryDirectory } from '../../../test/support/tool-world.ts';
import { verifies } from '../../../test/verifies.ts';
import { makePrivate } from './private-directory.ts';
import { leaveCommand, spoolCommand, watchSpool, type SpoolWriters } from './spool.ts';

const cancel = { type: 'CancelRun', runId: 'r', by: 'ann', reason: 'enough' } as const;

/** What the agent makes of the files that lie there at its start. */
async function taken(
  directory: string,
  writers: SpoolWriters = 'OsUsers',
): Promise<{ readonly accepted: readonly Command[]; readonly rejected: readonly string[] }> {
  const accepted: Command[] = [];
  const rejected: string[] = [];
  const over = new AbortController();
  const spool = {
    ...{ directory, writers },
    isAccepting: () => true,
    accept: (_: string, command: Command) => Promise.resolve(accepted.push(command)),
    onRejected: (_: string, reason: string) => rejected.push(reason),
  };
  // Its first pause comes after it has taken everything.
  const clock = { ...systemClock, sleep: () => Promise.resolve(over.abort()) };
  const watching = watchSpool(spool, clock, over.signal);
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

  verifies('cli-cluster:word-beside-agent', 'takes over pods/exec only what no resource carries', async () => {
    const data = temporaryDirectory();
    const change = { type: 'Remember', key: 'vat', value: '25 %' } as const;
    const said = { by: 'ada@example.com', reason: 'read it' };
    const decided = { requestId: 'r', argumentsDigest: 'd', decision: 'Approve' } as const;
    const words: readonly (readonly [Parameters<typeof leaveCommand>[1], boolean])[] = [
      [{ ...change, ...said }, true],
      [{ type: 'TrustFile', path: 'a', digest: 'a'.repeat(64), sizeBytes: 1, trusted: true, ...said }, true],
      [{ type: 'ReportFalsePositive', cycleId: 'c', gate: 'Tool', rule: 'r', ...said }, true],
      [{ type: 'DecideApproval', ...decided, ...said }, false],
      [{ type: 'AnswerQuestion', runId: 'r', questionId: 'q', text: 'yes', by: 'ada' }, false],
      [{ type: 'RetryRun', runId: 'r', ...said }, false],
      [cancel, false],
    ];
    for (const [command] of words) await leaveCommand(data, command);
    const { accepted, rejected } = await taken(path.join(data, 'spool'), 'PodsExec');
    const uid = process.getuid?.();
    const allowed = words.filter(([, isAllowed]) => isAllowed).map(([command]) => command);
    const types = (commands: readonly Command[]) => commands.map(({ type }) => type).toSorted();
    expect(types(accepted)).toEqual(types(allowed));
    expect(accepted).toContainEqual({ ...words[0]?.[0], knownBy: { how: 'PodsExec', uid } });
    expect(rejected).toHaveLength(words.length - allowed.length);
    expect(rejected.join('\n')).toContain(
      'CancelRun is not taken over pods/exec: people decide on Tasks at the API server, with rights of their own',
    );
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
