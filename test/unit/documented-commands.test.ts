/**
 * Every command of the pages has a row that says how a test runs it. The rows are run in `test/e2e/commands.test.ts` and in
 * `test/integration/page-commands.test.ts`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PARTS } from '../../scripts/nightly/parts.mjs';
import type { CommandRow, ElsewhereRow } from '../support/command-row.ts';
import { commandRows, documentedCommands, pagesForUsers } from '../support/documented-commands.ts';
import { repositoryRoot } from '../support/repository-files.ts';
import { toldRows } from '../support/told-command-rows.ts';

type RowOf<How extends CommandRow['how']> = Extract<CommandRow, { readonly how: How }>;

/** Those of the programs' own words have the same forms; `told-commands.test.ts` compares them with the sources. */
const allRows: Readonly<Record<string, CommandRow>> = { ...commandRows, ...toldRows };

function rowsOf<How extends CommandRow['how']>(...hows: readonly How[]): readonly (readonly [string, RowOf<How>])[] {
  const isOf = (row: CommandRow): row is RowOf<How> => hows.some((how) => how === row.how);
  return Object.entries(allRows).flatMap(([command, row]) => (isOf(row) ? [[command, row] as const] : []));
}

/** What a command may print that did not do what it is printed for. */
const BESIDE_THE_POINT = [
  '',
  '\n',
  'ok',
  'error',
  'No resources found in default namespace.',
  'NAME   READY   STATUS    RESTARTS   AGE',
  'LAST SEEN   TYPE   REASON   OBJECT   MESSAGE',
  'bash: line 1: retainer: command not found',
  'error: the server doesn\'t have a resource type "agents"',
  'Error from server (Forbidden): pods is forbidden: User "ada" cannot list resource "pods" in API group ""',
  'Error from server (NotFound): pods "puppet" not found',
  'The connection to the server localhost:8080 was refused - did you specify the right host or port?',
];

/** A test, a function of a set-up, or a stage of the gate. */
function isDefined(name: string, file: string): boolean {
  const quoted = name.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
  const test = String.raw`\b(?:it|verifies)\(\s*(?:'[^'\n]*',\s*)?'${quoted}'`;
  return new RegExp(String.raw`${test}|\bfunction ${quoted}\(|^(?:await )?${quoted}\(`, 'm').test(file);
}

function faultOf(command: string, { test, of, says = command }: ElsewhereRow): readonly string[] {
  const file = readFileSync(join(repositoryRoot, test), 'utf8');
  if (!isDefined(of, file)) return [`${command}: ${test} has no "${of}"`];
  return file.includes(says) ? [] : [`${command}: ${test} does not say ${says}`];
}

describe('the commands of the pages for people who run Retainer', () => {
  it('have a row each, and no row is left over', () => {
    const documented = documentedCommands();
    expect(documented.length).toBeGreaterThan(50);
    expect(Object.keys(commandRows).toSorted()).toEqual(documented.toSorted());
  });

  it('are those of every page that is not for developers', () => {
    const named = ['README.md', 'SECURITY.md', 'charts/retainer/README.md', 'docs/live.md', 'docs/troubleshooting.md'];
    expect(pagesForUsers()).toEqual(expect.arrayContaining([...named, 'docs/memory.md', 'docs/runbooks.md']));
  });

  it('must show what nothing else does', () => {
    const weak = rowsOf('Run', 'Here').flatMap(([command, { shows }]) =>
      shows === 'Nothing' ? [] : BESIDE_THE_POINT.filter((told) => shows.test(told)).map((told) => [command, told]),
    );
    expect(weak).toEqual([]);
  });

  it('that another test runs stand there, in the test that is named', () => {
    expect(rowsOf('Elsewhere').flatMap(([command, row]) => faultOf(command, row))).toEqual([]);
  });

  it('that the night runs stand in its parts', () => {
    const missing = rowsOf('Night').filter(([, { part, says = '' }]) => {
      const line = PARTS.find(({ name }) => name === part)?.command?.join(' ');
      return line === undefined || !line.includes(says);
    });
    expect(missing).toEqual([]);
  });

  it('that are the same as another are run there', () => {
    const same = rowsOf('As').flatMap(([command, { row }]) => {
      const how = allRows[row]?.how;
      return how === undefined || how === 'As' || how === 'Never' ? [[command, row]] : [];
    });
    expect(same).toEqual([]);
  });

  it('are run by a test, except for what no machine of the tests has', () => {
    expect(rowsOf('Never').map(([command]) => command)).toEqual([
      'docker push REGISTRY/retainer/operator:TAG',
      'ANTHROPIC_API_KEY=… npm run live',
      "uv tool install 'litellm[proxy]'",
      'litellm --host 127.0.0.1 --model openai/MODEL --api_base http://127.0.0.1:PORT/v1',
    ]);
  });
});
