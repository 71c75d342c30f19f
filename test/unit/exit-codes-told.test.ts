/** Every page and every help names exit codes as the programs have them: each mention is bound to the code that it means, by name. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { exitCodes as auditor, helpText } from '@retainer/agent-pod/audit/auditor-options';
import { AGENT_EXIT_CODES as agent } from '@retainer/contract/wire/agent-exit';
import { exitCodeLines, exitCodes as cli } from '../../cli/src/exit-codes.ts';
import { verifies } from '../verifies.ts';

const docs = new URL('../../docs/', import.meta.url);
const pages = ['../README.md', ...readdirSync(docs).filter((name) => name.endsWith('.md'))];

const rawOf = (page: string): string => readFileSync(new URL(page, docs), 'utf8');
const textOf = (page: string): string => rawOf(page).replaceAll(/\s+/g, ' ');

const codes: Readonly<Record<string, number>> = {
  ...cli,
  ...Object.fromEntries(Object.entries(auditor).map(([name, code]) => [`auditor.${name}`, code])),
  ...Object.fromEntries(Object.entries(agent).map(([name, code]) => [`agent.${name}`, code])),
  /** Of a script of this repository, or of a program in an example: no code of ours. */
  other: 1,
};

/** What a page says, with the name of each code in its place. */
const mentions: readonly (readonly [page: string, says: string])[] = [
  ['auditor.md', 'as the termination message of its container and ends with {auditor.alarm}.'],
  ['backup.md', 'For another commit it refuses (exit code {held}) and tells the command that finishes'],
  ['cli.md', 'A command that only prints ends with {done} if its reader had seen enough, and with {outputLost} if'],
  ['cli.md', '**A missing right** ends the command with exit code {usage}.'],
  ['cli.md', 'A suspended Agent does not start (exit code {usage}).'],
  ['cli.md', 'another one ends with exit code {held}.'],
  ['cli.md', 'ends NotStarted with the reason (exit code {unfinished})'],
  ['cli.md', 'ends `AwaitingApproval` or `AwaitingAnswer` (exit code {awaiting}) with the command to type'],
  ['cli.md', 'the command names its place, and the exit code is {record}.'],
  ['cli.md', 'the command names the ids that there are (exit code {usage}).'],
  ['cli.md', 'A record without a start ends the command with exit code {usage}.'],
  ['cli.md', 'Ctrl-C ends it with exit code {done}.'],
  ['cli.md', 'An unknown id ends with exit code {usage} and the ids that there are'],
  ['cli.md', 'such as a pause of a job that is over, ends with exit code {usage} and the reason'],
  ['cli.md', 'a letter that is not held is refused with exit code {usage} and the reason'],
  ['cli.md', '`ok`, `skip`, `warn` or `fail`, and ends with {failed} if one failed'],
  ['cli.md', 'An unknown id ends the command with exit code {usage}.'],
  ['cli.md', 'A gap is reported for ever: by `verify` (exit code {gap})'],
  ['cli.md', '`retainer run` ends with exit code {rolledBack}, as `verify` does'],
  [
    'cli.md',
    'Exit code {usage}: no such commit, an address that holds a password, or a target that is not empty; {failed}: git failed',
  ],
  ['cli.md', '{record} to {rolledBack} as for `journal verify`: nothing is restored; {held}: a backup is being made'],
  [
    'cli.md',
    'Exit code: {done} measured, {usage} the data cannot be read (with file and line) or a flag is wrong, {failed} the table of words',
  ],
  ['cli.md', 'The exit code is {done} whatever the verdicts are, and {usage} if an input was wrong'],
  [
    'cli.md',
    'The exit code is {gotThrough} if an attack got through, {done} if none did, and {usage} if the manifests or flags are wrong',
  ],
  ['cli.md', 'The exit code is {usage} if RECORD is no refusal or `--reason` is missing'],
  [
    'cli.md',
    'The exit code shows the worst verdict: {done} Flourishing, {unfinished} Constrained, {refused} Prohibited',
  ],
  ['cli.md', 'as doctor does, and exits with {failed};'],
  ['cli.md', 'tells how far it is, and exits with {failed} if it is halted'],
  ['cli.md', 'it changes nothing and exits with {done}.'],
  ['cli.md', 'The exit code is {done}, even with warnings, and {failed} if a check failed'],
  ['live.md', 'It exits with {other} if Retainer accepted a task that is not right'],
  ['live.md', 'offline; exits with {record} where a decision differs'],
  ['one-task.md', '"text":"exit code {other}\\n'],
  ['operations.md', 'The exit code is {failed} if a check failed.'],
  ['operations.md', '`show` prints the records before the damage and ends with exit code {record}.'],
  ['runbooks.md', 'an auditor that ends (exit code {auditor.environment} or {auditor.ownRecord})'],
  ['troubleshooting.md', 'A command that only prints ends with {outputLost} |'],
  ['verdicts.md', 'each criterion with its reason, and exit code {unfinished}'],
  ['verdicts.md', 'step 2, page 4, line 12, exit code {other})'],
];

const ofACode = /(?:exit codes?(?: is|:)? |exits with |ends? (?:it |the command )?with (?:exit code )?)\d+\b/gi;

function said(says: string): string {
  return says.replaceAll(/\{([\w.]+)\}/g, (_, name: string) => String(codes[name] ?? `no code ${name}`));
}

verifies('cli:exit-codes-as-told', 'on every page, wherever it names one', () => {
  const left: string[] = [];
  for (const page of pages) {
    let text = textOf(page);
    for (const [, says] of mentions.filter(([of]) => of === page)) {
      expect(text, `${page}: ${says}`).toContain(said(says));
      text = text.replace(said(says), '');
    }
    left.push(...(text.match(ofACode) ?? []).map((mention) => `${page}: ${mention}`));
  }
  expect(left, 'a mention without a row').toEqual([]);
});

/** The first cells of a table of a page. */
function tableOf(page: string, head: string): readonly number[] {
  const text = rawOf(page);
  const at = text.indexOf(head);
  expect(at, `${page}: ${head}`).toBeGreaterThan(-1);
  const table = text.slice(at).split('\n\n')[0] ?? '';
  return [...table.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
}

const sorted = (of: Readonly<Record<string, number>>): readonly number[] => Object.values(of).toSorted((a, b) => a - b);

verifies('cli:exit-codes-as-told', 'in the tables of the pages', () => {
  expect(tableOf('cli.md', '| code | meaning |')).toEqual(sorted(cli));
  expect(tableOf('auditor.md', '| exit code | meaning |')).toEqual(sorted(auditor));
  const killed = 137;
  const told = tableOf('runbooks.md', '| exit code of `agent` | cause |').toSorted((a, b) => a - b);
  expect(told).toEqual([...sorted(agent).filter((code) => code !== agent.drained), killed]);
  expect(sorted(auditor)).toEqual(
    expect.arrayContaining([...tableOf('runbooks.md', '| exit code of `auditor` | cause |')]),
  );
});

verifies('cli:exit-codes-as-told', 'in the help of the programs', () => {
  expect(exitCodeLines.map((line) => Number.parseInt(line, 10))).toEqual(sorted(cli));
  const lines = helpText.slice(helpText.indexOf('Exit codes:'), helpText.indexOf('Examples:'));
  const told = [...lines.matchAll(/(?:^| {2,})(\d) {2}\S/gm)].map(([, code]) => Number(code));
  expect(told.toSorted((a, b) => a - b)).toEqual(sorted(auditor));
});
