/** The figures of case recall over ten sets of cases that no choice was made on. */
import { describe, expect } from 'vitest';
import { openWordTable } from '@retainer/agent-pod/boot/word-table';
import { CaseIndex } from '@retainer/mind/memory/recall/case-index';
import { presets, type Weights } from '@retainer/mind/memory/recall/presets';
import { textOf } from '@retainer/mind/memory/recall/recall-case';
import { retrievalData, type RetrievalData } from '../../support/retrieval-cases.ts';
import { verifies } from '../../verifies.ts';

const opened = await openWordTable();
if (!opened.ok) throw new Error(opened.error);
const { vectorOf } = opened.value;

const SEEDS = Array.from({ length: 10 }, (_, at) => at + 1);

type Tried = readonly [name: string, weights: Weights, hasVectors: boolean];

const tried: readonly Tried[] = [
  ['adaptive', presets.adaptive, true],
  ['adaptive by words', presets.adaptive, false],
  ['paper', presets.paper, true],
  ['hybrid', presets.hybrid, true],
  ['index', presets.index, true],
  ['field', presets.field, true],
];

/** Precision among four. */
function precisions({ cases, queries }: RetrievalData): Readonly<Record<string, number>> {
  const index = new CaseIndex();
  for (const it of cases) index.add(it, vectorOf(textOf(it)));
  const sums = new Map<string, number>();
  for (const { problem, relevant } of queries) {
    const known = vectorOf(textOf(problem));
    for (const [name, weights, hasVectors] of tried) {
      const { found } = index.find({ problem, vector: hasVectors ? known : undefined, weights, count: 4 });
      const hits = found.filter(({ id }) => relevant.has(id)).length;
      sums.set(name, (sums.get(name) ?? 0) + hits / 4 / queries.length);
    }
  }
  return Object.fromEntries(sums);
}

describe('over ten sets of cases', () => {
  verifies('recall:cases', 'the adaptive preset finds more than any other, with vectors and without', () => {
    const all = SEEDS.map((seed) => precisions(retrievalData(seed)));
    const mean = (name: string): number => all.reduce((sum, it) => sum + (it[name] ?? 0), 0) / all.length;
    // Measured: adaptive 0.994, by words 1.000, index 0.899, hybrid 0.913, paper 0.862, field 0.590.
    expect(mean('adaptive')).toBeGreaterThanOrEqual(0.965);
    expect(mean('adaptive by words')).toBeGreaterThanOrEqual(mean('index') - 0.02);
    for (const other of ['paper', 'hybrid', 'index', 'field'])
      expect(mean('adaptive'), other).toBeGreaterThan(mean(other));
  });
});
