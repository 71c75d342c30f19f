import type { Json } from '@retainer/contract/std/canonical-json';
import { describe, expect } from 'vitest';
import { readOlder } from '../../../../../test/support/older-record.ts';
import { verifies } from '../../../../../test/verifies.ts';
import type { Label } from '../../gate/provenance/label.ts';
import { narrativeKinds, newestRuns, wordsOfRun, type RememberedRun } from './narrative.ts';

const label: Label = { source: { kind: 'Web' }, trust: 'Untrusted', readers: 'Everyone' };
const task = { namespace: 'n', name: 't' };
const counted = { task, intent: 'Sum.', outcome: 'Accepted', tools: ['bash'], tokens: 7, startedAtMs: 1, endedAtMs: 2 };
const about = { intent: 'sum', domain: '', keywords: [], entities: [], topics: [], label, by: 'm' };
const reflected = { prose: 'The sum is 7.', status: 'Full' as const, ...about };

function folded(records: readonly (readonly [kind: string, payload: unknown])[]): readonly RememberedRun[] {
  const runs = newestRuns.start();
  for (const [seq, [kind, payload]] of records.entries())
    newestRuns.take(runs, { store: 'narrative', kind, seq, timeMs: seq, runId: 'r', payload: payload as Json });
  return runs;
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
