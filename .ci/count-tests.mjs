/** Prints `passed failed skipped` of a report: `count-tests.mjs REPORT EXIT-CODE`. A check counts one. */
import { readReport } from './read-report.mjs';

const [path = '', code] = process.argv.slice(2);
const { tests, failures, isCheck } = readReport(path, Number(code));
const count = (wanted) => tests.filter(({ state }) => state === wanted).length;
const passed = isCheck ? Number(failures.length === 0) : count('passed');
process.stdout.write(`${passed} ${failures.length} ${count('skipped')}\n`);
