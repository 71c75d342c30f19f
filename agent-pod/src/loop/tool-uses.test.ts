import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { compileGate } from '@retainer/mind/gate/compile-gate';
import type { CharacterPolicy } from '@retainer/mind/gate/character-policy';
import { CycleUnderTest } from '../../../test/support/cycles.ts';
import { toolWorld } from '../../../test/support/tool-world.ts';
import { verifies } from '../../../test/verifies.ts';
import { usesKnownHere } from './tool-uses.ts';

const asking: CharacterPolicy = {
  gatePolicies: {
    tool: { rules: [{ id: 'x', pattern: 'deploy', verdict: 'Escalate', reason: 'Look first.' }] },
  },
};

/** What is recorded of a program that names a file. */
async function standingOf(policy: CharacterPolicy, spec: ConstructorParameters<typeof CycleUnderTest>[0] = {}) {
  const world = toolWorld({ policy });
  writeFileSync(join(world.workspace, 'deploy.sh'), 'echo one');
  const gate = compileGate(policy, 'c'.repeat(64), world.registry.known);
  if (!gate.ok) throw new Error(gate.error.join('; '));
  const config = { gate: gate.value, catalog: world.registry };
  const { now } = new CycleUnderTest({ tools: ['bash'], ...spec }, { config });
  const input = { script: 'sh deploy.sh' };
  const answer = {
    content: [{ type: 'ToolUse' as const, id: 'u', name: 'bash', input }],
    stop: 'ToolUse' as const,
    usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
    model: 'm',
    latencyMs: 1,
    attempts: 1,
  };
  const parts = { holdsSecret: () => false, executor: world.executor, config };
  return (await usesKnownHere(answer, parts, () => undefined, now)).standing?.map(({ named }) => named?.shown[0]?.path);
}

verifies('approvals:named-files', 'are looked for where a person may be asked, and nowhere else', async () => {
  expect(await standingOf(asking)).toEqual(['deploy.sh']);
  expect(await standingOf({}, { approvalMode: 'EveryEffect' })).toEqual(['deploy.sh']);
  expect(await standingOf({})).toBeUndefined();
});
