/**
 * The runner as the first process of a pid namespace and as an ordinary user, as in a pod: only then it can kill all others,
 * is safe from their signals, and the kernel counts its processes. Needs root, to make the namespace.
 */
import { chmodSync, chownSync } from 'node:fs';
import { afterEach, describe, expect } from 'vitest';
import { ABUSE_LIMITS, ABUSE_SCRIPTS } from '../support/abuse-scripts.ts';
import { RunnerClaimant } from '../support/runner-claimant.ts';
import { startRunnerProcess, type RunnerProcess } from '../support/runner-process.ts';
import { keyPair } from '../support/signed-runner-request.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const key = keyPair();
/** Nobody's, so that the limit of processes counts these alone. */
const UID = 64_321;
/** Row 23 allows 5 s for what outlives its deadline; a busy machine adds the rest. */
const GRACE_MS = 20_000;
const limits = { ...ABUSE_LIMITS };

let runner: RunnerProcess | undefined;
afterEach(async () => {
  await runner?.end();
});

describe.runIf(process.getuid?.() === 0)('sandboxes of one user', () => {
  const { scratchBytes } = ABUSE_LIMITS;
  const config = { claimantKey: key.publicKey, scratchBytes, userSandboxes: 4 };
  let directories: ReturnType<typeof temporaryDirectory>[] = [];
  let runners: RunnerProcess[] = [];
  afterEach(async () => {
    await Promise.all(runners.map((each) => each.end()));
    await Promise.all(directories.map((each) => each.remove()));
    [directories, runners] = [[], []];
  });

  async function start(): Promise<RunnerClaimant> {
    const directory = temporaryDirectory();
    directories.push(directory);
    chmodSync(directory.path, 0o777);
    chownSync(directory.path, UID, UID);
    const started = await startRunnerProcess(directory.path, config, UID);
    runners.push(started);
    return new RunnerClaimant(started.port, key);
  }

  verifies('sandbox-runner:counts-one-sandbox', 'is killed above its limit, not above that of all', async () => {
    const claimant = await start();
    const script = 'for i in $(seq 100); do sleep 30 & done 2>/dev/null; sleep 20';
    const { ended } = await claimant.whole(script, { timeoutMs: 15_000, limits });
    expect(ended).toMatchObject({ end: 'Killed', reason: expect.stringContaining('64 processes and threads') });
  });

  verifies('sandbox-runner:counts-one-sandbox', 'runs beside one that uses its whole limit', async () => {
    const [greedy, other] = [await start(), await start()];
    const script = 'for i in $(seq 60); do sleep 30 & done; echo up; sleep 20';
    const busy = greedy.whole(script, { timeoutMs: 8000, limits });
    const { ended } = await other.whole('sleep 3; for i in $(seq 30); do sleep 1 & done; wait', { limits });
    expect(ended).toMatchObject({ end: 'Exited', exitCode: 0 });
    expect((await busy).ended).toMatchObject({ end: 'TimedOut' });
  });
});

describe.runIf(process.getuid?.() === 0)('the first process', () => {
  for (const abuse of ABUSE_SCRIPTS.filter(({ needs }) => needs !== 'Pod')) {
    verifies('sandbox-runner:kills-all-others', `outlives ${abuse.name}`, async () => {
      const directory = temporaryDirectory();
      chmodSync(directory.path, 0o777);
      chownSync(directory.path, UID, UID);
      const { scratchBytes } = ABUSE_LIMITS;
      runner = await startRunnerProcess(directory.path, { claimantKey: key.publicKey, scratchBytes }, UID);
      const claimant = new RunnerClaimant(runner.port, key);
      const { language, timeoutMs } = abuse;
      const { ended } = await claimant.whole(abuse.script, { language, timeoutMs, limits });
      expect(ended).toMatchObject({
        end: abuse.end,
        ...(abuse.reason === undefined ? {} : { reason: expect.stringContaining(abuse.reason) }),
      });
      expect(ended.durationMs).toBeLessThan(timeoutMs + GRACE_MS);
      expect((await claimant.send('/stop')).status).toBe(204);
      expect(await runner.ended).toBe(0);
      await directory.remove();
    });
  }
});
