/** What is printed of the runs of a file. */

/**
 * @typedef {object} Run
 * @property {number} number
 * @property {number} seconds
 * @property {import('../test-figures.mjs').Failure | undefined} failure
 * @property {string} log  of a failed one
 *
 * @typedef {{ readonly name: string, readonly runs: readonly Run[] }} Result
 */

const failuresOf = (runs) => runs.filter(({ failure }) => failure !== undefined);
const secondsOf = (number) => `${number.toFixed(1).padStart(6)} s`;

/** @param {Result} result */
export function fileLine({ name, runs }) {
  const sorted = runs.map(({ seconds }) => seconds).toSorted((a, b) => a - b);
  const median = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
  const figures = `${runs.length} runs, ${failuresOf(runs).length} failed`.padEnd(22);
  return `${figures} median ${secondsOf(median)}  slowest ${secondsOf(sorted.at(-1) ?? 0)}  ${name}`;
}

/** @param {readonly Result[]} results @returns {string} lines, of which each ends; empty where nothing failed */
export function failureTable(results) {
  return results
    .map(({ name, runs }) => ({ name, runs, failed: failuresOf(runs) }))
    .filter(({ failed }) => failed.length > 0)
    .map(({ name, runs, failed: [first, ...others] }) =>
      [
        `FAILED ${1 + others.length} of ${runs.length}  ${name}`,
        `    ${first.failure.test}`,
        `    ${first.failure.words}`,
        `    ${[first, ...others].map(({ log }) => log).join(' ')}\n`,
      ].join('\n'),
    )
    .join('');
}
