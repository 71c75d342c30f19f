import { describe, expect } from 'vitest';
import { ArtifactIndex } from '@retainer/mind/parts/artifacts/artifacts';
import { manualClock } from '../../../test/support/manual-clock.ts';
import { MemoryJournal } from '../../../test/support/memory-journal.ts';
import { verifies } from '../../../test/verifies.ts';
import { AgentMemory } from './agent-memory.ts';
import { readArtifact } from './read-artifact.ts';

const web = { source: { kind: 'Web' }, trust: 'Untrusted', readers: 'Everyone' } as const;
const called = { runId: 'r', cycleId: 'c', tool: 'fetch_url', truncated: false };

async function remembering() {
  const journal = new MemoryJournal();
  const redact = (text: string): string => text.replaceAll('hunter2', '[secret]');
  const memory = new AgentMemory({ journal, redact, clock: manualClock() });
  await memory.fold({}, 0);
  return { journal, memory };
}

describe('an artifact', () => {
  verifies('memory:artifacts', 'is kept once, with the call that brought it and without secrets', async () => {
    const { journal, memory } = await remembering();
    const url = 'https://a.example/?key=hunter2';
    const first = await memory.artifacts.put({ ...called, text: 'key hunter2\nmore', label: web, url });
    const again = await memory.artifacts.put({ ...called, text: 'key hunter2\nmore', tool: 'bash' });
    expect(again).toBe(first);
    expect(journal.records).toMatchObject([
      {
        runId: 'r',
        cycleId: 'c',
        payload: {
          tool: 'fetch_url',
          url: 'https://a.example/?key=[secret]',
          summary: 'key [secret] more',
          text: 'key [secret]\nmore',
          truncated: false,
          label: web,
        },
      },
    ]);
    expect(memory.known.artifacts.get(first)).toMatchObject({ tool: 'fetch_url', runId: 'r', label: web });
  });

  verifies(
    'memory:artifacts',
    'is read when it is indexed, when it no longer is, and never when it is not there',
    async () => {
      const { journal, memory } = await remembering();
      const ids: string[] = [];
      for (const text of ['one', 'two']) ids.push(await memory.artifacts.put({ ...called, text, label: web }));
      const [one = '', two = ''] = ids;
      expect(await memory.artifacts.read(two)).toEqual({ text: 'two', label: web });
      const forgetful = new ArtifactIndex();
      expect(await readArtifact(journal, forgetful, one)).toBeUndefined();
      forgetful.left = 2;
      expect(await readArtifact(journal, forgetful, one)).toEqual({ text: 'one', label: web });
      expect(await readArtifact(journal, forgetful, 'none')).toBeUndefined();
    },
  );
});
