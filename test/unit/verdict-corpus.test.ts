/** Lies by classes, and the same works truly done, under a validator that says yes to everything. The table stands in the docs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repositoryRoot } from '../support/repository-files.ts';
import { seedOr } from '../support/seed.ts';
import { fileClasses } from '../support/verdict-corpus/file-lies.ts';
import { decidable, undecidable, verdictCorpus, type Case, type Attempt } from '../support/verdict-corpus/lies.ts';
import { verifies } from '../verifies.ts';
import { sha256Hex } from '@retainer/contract/std/hash';
import type { ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import type { CyclePurpose, RunEventOf } from '@retainer/mind/run/event';
import { call, criterion, perceived } from '../support/run-scenarios.ts';
import { RunWorld, type Mind } from '../support/run-world.ts';
import { runSpec } from '../support/runs.ts';

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
  const rows = [...Object.keys(decidable), ...fileClasses, undecidable].map(row);
  const all = `| all | ${lies.length} | ${acceptedLies.length} | ${acceptedTwins.length}/${twins.length} |`;
  expect(readFileSync(join(repositoryRoot, 'docs/verdicts.md'), 'utf8')).toContain([...rows, all].join('\n'));
});

/** Plays a case through the run machine, with a validator that says yes to everything. */
function playCase({ intent, criteria, stood, attempts, cites, reply }: Case): RunEventOf<'RunConcluded'> {
  const attemptOf = ({ attempt = 1 }: CyclePurpose): Attempt =>
    attempts[Math.min(attempt, attempts.length) - 1] ?? { did: [] };
  const callsOf = (purpose: CyclePurpose): ToolCallRecord[] =>
    attemptOf(purpose).did.map((did, at) =>
      call(purpose, { callId: `${purpose.subtaskId ?? ''}-a${purpose.attempt ?? 1}-t${at + 1}`, ...did }),
    );
  const mind: Mind = (purpose) => {
    if (purpose.role === 'Perceiver') return perceived('SingleStep');
    const calls = callsOf(purpose);
    if (purpose.role === 'AgentValidator') {
      const evidence = [...(cites ?? calls.map((it) => it.callId))];
      const verdicts = criteria.map((_, at) => ({ criterion: at + 1, met: true, evidence, reason: 'shown' }));
      return { value: { verdicts, whatWasWrong: '', whatToDo: '' } };
    }
    const { cutOff } = attemptOf(purpose);
    return { text: reply, calls, ...(cutOff === undefined ? {} : { outcome: 'OutOfBudget' as const, reason: cutOff }) };
  };
  const base = runSpec();
  const spec = runSpec(
    { intent, input: intent, criteria: criteria.map(criterion), control: { ...base.control, maxReplans: 0 } },
    ['bash', 'fetch_url', 'list_files', 'memory_read', 'read_file', 'run_code', 'write_file'],
  );
  const files = stood.map((path) => ({ path, sha256: sha256Hex('before') }));
  return new RunWorld({ spec, mind, stood: { files, isWhole: true } }).play().concluded;
}
