/**
 * Plays `retainer run` in this process, as built, and writes which functions of this repository it called, by what it had told
 * so far. Arguments: the root of a built tree, the file to write, and those of `retainer`.
 *
 * The file is a list of `{ until, called }`: until it told the line `until`, it called functions of these names, by module.
 */
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [root = '', file = '', ...args] = process.argv.slice(2);
const base = `${pathToFileURL(root).href}/`;
const moduleOf = (path) => import(pathToFileURL(join(root, path)).href);

/** Modules that `retainer run` loads when it needs them: what a module calls while it is loaded is nobody's work. */
const LOADED_LATER = [
  'cli/dist/commands/run.js',
  'agent-pod/dist/infer/script.js',
  'agent-pod/dist/infer/scripted-model.js',
];

const session = new Session();
session.connect();

/** The inspector of one's own process answers at once. */
function ask(method, parameters) {
  let answer;
  session.post(method, parameters, (error, result) => {
    if (error) throw new Error(`${method}: ${error.message}`);
    answer = result;
  });
  return answer;
}

const isModule = ({ functionName, ranges: [range] }) => functionName === '' && range.startOffset === 0;

/** @returns the names of the functions that were called since the last time, by path of the module below the root */
function calledSince(isLoading) {
  const { result } = ask('Profiler.takePreciseCoverage');
  const called = {};
  for (const { url, functions } of result) {
    if (!url.startsWith(base) || url.includes('/node_modules/') || !url.includes('/dist/')) continue;
    const ran = functions.filter(({ ranges: [range] }) => range.count > 0);
    const path = url.slice(base.length);
    if (!isLoading && ran.some(isModule))
      throw new Error(`${path} was loaded late: name it in scripts/play-covered.mjs`);
    const names = ran.filter((it) => !isModule(it)).map(({ functionName }) => functionName);
    if (names.length > 0) called[path] = names;
  }
  return called;
}

const steps = [];
const stepBefore = (line) => steps.push({ until: line.trim(), called: calledSince(false) });

/** Takes a step before each line of standard error that tells that the agent is ready or what its Task does, and before the result. */
function listen() {
  const [tell, print] = [process.stderr, process.stdout].map((stream) => stream.write.bind(stream));
  process.stderr.write = (text, ...rest) => {
    if (/^(agent | \d\d:\d\d\.\d )/.test(String(text))) stepBefore(String(text));
    return tell(text, ...rest);
  };
  process.stdout.write = (text, ...rest) => {
    process.stdout.write = print;
    stepBefore('the result');
    return print(text, ...rest);
  };
}

/** The second copy is made by the clock: now within the Task, now after it. Here it is made after it. */
async function keepSecondCopyBack() {
  const { BackupWatch } = await moduleOf('agent-pod/dist/upkeep/backup-watch.js');
  const untilAborted = (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
  BackupWatch.prototype.component = () => ({ name: 'backup', restart: 'Permanent', run: untilAborted });
}

ask('Profiler.enable');
ask('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
const { main } = await moduleOf('cli/dist/main.js');
for (const path of LOADED_LATER) await moduleOf(path);
await keepSecondCopyBack();
calledSince(true);
listen();
process.exitCode = await main(['node', 'retainer', 'run', ...args]);
stepBefore('the end');
writeFileSync(file, JSON.stringify(steps));
