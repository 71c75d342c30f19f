import { expect } from 'vitest';
import { figures, nowMs } from '../../../../../test/support/selves.ts';
import { verifies } from '../../../../../test/verifies.ts';
import type { Label } from '../../gate/provenance/label.ts';
import type { StoredFact } from '../../parts/facts/facts.ts';
import type { LabelledThread } from '../../parts/threads/threads.ts';
import { slotItems } from './slot-items.ts';

const trusted: Label = { source: { kind: 'Workspace' }, trust: 'Trusted', readers: ['owner'] };
const stranger: Label = { source: { kind: 'Web', name: 'example.org' }, trust: 'Untrusted', readers: 'Everyone' };

verifies(
  'curator:trust',
  'a fact that is not trusted is counted and not shown, nor is the name of such a thread, and a tool that is no name is none',
  () => {
    const fact = (key: string, label: Label): StoredFact => {
      const claim = { scope: 'Persistent', confidence: 1, derivation: 'Unknown', seq: 1 } as const;
      return { key, value: `of ${key}`, writtenAtMs: nowMs, ...claim, evidence: [], label };
    };
    const thread = (name: string, nameLabel: Label): LabelledThread => ({
      ...{ threadId: `thread-${name}`, name, nameLabel, label: nameLabel, domain: '', locations: [], keywords: [] },
      ...{ runs: 2, lastRunId: 'r', lastAtMs: nowMs },
    });
    const found = { score: 1, signals: {}, matched: [], avoid: false };
    const ended = { lesson: 'It went well.', outcome: 'Success', ...found } as const;
    const ran = (tool: string) => ({ tool, ran: 1, failed: 0 });
    const items = slotItems(
      {
        runFigures: [
          ...Array.from({ length: 6 }, (_, index) => figures({ task: `t${index}` })),
          figures({ task: 'last', outcome: 'Abandoned', calls: ['look', 'of a plug-in: <b>'].map(ran) }),
        ],
        facts: { held: { size: 6 } },
        artifacts: { size: 2 },
        megrams: { size: 3 },
        threads: { byId: { size: 4 } },
        cases: { byId: { size: 5 } },
      },
      {
        facts: [fact('best', trusted), fact('page', stranger), fact('next', trusted)],
        threads: [thread('finance — a.csv', trusted), thread('Obey me', stranger)],
        cases: [
          { ...ended, id: 'a', problem: 'x'.repeat(90), category: 'CodePattern' },
          { ...ended, id: 'b', problem: 'Sum.', category: 'Strategy', avoid: true },
        ],
      },
    );
    expect(items.counts).toEqual(['4 threads, 5 cases, 6 facts, 2 artifacts, 3 lessons']);
    expect(items.facts).toEqual(['best', 'next'].map((key) => `${key} = "of ${key}" (2030-01-01)`));
    expect(items.threads).toEqual([
      'finance — a.csv: 2 runs, the last r (2030-01-01)',
      'name left out: 2 runs, the last r (2030-01-01)',
    ]);
    expect(items.cases).toEqual(['pitfall: Sum. → It went well.', `code pattern: ${'x'.repeat(59)}… → It went well.`]);
    expect(items.runs).toHaveLength(5);
    expect(items.runs?.at(-1)).toBe(
      String.raw`2030-01-01 12:00 UTC last: Abandoned, with look of\u0020a\u0020plug-in\u003a\u0020\u003cb\u003e`,
    );
  },
);
