import fc from 'fast-check';
import { describe, expect } from 'vitest';
import {
  abandon,
  accept,
  changeApproach,
  DAY_MS,
  plainCase,
  stranger,
  success,
  TendedMemory,
  trusted,
} from '../../../../../test/support/tended-memory.ts';
import { verifies } from '../../../../../test/verifies.ts';

const days = fc.integer({ min: 0, max: 120 });
const label = fc.constantFrom(trusted, trusted, trusted, stranger);
const numbers = fc.constantFrom(accept, success, abandon, changeApproach, {
  state: 'Refine' as const,
  f: 0.1,
  sigma: 0.5,
  k: 0.5,
});
const pair = fc.oneof(
  fc.record({ space: fc.constantFrom('intent:sum', 'intent:mail'), entity: fc.constant('env:local') }),
  fc.record({
    space: fc.constantFrom('tool:change', 'tool:read'),
    entity: fc.constantFrom(
      'path:',
      'path:a/x',
      'path:a/y',
      'path:a/b/x',
      'path:a/b/y',
      'path:a/b/z',
      'path:https://h.org/1',
    ),
  }),
);
const megram = fc.record({
  days,
  label,
  numbers,
  pair,
  run: fc.integer({ min: 0, max: 9 }),
  word: fc.constantFrom('sum', 'row'),
});
const oneCase = fc.record({
  days,
  label,
  status: fc.constantFrom('Success' as const, 'Failure' as const),
  confidence: fc.constantFrom(0, 0.5),
  pitfalls: fc.subarray(['x']),
  intent: fc.constantFrom('', 'sum', 'mail'),
  keywords: fc.subarray(['a', 'b', 'c']),
  entities: fc.subarray(['x', 'y']),
  curation: fc.constantFrom(undefined, undefined, undefined, 'Boost', 'Suppress'),
});
const thread = fc.record({ days, label, runs: fc.integer({ min: 1, max: 4 }), domain: fc.constantFrom('', 'sales') });

const memories = fc
  .record({
    megrams: fc.array(megram, { maxLength: 80 }),
    cases: fc.array(oneCase, { maxLength: 20 }),
    threads: fc.array(thread, { maxLength: 5 }),
  })
  .map((all) => {
    const memory = new TendedMemory();
    for (const [n, it] of all.megrams.toSorted((a, b) => a.days - b.days).entries())
      memory.learn(
        `r${it.run}-g3-${n}`,
        { ...it.numbers, ...it.pair, content: `${it.word} ${n}`, createdAtMs: it.days * DAY_MS },
        it.label,
      );
    for (const [n, it] of all.cases.entries()) {
      const { problem, outcome } = plainCase('');
      const change = {
        problem: { ...problem, intent: it.intent, keywords: it.keywords, entities: it.entities },
        outcome: { ...outcome, status: it.status, confidence: it.confidence, pitfalls: it.pitfalls },
        label: it.label,
      };
      memory.try(`c${n}`, change, it.days * DAY_MS);
      if (it.curation !== undefined)
        memory.take('case', 'CaseCurated', { caseId: `c${n}`, how: it.curation, by: 'ada', reason: 'x' });
    }
    for (const [n, it] of all.threads.entries())
      for (let position = 1; position <= it.runs; position += 1)
        memory.join(
          `t${n}`,
          `t${n}-${position}`,
          { domain: it.domain },
          { atMs: it.days * DAY_MS, position, label: it.label },
        );
    return memory;
  });

const settings = fc.record({ caseDedupSimilarity: fc.constantFrom(0, 0.5, 0.75, 0.76, 0.92, 1) });

describe('a dream over any memory', () => {
  verifies('dream:idempotent', 'leaves nothing to a second one at the same moment', () => {
    fc.assert(
      fc.property(memories, days, settings, (memory, day, given) => {
        memory.dream(day * DAY_MS, given);
        expect(memory.dream(day * DAY_MS, given)).toEqual([]);
      }),
    );
  });

  verifies('dream:idempotent', 'that is cut short anywhere and begun again comes to the same', () => {
    fc.assert(
      fc.property(memories, days, settings, fc.nat(), (memory, day, given, cut) => {
        const kept = JSON.stringify([memory.megrams.kept, [...memory.cases.byId], [...memory.threads.byId]]);
        const copies = [0, 1].map(() => copyOf(kept));
        const [whole, broken] = [copies[0] ?? memory, copies[1] ?? memory];
        whole.dream(day * DAY_MS, given);
        broken.dreamTo(cut % 12, day * DAY_MS, given);
        broken.dream(day * DAY_MS, given);
        expect(stateOf(broken)).toEqual(stateOf(whole));
      }),
    );
  });

  verifies('dream:label', 'believes no rule of which a source is a stranger’s', () => {
    fc.assert(
      fc.property(memories, days, (memory, day) => {
        memory.dream(day * DAY_MS);
        const { megrams: all } = memory.megrams.kept;
        for (const rule of all.filter(({ id, isTrusted }) => id.startsWith('dream-') && isTrusted))
          for (const source of all.filter((it) => it.consolidatedInto === rule.id)) expect(source.isTrusted).toBe(true);
      }),
    );
  });
});

function copyOf(kept: string): TendedMemory {
  const memory = new TendedMemory();
  const [megrams, cases, threads] = JSON.parse(kept);
  memory.megrams.restore(megrams);
  for (const [id, it] of cases) memory.cases.byId.set(id, it);
  for (const [id, it] of threads) memory.threads.byId.set(id, it);
  return memory;
}

function stateOf(memory: TendedMemory): unknown {
  const { megrams, forgotten } = memory.megrams.kept;
  return [
    megrams.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    forgotten.toSorted(),
    [...memory.cases.byId],
    new Map(memory.cases.retired),
    [...memory.threads.byId],
  ];
}
