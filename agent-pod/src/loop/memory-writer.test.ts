import { describe, expect, it } from 'vitest';
import type { NewRecord } from '@retainer/journal/journal';
import { verifies } from '../../../test/verifies.ts';
import { dreamStore } from '@retainer/mind/archive/dream-event';
import { WRITERS, type PartStore } from '@retainer/mind/part/store';
import { storesOfParts } from '@retainer/mind/parts/derived';
import { inboxStore } from '@retainer/mind/run/inbox';
import { MemoryWriter } from './memory-writer.ts';
import { agentStores } from './stores.ts';

const megram = {
  id: 'm',
  level: 'M',
  createdAtMs: 1,
  space: 'tool:t',
  entity: 'path:p',
  content: 'c',
  state: 'Accept',
  sigma: 1,
  f: 0.9,
  k: 0.05,
} as const;

function writer(): { readonly written: NewRecord[]; readonly memory: MemoryWriter } {
  const written: NewRecord[] = [];
  const memory = new MemoryWriter((records) => {
    written.push(...records);
    return Promise.resolve();
  });
  return { written, memory };
}

/** Written by a machine of its own, or by the start of the agent. */
const otherStores = new Set(['run', 'cycle', 'agent', 'archive']);

const tables: readonly PartStore[] = [inboxStore, dreamStore, ...storesOfParts];

describe('the one writer of memory', () => {
  verifies('memory:one-writer', 'records what the row of the writer names, with its principal', async () => {
    const { written, memory } = writer();
    const own = { source: { kind: 'Task' }, trust: 'Trusted', readers: ['owner'] } as const;
    await memory.write('Steerer', [
      { store: 'megram', kind: 'MegramWritten', payload: { megram, label: own }, runId: 'r' },
    ]);
    const report = { path: 'a', digest: 'd', sizeBytes: 1, trusted: true, by: 'ada' };
    await memory.write('Person', [{ store: 'file', kind: 'FileTrusted', payload: report, by: 'ada' }]);
    expect(written.map(({ kind, principal }) => [kind, principal])).toEqual([
      ['MegramWritten', 'agent'],
      ['FileTrusted', 'human:ada'],
    ]);
  });

  verifies('memory:one-writer', 'records what is for several stores in its order, one append for each', async () => {
    const appends: (readonly string[])[] = [];
    const memory = new MemoryWriter((records) => {
      appends.push(records.map(({ store, kind }) => `${store} ${kind}`));
      return Promise.resolve();
    });
    const cancelled = { store: 'job', kind: 'JobCancelled', payload: { jobId: 'j', reason: 'x' } };
    const session = { endeavourId: 'e', sessionId: 's1', reason: 'x' };
    const other = { store: 'work', kind: 'SessionCancelled', payload: session };
    await memory.writeAny('Tools', [cancelled, cancelled, other]);
    expect(appends).toEqual([['job JobCancelled', 'job JobCancelled'], ['work SessionCancelled']]);
  });

  verifies('memory:one-writer', 'refuses every other kind, and writes nothing of the same call', async () => {
    const { written, memory } = writer();
    const fact = { store: 'fact', kind: 'FactWritten', payload: { key: 'k', value: 'v', callId: 'c' } } as const;
    // @ts-expect-error  a tool writes no megram
    const refused = memory.write('Tools', [fact, { store: 'megram', kind: 'MegramWritten', payload: { megram } }]);
    await expect(refused).rejects.toThrow('memory takes no MegramWritten of store megram from Tools');
    // @ts-expect-error  the steering step writes no fact
    await expect(memory.write('Steerer', [fact])).rejects.toThrow('memory takes no FactWritten');
    expect(written).toEqual([]);
  });

  for (const { name, kinds } of agentStores)
    if (!otherStores.has(name))
      it(`knows who writes each kind of store ${name}`, () => {
        const written = new Set(
          tables.filter((it) => it.name === name).flatMap(({ writers }) => Object.values(writers).flat()),
        );
        expect(Object.keys(kinds).filter((kind) => !written.has(kind))).toEqual([]);
      });

  it('lets the steering step write megrams, persons teach and endorse, and the Dreamer make rules and forget', () => {
    const writing = Object.keys(WRITERS).flatMap((name) =>
      tables
        .filter((it) => it.name === 'megram')
        .flatMap(({ writers }) => (writers[name as keyof typeof WRITERS] ?? []).map((kind) => [name, kind])),
    );
    expect(writing).toEqual([
      ['Steerer', 'MegramWritten'],
      ['Steerer', 'MegramRecalled'],
      ['Dreamer', 'MegramWritten'],
      ['Dreamer', 'MegramPromoted'],
      ['Dreamer', 'MegramDoubted'],
      ['Dreamer', 'MegramConsolidated'],
      ['Dreamer', 'MegramDemoted'],
      ['Dreamer', 'MegramForgotten'],
      ['Person', 'MegramLearned'],
      ['Person', 'MegramForgotten'],
      ['Person', 'MegramEndorsed'],
    ]);
  });
});
