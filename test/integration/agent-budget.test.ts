/** The budgets of an Agent's manifest, on the whole agent with a real record, over a restart. */
import { expect } from 'vitest';
import type { OpenedAgent } from '@retainer/agent-pod/open-agent';
import { agentDefinition, inTemporaryDirectory, task } from '../support/agents.ts';
import { greedyModel, type GreedyModel } from '../support/greedy-model.ts';
import { verifies } from '../verifies.ts';
import { openedAgent } from '../support/opened-agent.ts';

const TOKENS = 60_000;

async function open(dataDirectory: string, model: GreedyModel, more: object = {}): Promise<OpenedAgent> {
  return await openedAgent({
    definition: agentDefinition({
      budgets: { tokensPerDay: TOKENS },
      limits: { turnsPerCycle: 200, outputTokensPerCall: 1000 },
      ...more,
    }),
    dataDirectory,
    model,
  });
}

async function worked(agent: OpenedAgent, name: string): Promise<string> {
  const { runId } = await agent.submitTask(task(name, `Do ${name}.`), 'test');
  const { concluded } = await agent.runtime.closed(runId);
  return `${concluded?.outcome}: ${concluded?.reasons.join('; ')}`;
}

verifies(
  'budget:survives-kill',
  'the manifest’s budget ends a run, and holds after a restart from the disk',
  async () => {
    await inTemporaryDirectory(async (dataDirectory) => {
      const model = greedyModel(1, (call) => ({ name: 'memory_write', input: { key: `k${call}`, value: `v${call}` } }));
      const agent = await open(dataDirectory, model);
      expect(await worked(agent, 'first')).toMatch(/^Abandoned: .*budgets\.tokensPerDay of the Agent is 60000/);
      await agent.runtime.archived();
      const used = agent.runtime.budgets();
      expect(used).toContainEqual(expect.objectContaining({ field: 'tokensPerDay', used: model.usedTokens }));
      await agent.close();
      const again = await open(dataDirectory, model);
      expect(again.runtime.budgets()).toEqual(used);
      expect(await worked(again, 'second')).toMatch(/^Abandoned: .*budgets\.tokensPerDay/);
      expect(model.usedTokens).toBeLessThanOrEqual(TOKENS);
      await again.close();
    });
  },
);

verifies(
  'cycle:money-bounded-before-the-call',
  'the money of a Task is not exceeded by its last call either',
  async () => {
    await inTemporaryDirectory(async (dataDirectory) => {
      const model = greedyModel(1, (call) => ({ name: 'memory_write', input: { key: `k${call}`, value: `v${call}` } }));
      const dear = { model: 'dear', input: 100, output: 1000 };
      const models = { provider: 'Scripted', script: 's.yaml', fast: 'dear', capable: 'dear', prices: [dear] };
      const agent = await open(dataDirectory, model, { models });
      const costUsd = 3;
      const work = task('work', 'Do the work.', { budget: { costUsd } });
      const { runId } = await agent.submitTask(work, 'test');
      const { concluded } = await agent.runtime.closed(runId);
      expect(concluded).toMatchObject({ outcome: 'Abandoned', isCostComplete: true });
      // The executor leaves a part for whoever would judge its work.
      expect(concluded?.costUsd).toBeGreaterThan(costUsd / 2);
      expect(concluded?.costUsd).toBeLessThanOrEqual(costUsd);
      await agent.close();
    });
  },
);
