/**
 * What recall costs: `npm run bench:memory`.
 *
 * Ten thousand cases, and as many records of free text in runs of ten, with a vector each. Beside them, in turns, the plain scan:
 * the scalar products of one vector with all others, which no recall by meaning can do without.
 *
 * Source: libraries 3.
 */
import { openWordTable } from '@retainer/agent-pod/boot/word-table';
import { CaseIndex } from '@retainer/mind/memory/recall/case-index';
import { presets } from '@retainer/mind/memory/recall/presets';
import { textOf } from '@retainer/mind/memory/recall/recall-case';
import { TextIndex } from '@retainer/mind/memory/recall/text-index';
import { retrievalData } from '../test/support/retrieval-cases.ts';
import { bySize } from './bench-size.ts';
import { quantile, row } from './figures.ts';
import { benchStarts } from './memory-start.ts';

const RECORDS = bySize({ smoke: 1_000, full: 10_000 });
const GROUP_RECORDS = 10;

/** The first ones are left out: by then the compiler has seen what it sees for good. */
const WARM_ROUNDS = 20;
const ROUNDS = bySize({ smoke: 40, full: 200 });

const GOAL_TEXT_MS = 0.03;
const GOAL_RECALL_MS = 8;

const beganMs = performance.now();
const opened = await openWordTable();
if (!opened.ok) throw new Error(opened.error);
const { vectorOf } = opened.value;
const openedMs = performance.now() - beganMs;

const sets = Array.from({ length: Math.ceil(RECORDS / 800) }, (_, at) => retrievalData(at + 1));
const cases = sets.flatMap((set, at) => set.cases.map((it) => ({ ...it, id: `${at}-${it.id}` }))).slice(0, RECORDS);
const problems = sets.flatMap(({ queries }) => queries.map(({ problem }) => problem)).slice(0, WARM_ROUNDS + ROUNDS);

const texts = cases.map(textOf);
const vectors = new Float32Array(RECORDS * 100);
const caseIndex = new CaseIndex();
const textIndex = new TextIndex();
for (const [at, it] of cases.entries()) {
  const text = texts[at] ?? '';
  const vector = vectorOf(text);
  if (vector !== undefined) vectors.set(vector, at * 100);
  caseIndex.add(it, vector);
  textIndex.add({ id: it.id, text, group: String(Math.floor(at / GROUP_RECORDS)) }, vector);
}

function scan(vector: Float32Array): number {
  let best = 0;
  for (let at = 0; at < RECORDS; at += 1) {
    let sum = 0;
    for (let dimension = 0; dimension < 100; dimension += 1)
      sum += (vectors[at * 100 + dimension] ?? 0) * (vector[dimension] ?? 0);
    if (sum > best) best = sum;
  }
  return best;
}

/** Median and 99th percentile of the rounds, in milliseconds. */
const taken: Record<string, number[]> = {};

function time(name: string, work: () => unknown): void {
  const start = performance.now();
  work();
  (taken[name] ??= []).push(performance.now() - start);
}

for (const problem of problems) {
  const text = textOf(problem);
  const vector = vectorOf(text);
  time('scan', () => scan(vector ?? new Float32Array(100)));
  time('cases', () => caseIndex.find({ problem, vector, weights: presets.adaptive, count: 4 }));
  time('cases, paper', () => caseIndex.find({ problem, vector, weights: presets.paper, count: 4 }));
  time('texts', () => textIndex.find({ text, vector, count: 10 }));
  time('vectors', () => texts.slice(0, 100).map(vectorOf));
}

function told(name: string, times = 1): string {
  const rounds = (taken[name] ?? []).slice(WARM_ROUNDS).map((it) => it / times);
  return `${quantile(rounds, 0.5).toFixed(3)} ms`;
}

row('opening the table of words', `${openedMs.toFixed(0)} ms`, 'at the first use');
row('the vector of a text', told('vectors', 100), `goal ${GOAL_TEXT_MS} ms`);
row(`plain scan of ${RECORDS.toLocaleString('en')} vectors`, told('scan'), 'reference');
row(`recall over ${RECORDS.toLocaleString('en')} cases`, told('cases'), `goal ${GOAL_RECALL_MS} ms`);
row('the same, preset paper', told('cases, paper'), '');
row(`recall over ${RECORDS.toLocaleString('en')} records of text`, told('texts'), '');

await benchStarts(cases);
