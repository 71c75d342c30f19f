/** `npm run nightly`: the tests at their largest size and all else that takes long, in the parts of `nightly/parts.mjs`. */
import { randomInt } from 'node:crypto';
import { relative } from 'node:path';
import { readOptions, wholeNumber } from './command-line.mjs';
import { longestUnrunFirst, nextPart, partsNamed } from './nightly/choose.mjs';
import { PARTS } from './nightly/parts.mjs';
import { ageOf, keepResult, NIGHTLY, readResults, resultWords } from './nightly/results.mjs';
import { endEngine, FILES_IN_TURN, runPart } from './nightly/run-part.mjs';
import { build, prepare, root } from './prepare.mjs';
import { interruption } from './process-group.mjs';
import { runNode } from './run-child.mjs';
import { filesOf } from './test-files.mjs';

const HELP = `npm run nightly                        all parts, hours; those that were not run for longest come first
npm run nightly -- --minutes N         of these as many as fit
npm run nightly -- --only NAME...      these parts
npm run nightly -- --list              the parts: minutes, when each was last run, what it came to, what only it finds
npm run nightly -- operator-failover   a test by its name, alone and at its largest size

Everything is drawn from one seed, which is printed; RETAINER_SEED=N in the environment repeats it. Logs and results of parts
are in .nightly/. The last line is "N passed, N failed"; the exit code is 1 if something failed.
`;

/** What test/support/seed.ts takes has nine digits. */
const SEED_MAX = 1_000_000_000;

const say = (line) => process.stdout.write(`${line}\n`);

function seedOfNight() {
  const wanted = process.env['RETAINER_SEED'];
  return wanted === undefined ? randomInt(SEED_MAX) : wholeNumber('RETAINER_SEED', wanted, 0, SEED_MAX - 1);
}

function list() {
  const results = readResults();
  const rows = PARTS.map((part) => {
    const last = results[part.name];
    return [part.name, `${part.minutes} min`, ageOf(last?.when, Date.now()), resultWords(last), part.finds];
  });
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  for (const row of rows)
    say(
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    );
}

/** @returns {Promise<readonly [string, import('./nightly/results.mjs').Result][]>} */
async function runParts(wanted, minutes, { seed, interrupt }) {
  const before = readResults();
  const startMs = performance.now();
  // Whole seconds: a part of one minute fits into one minute.
  const leftSeconds = () => minutes * 60 - Math.floor((performance.now() - startMs) / 1000);
  const done = [];
  let queue = longestUnrunFirst(wanted, before);
  for (let part = nextPart(queue, leftSeconds(), before); part; part = nextPart(queue, leftSeconds(), before)) {
    const name = part.name;
    queue = queue.filter((it) => it.name !== name);
    const { failures, ...result } = await runPart(part, seed, interrupt);
    // It failed because somebody ended it.
    if (interrupt.aborted) break;
    keepResult(name, result);
    done.push([name, result]);
    for (const { test, words } of failures) say(`FAILED ${test}\n    ${words}`);
    if (result.failed > 0) say(`    ${relative(root, NIGHTLY)}/${name}.log`);
    if (result.isStopped) say(`${name}: stopped after ${Math.round(result.seconds)} s`);
    say(`${name}: ${result.passed} passed, ${result.failed} failed`);
  }
  return done;
}

function summary(done, isInterrupted) {
  const names = new Set(done.map(([name]) => name));
  const results = readResults();
  const others = longestUnrunFirst(PARTS, results).filter(({ name }) => !names.has(name));
  const ageOfPart = ({ name }) => ageOf(results[name]?.when, Date.now());
  if (others.length > 0) say('\nNot run now, and when it was last:');
  for (const age of new Set(others.map(ageOfPart))) {
    const parts = others.filter((part) => ageOfPart(part) === age);
    say(`  ${age}: ${parts.map(({ name }) => name).join(', ')}`);
  }
  const sum = (key) => done.reduce((total, [, result]) => total + result[key], 0);
  if (isInterrupted) say('interrupted');
  else if (done.length === 0) say('no part is so short');
  say(`\n${sum('passed')} passed, ${sum('failed')} failed`);
  if (isInterrupted) return 130;
  // A night without a test proves nothing.
  return Number(sum('failed') > 0 || done.length === 0);
}

function ready(seed) {
  prepare();
  build();
  say(`RETAINER_SEED=${seed}`);
}

async function runFiles({ files, seed }) {
  ready(seed);
  process.env['RETAINER_TEST_SIZE'] = 'nightly';
  process.env['RETAINER_SEED'] = String(seed);
  return runNode(['node_modules/vitest/vitest.mjs', 'run', ...FILES_IN_TURN, ...files]);
}

async function runNight({ parts, minutes, seed }) {
  const interrupt = interruption();
  ready(seed);
  try {
    return summary(await runParts(parts, minutes, { seed, interrupt }), interrupt.aborted);
  } finally {
    await endEngine();
  }
}

const OPTIONS = { list: { type: 'boolean' }, only: { type: 'string', multiple: true }, minutes: { type: 'string' } };

const line = readOptions('nightly', HELP, OPTIONS, ({ values: { list: isList, only, minutes }, positionals }) => ({
  isList,
  seed: seedOfNight(),
  // `--only journal audit`: the second name is a word of its own.
  parts: only === undefined ? PARTS : partsNamed(PARTS, [...only, ...positionals]),
  files: only === undefined ? positionals.flatMap(filesOf) : [],
  minutes: minutes === undefined ? Infinity : wholeNumber('--minutes', minutes, 1),
}));
if (line.isList) list();
else process.exitCode = line.files.length > 0 ? await runFiles(line) : await runNight(line);
