/**
 * A reporter of vitest: a line of JSON for each test as it begins and ends, and for each file as it ended, appended to the file that
 * `report` names. A stage that is stopped has told until then what passed, what failed, and what was under way.
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
  onTestModuleStart({ relativeModuleId: file }) {
    tell({ kind: 'began', file, name: 'its set-up', atMs: Date.now() });
  }

  onTestCaseReady({ module, fullName: name }) {
    tell({ kind: 'began', file: module.relativeModuleId, name, atMs: Date.now() });
  }

  onTestCaseResult(test) {
    const { state, errors = [] } = test.result();
    const seconds = (test.diagnostic()?.duration ?? 0) / 1000;
    tell({
      ...{ kind: 'test', file: test.module.relativeModuleId, name: test.fullName, state, seconds },
      errors: errors.map(words),
    });
  }

  /** A file fails by itself where it does not load, or what comes before its tests fails. */
  onTestModuleEnd(module) {
    const errors = [...module.errors(), ...[...module.children.allSuites()].flatMap((suite) => suite.errors())];
    tell({
      ...{ kind: 'file', file: module.relativeModuleId, seconds: module.diagnostic().duration / 1000 },
      ...{ state: module.state(), errors: errors.map(words) },
    });
  }

  /** What failed outside of every test: an error that nobody caught. */
  onTestRunEnd(_modules, errors) {
    for (const error of errors) tell({ kind: 'stray', errors: [words(error)] });
    tell({ kind: 'end' });
  }
}
