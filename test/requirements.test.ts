/** Requirements and tests name each other: no rule without a test, no test of a rule that nobody wrote down. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { areas, requirements } from './requirements.ts';
import { repositoryFiles } from './support/repository-files.ts';

/** Tests, and suites that the tests of several adapters run. */
const cited = repositoryFiles()
  .filter((path) => /(\.test|-contract)\.ts$/.test(path) && !path.endsWith('requirements.test.ts'))
  .flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/\bverifies\(\s*(['"`])(.+?)\1/g)].map(([, , id = '']) => ({ path, id })),
  );

describe('a requirement', () => {
  it('exists, so that the checks below check something', () => {
    expect(Object.keys(requirements).length).toBeGreaterThan(0);
    expect(cited.length).toBeGreaterThan(0);
  });

  it('is defined once', () => {
    const ids = areas.flatMap((area) => Object.values(area).flatMap((rules) => Object.keys(rules)));
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  });

  it('is cited by at least one test', () => {
    const ids = new Set(cited.map(({ id }) => id));
    expect(Object.keys(requirements).filter((id) => !ids.has(id))).toEqual([]);
  });

  it('is known where a test cites it', () => {
    expect(cited.filter(({ id }) => requirements[id] === undefined)).toEqual([]);
  });

  it('is named area:rule-in-words, and says its source and what holds', () => {
    const wrong = Object.entries(requirements).filter(
      ([id, { source, behavior }]) =>
        !/^[a-z][a-z0-9-]*:[a-z0-9-]+$/.test(id) || source.trim() === '' || behavior.trim() === '',
    );
    expect(wrong).toEqual([]);
  });
});
