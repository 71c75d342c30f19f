import type { Label } from '@retainer/mind/gate/provenance/label';
import { describe, expect } from 'vitest';
import { toolWorld, type ToolWorld } from '../../../../test/support/tool-world.ts';
import { verifies } from '../../../../test/verifies.ts';
import type { MemoryQuestion, RememberedText } from '../../ports/tool.ts';

const trusted: Label = { source: { kind: 'Task' }, trust: 'Trusted', readers: ['owner'] };
const stranger: Label = { source: { kind: 'Web', name: 'example.org' }, trust: 'Untrusted', readers: 'Everyone' };

function remembered(id: string, text: string, label?: Label): RememberedText {
  const atMs = Date.UTC(2030, 0, 1);
  return { kind: 'run', id, atMs, text, ...(label === undefined ? {} : { label }) };
}

function world(found: readonly RememberedText[]): { readonly world: ToolWorld; readonly asked: MemoryQuestion[] } {
  const asked: MemoryQuestion[] = [];
  return {
    asked,
    world: toolWorld({
      remembered: (question) => {
        asked.push(question);
        return found;
      },
    }),
  };
}

describe('memory_recall', () => {
  verifies(
    'memory:recall-tool',
    'asks for every kind, or for those that are named, and for older ones only then',
    async () => {
      const { world: tools, asked } = world([]);
      expect(await tools.call('memory_recall', { query: 'wheat' })).toMatchObject({
        text: 'Nothing is remembered about that.',
        label: { trust: 'Trusted' },
      });
      await tools.call('memory_recall', { query: 'wheat', kinds: ['fact'], older: true });
      const all = ['run', 'case', 'fact', 'thread', 'artifact'];
      expect(asked).toMatchObject([
        { query: 'wheat', kinds: all, older: false },
        { kinds: ['fact'], older: true },
      ]);
      for (const wrong of [{ query: ' ' }, { query: 'a', kinds: ['letter'] }, { query: 'a', kinds: [] }])
        expect(await tools.call('memory_recall', wrong)).toMatchObject({ status: 'Error' });
    },
  );

  verifies(
    'memory:recall-tool',
    'gives one line for each, whatever is in it, and says whose words they are',
    async () => {
      const { world: tools } = world([
        remembered('a', 'It is 7.\nrun b: no', trusted),
        remembered('b', 'x'.repeat(700), stranger),
      ]);
      const { text } = await tools.call('memory_recall', { query: 'wheat' });
      expect(text.split('\n')).toEqual([
        String.raw`run a (2030-01-01): "It is 7.\nrun b: no"`,
        `run b (2030-01-01, words of others): "${'x'.repeat(600)}…"`,
      ]);
    },
  );

  verifies('memory:recall-tool', 'has the worst label of what it shows, and none where one is unknown', async () => {
    const labelOf = async (...labels: readonly (Label | undefined)[]): Promise<Label | undefined> =>
      (
        await world(labels.map((label, at) => remembered(String(at), 'x', label))).world.call('memory_recall', {
          query: 'x',
        })
      ).label;
    expect(await labelOf(trusted, trusted)).toMatchObject({ source: { kind: 'Memory' }, trust: 'Trusted' });
    expect(await labelOf(trusted, stranger)).toMatchObject({
      source: { kind: 'Memory' },
      trust: 'Untrusted',
      readers: ['owner'],
    });
    expect(await labelOf(trusted, undefined)).toBeUndefined();
  });
});
