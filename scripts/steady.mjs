/** `npm run steady`: runs test files again and again beside made load, and tells which failed how often. */
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { GATE, NIGHT_UNIT } from '../.ci/gate.mjs';
import { readOptions, wholeNumber } from './command-line.mjs';
import { build, prepare, root } from './prepare.mjs';
import { interruption } from './process-group.mjs';
import { startLoad } from './steady/load.mjs';
import { failureTable, fileLine } from './steady/tell.mjs';
import { filesOf } from './test-files.mjs';
import { runTests } from './test-figures.mjs';

const HELP = `npm run steady -- [FILE…] [--runs N] [--load N]

Runs each FILE so often (--runs, 10 without it), one process of vitest after the other, beside so many busy processes
(--load, 0 without it), which also write to the disk. A FILE is a path, the name of a test (sigkill), or a project that
is run whole (${['unit', 'chart'].join(', ')}); without one it is all that the gate runs without a cluster, which .ci/gate.mjs lists.

Logs of failed runs stay in .steady/. The last line is "N passed, N failed", in runs; the exit code is 1 if one failed.
`;

/** Quick tests, which a process for each file would make slow ones. */
const WHOLE_PROJECTS = ['unit', 'chart'];
/** A run that takes longer hangs: the slowest takes ten minutes alone. */
const RUN_LIMIT_MS = 7_200_000;
const KEPT = '.steady';

/** @typedef {{ readonly name: string, readonly argv: readonly string[] }} Entry */

/** @returns {readonly Entry[]} */
function entriesOf(words) {
  const gate = [...GATE.integration.map((name) => `test/integration/${name}.test.ts`), ...WHOLE_PROJECTS];
  return (words.length > 0 ? words : gate).flatMap((word) =>
    WHOLE_PROJECTS.includes(word)
      ? [{ name: word, argv: [`--project=${word}`] }]
      : filesOf(word).map((file) => ({ name: file, argv: [file] })),
  );
}

/** Files of the night alone are found in its size only. */
function sizeOf(name) {
  if (NIGHT_UNIT.includes(name)) return 'nightly';
  return name === 'unit' ? 'quick' : 'check';
}

async function runOnce({ name, argv }, number, interrupt) {
  const report = join(root, KEPT, `${process.pid}.report`);
  const log = join(root, KEPT, `${process.pid}.log`);
  const kept = join(KEPT, `${name.replace('.test.ts', '').replaceAll('/', '-')}-${number}.log`);
  const env = { RETAINER_TEST_SIZE: sizeOf(name), ...process.env };
  const { seconds, failures } = await runTests(argv, { env, report, log, limitMs: RUN_LIMIT_MS, interrupt });
  if (failures.length > 0 && !interrupt.aborted) renameSync(log, join(root, kept));
  rmSync(log, { force: true });
  return { number, seconds, failure: failures[0], log: kept };
}

async function runAll(entry, count, interrupt) {
  const runs = [];
  for (let number = 1; number <= count; number += 1) {
    const run = await runOnce(entry, number, interrupt);
    // It failed because somebody ended it.
    if (interrupt.aborted) break;
    runs.push(run);
  }
  return { name: entry.name, runs };
}

async function main({ entries, count, processes }) {
  const interrupt = interruption();
  prepare();
  build();
  mkdirSync(join(root, KEPT), { recursive: true });
  const load = startLoad(processes);
  const told = [];
  try {
    for (const entry of entries) {
      if (interrupt.aborted) break;
      const result = await runAll(entry, count, interrupt);
      told.push(result);
      process.stdout.write(`${fileLine(result)}\n`);
    }
  } finally {
    if (load.lost() > 0) {
      process.stdout.write(
        `${load.lost()} of ${processes} busy processes ended by themselves: the load was a smaller one\n`,
      );
      process.exitCode = 1;
    }
    await load.end();
  }
  const failed = told.flatMap(({ runs }) => runs).filter(({ failure }) => failure !== undefined).length;
  const passed = told.flatMap(({ runs }) => runs).length - failed;
  process.stdout.write(
    `\n${failureTable(told)}${interrupt.aborted ? 'interrupted\n' : ''}${passed} passed, ${failed} failed\n`,
  );
  if (interrupt.aborted) process.exitCode = 130;
  else if (failed > 0) process.exitCode = 1;
}

const options = readOptions(
  'steady',
  HELP,
  { runs: { type: 'string' }, load: { type: 'string' } },
  ({ values, positionals }) => ({
    entries: entriesOf(positionals),
    count: wholeNumber('--runs', values.runs ?? '10', 1),
    processes: wholeNumber('--load', values.load ?? '0', 0),
  }),
);
await main(options);
