/** `spec.sandbox.pool` from the Agent, through what the operator mounts, to what the agent runs at the same time. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect } from 'vitest';
import { readBoot } from '@retainer/agent-pod/boot/read-boot';
import { concurrentMax, type ConcurrentMax } from '@retainer/agent-pod/sandbox/cluster/concurrent-max';
import { desiredAgent } from '@retainer/operator/desired/agent/index';
import { inTemporaryDirectory } from '../support/agents.ts';
import { observedAgent, settings } from '../support/observed-agent.ts';
import { verifies } from '../verifies.ts';

/** An agent that was started with what the operator made of this sandbox. */
async function started(sandbox: object): Promise<ConcurrentMax> {
  const { documents } = desiredAgent(observedAgent({ sandbox }), settings, undefined);
  if (documents === undefined) throw new Error('the example lacks a document');
  const { config, character, skills, digests } = documents;
  return inTemporaryDirectory(async (directory) => {
    const files = [config, character].map(({ file, text }) => [join(directory, 'boot', file), text] as const);
    const pages = skills.map(({ file, text }) => [join(directory, 'skills', file), text] as const);
    for (const [path, text] of [...files, ...pages]) {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
    }
    const { agent } = await readBoot({
      bootDirectory: join(directory, 'boot'),
      skillsDirectory: join(directory, 'skills'),
      digests,
    });
    return concurrentMax(agent.spec.sandbox);
  });
}

describe('the pool of an Agent', () => {
  for (const { pool, serve = true, max } of [
    { pool: { maxConcurrent: 1 }, max: { besideMax: 1, servedMax: 1 } },
    { pool: {}, max: { besideMax: 2, servedMax: 1 } },
    { pool: { size: 3, maxConcurrent: 4 }, max: { besideMax: 4, servedMax: 3 } },
    { pool: { maxConcurrent: 64 }, max: { besideMax: 64, servedMax: 5 } },
    { pool: { maxConcurrent: 4 }, serve: false, max: { besideMax: 4 } },
  ])
    verifies(
      'agent-cluster:pool-in-force',
      `${JSON.stringify({ pool, serve })} is what its agent goes by`,
      async () => {
        expect(await started({ pool, serve })).toEqual(max);
      },
    );
});
