/** Every command of the pages has a row that says how a test runs it. The rows are run in `test/e2e/commands.test.ts`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandRows, documentedCommands } from '../support/documented-commands.ts';
import { repositoryRoot } from '../support/repository-files.ts';

describe('the commands of the pages for people who run Retainer', () => {
  it('have a row each, and no row is left over', () => {
    const documented = documentedCommands();
    expect(documented.length).toBeGreaterThan(50);
    expect(Object.keys(commandRows).toSorted()).toEqual(documented.toSorted());
  });

  it('that another test runs stand there', () => {
    const missing = Object.entries(commandRows).flatMap(([command, row]) =>
      row.how === 'Elsewhere' && !readFileSync(join(repositoryRoot, row.test), 'utf8').includes(row.says)
        ? [command]
        : [],
    );
    expect(missing).toEqual([]);
  });

  it('that are the same as another are run there', () => {
    const same = Object.values(commandRows).flatMap((row) => (row.how === 'As' ? [commandRows[row.row]?.how] : []));
    expect(new Set(same)).toEqual(new Set(['Run']));
  });

  it('are run by a test, except for what no machine of the tests has', () => {
    const never = Object.entries(commandRows).flatMap(([command, { how }]) => (how === 'Never' ? [command] : []));
    expect(never).toEqual(['docker push REGISTRY/retainer/operator:TAG']);
  });
});
