/**
 * What a stage has told in its report: tests, files, and the failures that no test tells. A file that was run again counts as it was
 * then.
 */
import { existsSync, readFileSync } from 'node:fs';

/**
 * @returns {{ tests, files, failures: { name, errors }[], failedFiles: string[], check?: { code }, stopped?: { seconds, underWay }, isAgain }}
 */
export function readReport(path = '') {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  // A stage that is killed may leave half a line.
  const told = text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  const lines = told.filter(
    ({ file }, at) => !told.some((it, then) => it.kind === 'again' && it.file === file && then > at),
  );
  const of = (kind) => lines.filter((it) => it.kind === kind);
  const tests = of('test');
  const files = of('file');
  const failed = tests.filter(({ state }) => state === 'failed');
  const unloaded = files.filter(({ file, state }) => state === 'failed' && !failed.some((it) => it.file === file));
  return {
    ...{ tests, files, check: of('check')[0], isAgain: of('again').length > 0 },
    failures: [
      ...failed.map(({ file, name, errors }) => ({ name: `${file}: ${name}`, errors })),
      ...unloaded.map(({ file, errors }) => ({ name: `${file}: did not load, or failed outside its tests`, errors })),
      ...of('stray').map(({ errors }) => ({ name: 'an error that no test caught', errors })),
    ],
    failedFiles: [...new Set([...failed, ...unloaded].map(({ file }) => file))],
    stopped: of('stopped').map((it) => ({ ...it, underWay: underWay(lines, it.atMs) }))[0],
  };
}

/** Tests that had begun and not ended, with their age; of a file without such a test, the file. */
function underWay(lines, nowMs) {
  const isOver = ({ file, name }) =>
    lines.some((it) => it.file === file && (it.kind === 'file' || (it.kind === 'test' && it.name === name)));
  const open = lines.filter((it) => it.kind === 'began' && !isOver(it));
  const last = new Map(open.map((it) => [it.file, it]));
  return [...last.values()].map(
    ({ file, name, atMs }) => `${file}: ${name}, for ${Math.round((nowMs - atMs) / 1000)} s`,
  );
}
