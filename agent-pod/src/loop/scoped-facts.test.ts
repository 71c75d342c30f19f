import { describe, expect } from 'vitest';
import { forgetRun } from '@retainer/mind/projections/open-work';
import { manualClock } from '../../../test/support/manual-clock.ts';
import { MemoryJournal } from '../../../test/support/memory-journal.ts';
import { verifies } from '../../../test/verifies.ts';
import { AgentMemory } from './agent-memory.ts';

const own = { source: { kind: 'Task' }, trust: 'Trusted', readers: ['owner'] } as const;
const claim = {
  value: 'v',
  confidence: 0.9,
  derivation: 'DirectObservation',
  evidence: [],
  callId: 'c',
  label: own,
} as const;

/** A run that is open, one that is closed, and what each wrote. */
async function remembering(): Promise<AgentMemory> {
  const journal = new MemoryJournal();
  for (const runId of ['open', 'closed']) {
    await journal.append([{ store: 'run', kind: 'RunAdmitted', principal: 'agent', payload: {}, runId }]);
    for (const scope of ['Persistent', 'Run', 'Cycle'])
      await journal.append([
        {
          store: 'fact',
          kind: 'FactWritten',
          principal: 'agent',
          payload: { ...claim, key: `${runId}.${scope}`, scope },
          runId,
          cycleId: `${runId}-c`,
        },
      ]);
  }
  await journal.append([{ store: 'run', kind: 'RunClosed', principal: 'agent', payload: {}, runId: 'closed' }]);
  const memory = new AgentMemory({ journal, redact: (text) => text, clock: manualClock() });
  await memory.fold({}, 0);
  return memory;
}

const keys = ({ known }: AgentMemory): readonly string[] => [...known.facts.held.values()].map(({ key }) => key);

describe('a fact of a run or a cycle', () => {
  verifies('memory:fact-scopes', 'is not known any more after a start, when its run is closed', async () => {
    expect(keys(await remembering())).toEqual(['open.Persistent', 'open.Run', 'open.Cycle', 'closed.Persistent']);
  });

  verifies('memory:fact-scopes', 'goes with its run, which leaves nothing that counts', async () => {
    const memory = await remembering();
    forgetRun(memory.known, 'open');
    expect(keys(memory)).toEqual(['open.Persistent', 'closed.Persistent']);
    expect(memory.known.facts.left).toBe(0);
  });
});
