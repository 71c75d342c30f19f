/** Runs as trees of their cycles, from the record of real ones. */
import { beforeAll, describe, expect } from 'vitest';
import { callReader, spendingOf } from '@retainer/mind/explain/spending';
import { nodesOf, type CycleNode } from '@retainer/mind/projections/cycle-nodes';
import { scripted } from '../support/agents.ts';
import { archivist, withArchivist } from '../support/archivist.ts';
import { play, World } from '../support/crash-world.ts';
import { MemoryJournal } from '../support/memory-journal.ts';
import { roundScript, startRound } from '../support/round-script.ts';
import { verifies } from '../verifies.ts';

const DAY_MS = 86_400_000;

/** Each node as its names from the run down. */
function paths(nodes: readonly CycleNode[]): readonly string[] {
  const byId = new Map(nodes.map((it) => [it.id, it]));
  const pathOf = ({ name, parentId }: CycleNode): string => {
    const parent = byId.get(parentId ?? '');
    return parent === undefined ? name : `${pathOf(parent)}/${name}`;
  };
  return nodes.map(pathOf);
}

describe('the nodes of a run of two rounds', () => {
  const journal = new MemoryJournal();

  beforeAll(async () => {
    const world = new World();
    world.archivist = archivist;
    const model = await scripted(withArchivist(roundScript, { prose: 'All is done.' }));
    await play(journal, world, model, startRound('planned', { maxReplans: 1, fastLoop: { maxRetries: 0 } }));
  });

  verifies('memory:cycle-nodes', 'are a tree: who worked for whom, and what each called and came to', () => {
    const nodes = nodesOf(journal.records);
    const [root] = nodes;
    expect(root).toMatchObject({ type: 'Run', name: 'work', outcome: 'Accepted' });
    expect(paths(nodes)).toEqual(
      expect.arrayContaining([
        'work/perceiver',
        'work/perceiver/planner',
        'work/perceiver/planner/executor',
        'work/perceiver/planner/executor/agent-validator',
        'work/archivist',
      ]),
    );
    expect(nodes.filter(({ parentId }) => parentId === undefined)).toHaveLength(1);
    const worked = nodes.filter(({ name }) => name === 'executor');
    expect(worked.flatMap(({ calls }) => calls.map(({ tool, status }) => `${tool} ${status}`))).toContain('look Ok');
    expect(worked.every(({ gates }) => gates.some(({ gate }) => gate === 'Tool'))).toBe(true);
    expect(nodes.every(({ endedAtMs, outcome }) => endedAtMs !== undefined && outcome !== 'Pending')).toBe(true);
  });

  verifies('memory:cycle-nodes', 'add up to what was spent, to the token', () => {
    const [root, ...others] = nodesOf(journal.records);
    const prices = { models: [], costOf: () => undefined };
    const { total } = spendingOf(journal.records.flatMap(callReader()), prices);
    expect(root?.total.usage).toEqual(total.usage);
    expect(root?.total.answers).toBe(total.calls);
    expect(root?.own.answers).toBe(0);
    expect(others.reduce((sum, { own }) => sum + own.answers, 0)).toBe(total.calls);
  });

  verifies('memory:cycle-nodes', 'are there while they run, and only grow', () => {
    let before: readonly CycleNode[] = [];
    for (let length = 1; length <= journal.records.length; length += 1) {
      const nodes = nodesOf(journal.records.slice(0, length));
      expect(nodes.map(({ id }) => id).slice(0, before.length)).toEqual(before.map(({ id }) => id));
      expect(nodes[0]?.total.answers ?? 0).toBeGreaterThanOrEqual(before[0]?.total.answers ?? 0);
      before = nodes;
    }
    const started = journal.records.findIndex(({ kind }) => kind === 'ToolRequested');
    const running = nodesOf(journal.records.slice(0, started + 1));
    expect(running[0]).toMatchObject({ outcome: 'Pending' });
    expect(running.some(({ calls }) => calls.some(({ status }) => status === 'Pending'))).toBe(true);
  });

  verifies('memory:cycle-nodes', 'are the same where midnight falls into the run', () => {
    const half = journal.records.length / 2;
    const over = journal.records.map((it, at) => (at < half ? it : { ...it, timeMs: it.timeMs + DAY_MS }));
    expect(paths(nodesOf(over))).toEqual(paths(nodesOf(journal.records)));
    expect(nodesOf(over)[0]?.total).toEqual(nodesOf(journal.records)[0]?.total);
  });
});
