/** A run whose messages went over a bus, as version 1 of its records has it: recorded by the last version that did so. */
import { testTools } from '../support/known-tools.ts';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '@retainer/contract/std/canonical-json';
import type { JournalRecord } from '@retainer/journal/journal';
import type { ModelPort } from '@retainer/agent-pod/ports/ports';
import { runMachine } from '@retainer/agent-pod/loop/run-driver';
import { replayMachine } from '@retainer/mind/replay/replay-machine';
import type { RunEvent } from '@retainer/mind/run/event';
import { scripted } from '../support/agents.ts';
import { crashLabel, expectNoEffectTwice, expectOneDelivery } from '../support/crash-labels.ts';
import { play, World, worldAt } from '../support/crash-world.ts';
import { MemoryJournal } from '../support/memory-journal.ts';
import { readOlder } from '../support/older-record.ts';
import { oneChangeRun, oneChangeScript } from '../support/runs.ts';
import { verifies } from '../verifies.ts';

const lines = readFileSync(new URL('../golden/older-run.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n');
const written = lines.map((line) => JSON.parse(line) as JournalRecord);
/** As a reader of the journal has them. */
const records = written.map((record) => ({ ...record, payload: read(record) }));

function read({ kind, version, payload }: JournalRecord): Json {
  return readOlder(kind, version, payload);
}

const arrivals = [{ originId: 'task:work', command: { type: 'StartRun', spec: oneChangeRun('r') } }] as const;
const countOf = (journal: readonly JournalRecord[], kind: string): number =>
  journal.filter((it) => it.kind === kind).length;

describe('a run of an older version', () => {
  let model: ModelPort;
  const end = new World();

  beforeAll(async () => {
    model = await scripted(oneChangeScript);
    await play(new MemoryJournal(), end, model, arrivals);
  });

  it('has one message in each record that sends', () => {
    const sent = written.filter(({ kind }) => kind === 'MessageSent');
    expect(sent.length).toBeGreaterThan(10);
    for (const { version, payload } of sent) {
      const { message } = payload as { readonly message: Json };
      const as = { store: 'run', kind: 'MessageSent', version, payload } as JournalRecord;
      expect(read(as)).toEqual({ messages: [message] });
    }
    expect(countOf(written, 'MessageReceived')).toBe(sent.length);
  });

  verifies('run:older-records', 'replays to the same bytes, but for what its cycles share', () => {
    const recorded = records
      .filter(({ store }) => store === 'run')
      .map(({ kind, payload, store, seq, order, epoch }) => {
        const event = { kind, ...(payload as object) } as RunEvent;
        return { event, store, seq, order, epoch };
      });
    const { divergence, decidedOtherwise } = replayMachine(() => runMachine(testTools), recorded);
    expect(divergence).toBeUndefined();
    // Requests of a cycle had nothing in common with others of its run.
    const places = decidedOtherwise.map(({ kind, path }) => `${kind} at ${path}`);
    expect(new Set(places)).toEqual(new Set(['CycleRequested at spec.shared.task']));
  });

  verifies(
    'run:older-records',
    'goes on from every prefix of its record: one delivery, each message once',
    async () => {
      for (let length = 0; length <= records.length; length += 1) {
        const prefix = records.slice(0, length);
        const journal = new MemoryJournal(prefix);
        const world = worldAt(prefix, end, 'DoneAndUnknown');
        await play(journal, world, model, arrivals);
        const label = crashLabel(prefix);
        expectOneDelivery(world, label);
        expect(world.deliveries[0]?.body, label).toMatchObject({ outcome: 'Succeeded' });
        expectNoEffectTwice(world, label);
        const ids = journal.records.flatMap(({ kind, payload }) =>
          kind === 'MessageSent'
            ? (payload as unknown as { messages: { id: string }[] }).messages.map(({ id }) => id)
            : [],
        );
        expect(ids, label).toEqual(ids.map((_, index) => `r-m${index + 1}`));
        const received = journal.records.flatMap(({ kind, payload }) =>
          kind === 'MessageReceived' ? [(payload as { readonly messageId: string }).messageId] : [],
        );
        expect(new Set(received).size, label).toBe(received.length);
      }
    },
  );
});
