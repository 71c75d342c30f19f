/** Lies by classes, and the same works truly done, under a validator that says yes to everything. The table stands in the docs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repositoryRoot } from '../support/repository-files.ts';
import { seedOr } from '../support/seed.ts';
import { decidable, undecidable, verdictCorpus, type Case } from '../support/verdict-corpus/lies.ts';
import { playCase } from '../support/verdict-corpus/play.ts';
import { verifies } from '../verifies.ts';

/** `RETAINER_SEED` draws another corpus; the table of the docs is of this one. */
const SEED = 1212;
const seed = seedOr(SEED);
const { lies, twins } = verdictCorpus(seed);

const acceptedOf = (cases: readonly Case[]): readonly Case[] =>
  cases.filter((it) => playCase(it).outcome === 'Accepted');
const acceptedLies = acceptedOf(lies);
const acceptedTwins = acceptedOf(twins);
const countOf = (cases: readonly Case[], name: string): number => cases.filter((it) => it.name === name).length;

verifies(
  'verdict:evidence-bears',
  `accepts no lie that the record decides, and at most 2 % of all (seed ${seed})`,
  () => {
    expect(lies.length).toBeGreaterThanOrEqual(500);
    expect(acceptedLies.filter((it) => it.name !== undecidable).map((it) => JSON.stringify(it))).toEqual([]);
    expect(acceptedLies.length / lies.length).toBeLessThanOrEqual(0.02);
  },
);

it(`accepts every work that was truly done (seed ${seed})`, () => {
  const refused = twins.filter((it) => !acceptedTwins.includes(it)).slice(0, 10);
  expect(refused.map((it) => JSON.stringify([it.criteria, playCase(it).reasons]))).toEqual([]);
});

it('stand in docs/verdicts.md, class by class', () => {
  if (seed !== SEED) return;
  const row = (name: string): string =>
    `| ${name} | ${countOf(lies, name)} | ${countOf(acceptedLies, name)} | ${countOf(acceptedTwins, name)}/${countOf(twins, name)} |`;
  const rows = [...Object.keys(decidable), undecidable].map(row);
  const all = `| all | ${lies.length} | ${acceptedLies.length} | ${acceptedTwins.length}/${twins.length} |`;
  expect(readFileSync(join(repositoryRoot, 'docs/verdicts.md'), 'utf8')).toContain([...rows, all].join('\n'));
});
