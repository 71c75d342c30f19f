/**
 * What a stage has told in its report: tests, files, and all that failed, a run that broke off included. A file that was run again
 * counts as it was then.
 */
import { existsSync, readFileSync } from 'node:fs';

/** What vitest ends with where tests failed. */
const TESTS_FAILED = 1;

/**
 * @typedef {{ readonly name: string, readonly errors: readonly string[] }} Failure
 *
 * @param {string} path
 * @param {number} code  what the stage ended with
 * @returns {{ tests, files, isCheck: boolean, failures: readonly Failure[], failedFiles: readonly string[] }}
 */
export function readReport(path, code) {
  const told = (existsSync(path) ? readFileSync(path, 'utf8') : '').split('\n').flatMap(parsed);
  const againAt = new Map(told.flatMap(({ kind, file }, at) => (kind === 'again' ? [[file, at]] : [])));
  const lines = told.filter(({ file }, at) => !(againAt.get(file) > at));
  const of = (kind) => lines.filter((it) => it.kind === kind);
  const [tests, files, isCheck] = [of('test'), of('file'), of('check').length > 0];
  const failed = tests.filter(({ state }) => state === 'failed');
  const unloaded = files.filter(({ file, state }) => state === 'failed' && !failed.some((it) => it.file === file));
  const failures = [
    ...failed.map(({ file, name, errors }) => ({ name: `${file}: ${name}`, errors })),
    ...unloaded.map(({ file, errors }) => ({ name: `${file}: did not load, or failed outside its tests`, errors })),
    ...of('stray').map(({ errors }) => ({ name: 'an error that no test caught', errors })),
    ...of('stopped').map(({ seconds, atMs }) => ({
      ...{ name: `stopped after ${seconds} s, at`, errors: underWay(lines, atMs) },
    })),
  ];
  const broken = failures.length > 0 ? undefined : brokenBy(lines, code, isCheck);
  return {
    ...{ tests, files, isCheck, failedFiles: [...new Set([...failed, ...unloaded].map(({ file }) => file))] },
    failures: broken === undefined ? failures : [{ name: broken, errors: [] }],
  };
}

/** Why nothing failed and the stage has not passed all the same: an empty or broken run must never pass. */
function brokenBy(lines, code, isCheck) {
  const has = (kind, more = () => true) => lines.some((it) => it.kind === kind && more(it));
  if (isCheck) return code === 0 ? undefined : `it ended with ${code}`;
  if (!has('end')) return `the run broke off, with ${code}`;
  if (!has('test', ({ state }) => state === 'passed')) return 'no test was run';
  const isForgiven = code === TESTS_FAILED && has('again');
  return code === 0 || isForgiven ? undefined : `the run ended with ${code}, and no test failed`;
}

/** A stage that is killed may leave half a line. */
function parsed(line) {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}

/** Of each file, the test that began last and has not ended, with its age. */
function underWay(lines, nowMs) {
  const keyOf = ({ file, name }) => JSON.stringify([file, name]);
  const overFiles = new Set(lines.flatMap(({ kind, file }) => (kind === 'file' ? [file] : [])));
  const overTests = new Set(lines.flatMap((it) => (it.kind === 'test' ? [keyOf(it)] : [])));
  const open = lines.filter((it) => it.kind === 'began' && !overFiles.has(it.file) && !overTests.has(keyOf(it)));
  const last = new Map(open.map((it) => [it.file, it]));
  return [...last.values()].map(
    ({ file, name, atMs }) => `${file}: ${name}, for ${Math.round((nowMs - atMs) / 1000)} s`,
  );
}
