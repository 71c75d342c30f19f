/**
 * A reporter of vitest: a line of JSON for each test and each file as soon as it ended, appended to the file that `report` names. A stage
 * that is stopped has told until then what passed and what failed.
 */
import { appendFileSync } from 'node:fs';

const report = process.env.report ?? '/dev/null';
const tell = (line) => appendFileSync(report, `${JSON.stringify(line)}\n`);
/** The message, where the test stands, and how the values differ. */
function words({ stack, message, diff }) {
  const lines = (stack ?? message ?? '').split('\n').filter((line) => !line.includes('node_modules'));
  return [...lines, ...(diff ?? '').split('\n')].join('\n').trimEnd();
}

export default class EachTest {
  /** A test that passed at its second try has errors, too. */
  onTestCaseResult(test) {
    const { state, errors = [] } = test.result();
    tell({ kind: 'test', file: test.module.relativeModuleId, name: test.fullName, state, errors: errors.map(words) });
  }

  /** A file fails by itself where it does not load, or what comes before its tests fails. */
  onTestModuleEnd(module) {
    const errors = [...module.errors(), ...[...module.children.allSuites()].flatMap((suite) => suite.errors())];
    tell({
      ...{ kind: 'file', file: module.relativeModuleId, seconds: module.diagnostic().duration / 1000 },
      ...{ state: module.state(), errors: errors.map(words) },
    });
  }
}
