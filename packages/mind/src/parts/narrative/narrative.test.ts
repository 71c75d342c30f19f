import type { Json } from '@retainer/contract/std/canonical-json';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { readOlder } from '../../../../../test/support/older-record.ts';
import { verifies } from '../../../../../test/verifies.ts';
import type { Label } from '../../gate/provenance/label.ts';
import { NARRATIVE_WINDOW, narrativeKinds, newestOf, newestRuns, wordsOfRun, type RememberedRun } from './narrative.ts';

const label: Label = { source: { kind: 'Web' }, trust: 'Untrusted', readers: 'Everyone' };
const task = { namespace: 'n', name: 't' };
const counted = {
  conversation: 'tasks',
  task,
  intent: 'Sum.',
  outcome: 'Accepted',
  tools: ['bash'],
  tokens: 7,
  startedAtMs: 1,
  endedAtMs: 2,
};
const about = { intent: 'sum', domain: '', keywords: [], entities: [], topics: [], label, by: 'm' };
const reflected = { prose: 'The sum is 7.', status: 'Full' as const, ...about };

function folded(records: readonly (readonly [kind: string, payload: unknown])[]): readonly RememberedRun[] {
  const runs = newestRuns.start();
  for (const [seq, [kind, payload]] of records.entries())
    newestRuns.take(runs, { store: 'narrative', kind, seq, timeMs: seq, runId: 'r', payload: payload as Json });
  return runs.runs;
}

describe('the narrative', () => {
  verifies('memory:entry-is-telemetry', 'reads an entry of version 1, words included', () => {
    const older = { ...counted, summary: 'It is 7.', unmet: ['x'], reasons: ['No header.'] };
    const entry = narrativeKinds.RunRemembered.parse(readOlder('RunRemembered', 1, older));
    expect(entry).toMatchObject({ ...counted, words: { summary: 'It is 7.', unmet: ['x'], reasons: ['No header.'] } });
    expect(wordsOfRun(entry)).toEqual({ text: 'No header. It is 7.', label: entry.label });
  });

  verifies('memory:entry-is-telemetry', 'says nothing of a run before somebody reflected on it', () => {
    const [run] = folded([['RunRemembered', { ...counted, label }]]);
    expect(run === undefined || wordsOfRun(run)).toBeUndefined();
    const [after] = folded([
      ['RunRemembered', { ...counted, label }],
      ['RunReflected', reflected],
    ]);
    expect(after === undefined ? undefined : wordsOfRun(after)).toEqual({ text: 'The sum is 7.', label });
  });

  verifies('memory:entry-is-telemetry', 'believes, or forgets, all of a run at a person’s word', () => {
    const amended = (as: string) => ['RunAmended', { as, by: 'ada', reason: 'x' }] as const;
    const entry = ['RunRemembered', { ...counted, label }] as const;
    const [run] = folded([entry, ['RunReflected', reflected], amended('Endorsed')]);
    const trusted = { source: { kind: 'Person', name: 'ada' }, trust: 'Trusted', readers: 'Everyone' };
    expect([run?.label, run?.reflected?.label]).toEqual([trusted, trusted]);
    expect(folded([entry, amended('Forgotten'), ['RunReflected', reflected]])).toEqual([]);
    // Who believed the entry had not seen these words.
    expect(folded([entry, amended('Endorsed'), ['RunReflected', reflected]])[0]?.reflected?.label).toEqual(label);
  });
});

type Newest = ReturnType<typeof newestRuns.start>;

/** Runs of these conversations, one after the other, from a number on. */
function narrated(conversations: readonly string[], from = 0): Newest {
  const state = newestRuns.start();
  for (const [at, conversation] of conversations.entries()) {
    const seq = from + at;
    const payload = { ...counted, label, conversation } as unknown as Json;
    newestRuns.take(state, { store: 'narrative', kind: 'RunRemembered', seq, timeMs: seq, runId: `r${seq}`, payload });
  }
  return state;
}

const idsOf = (state: Newest, conversation: string): readonly (string | undefined)[] =>
  newestOf(state, conversation).map(({ runId }) => runId);

describe('the newest runs of a conversation', () => {
  verifies('cause:session-of-its-own', 'are found, whatever other ones came in between, and no other is', () => {
    const conversation = fc.constantFrom('tasks', 'job/a', 'job/b', 'job/c');
    fc.assert(
      fc.property(fc.array(conversation, { maxLength: 60 }), (conversations) => {
        const state = narrated(conversations);
        for (const name of new Set(conversations)) {
          const own = conversations.flatMap((it, at) => (it === name ? [`r${at}`] : []));
          expect(idsOf(state, name)).toEqual(own.slice(-8));
        }
      }),
    );
  });

  verifies(
    'cause:session-of-its-own',
    'are found behind 990 runs of a busy job, and a start of years finds the same',
    () => {
      const busy = Array.from({ length: 2 * NARRATIVE_WINDOW.lastRecords }, () => 'job/a');
      const life = [...busy, 'tasks', ...busy.slice(0, 990)];
      const task = `r${busy.length}`;
      expect(idsOf(narrated(life), 'tasks')).toEqual([task]);
      const from = life.length - NARRATIVE_WINDOW.lastRecords;
      const windowed = narrated(life.slice(from), from);
      for (const name of ['tasks', 'job/a']) expect(idsOf(windowed, name)).toEqual(idsOf(narrated(life), name));
    },
  );

  verifies('cause:session-of-its-own', 'take bounded memory, however many conversations there are', () => {
    const life = Array.from({ length: 3_000 }, (_, at) => `job/${at}`);
    const state = narrated(life);
    expect(state.runs).toHaveLength(1_000);
    expect(idsOf(state, 'job/1999')).toEqual([]);
    expect(idsOf(state, 'job/2000')).toEqual(['r2000']);
  });
});
