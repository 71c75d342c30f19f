/** docs/why.md boasts of nothing: each cell names what shows it, a rule or command of ours, or a file or thread of others. */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { requirements } from './requirements.ts';
import { repositoryFiles, repositoryRoot } from './support/repository-files.ts';
import { retainerHere } from './support/retainer-here.ts';

const page = readFileSync(`${repositoryRoot}/docs/why.md`, 'utf8');
const { scripts } = JSON.parse(readFileSync(`${repositoryRoot}/package.json`, 'utf8')) as {
  scripts: Record<string, string>;
};

const QUESTION = 'question';
const OURS = 'Retainer';
/** Cells that say nothing of a project. */
const NO_CLAIM: readonly string[] = ['–', 'not looked at', 'not published'];

type Row = Readonly<Record<string, string>>;

/** The first table below a heading: the cells of each row by the heads of their columns. */
function tableBelow(heading: string): readonly Row[] {
  const [, section = ''] = `\n${page}`.split(`\n${heading}\n`);
  const [, table = ''] = /((?:^\|.*\n)+)/m.exec(section) ?? [];
  const [heads = [], , ...rows] = table.trimEnd().split('\n').map(cellsOf);
  return rows.map((cells) => Object.fromEntries(heads.map((head, at) => [head, cells[at] ?? ''])));
}

function cellsOf(line: string): readonly string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

const questions = tableBelow('## What each does');
const missing = tableBelow('## What others have and Retainer has not');
/** Where each link of the page leads, by its name. */
const links = new Map([...page.matchAll(/^\[([\w-]+)\]: (\S+)$/gm)].map(([, name = '', url = '']) => [name, url]));

/** What was read of a project: its repository, and the starts of the revisions. */
interface Reading {
  readonly repository: string;
  readonly revisions: readonly string[];
}

const readings: Readonly<Record<string, Reading>> = Object.fromEntries(
  tableBelow('# Why Retainer, and when not').map(({ project = '', 'read at': readAt = '' }) => {
    const [, name = '', repository = ''] = /^\[(.+)\]\(https:\/\/github\.com\/(.+)\)$/.exec(project) ?? [];
    return [name, { repository, revisions: readAt.match(/\b[0-9a-f]{7}\b/g) ?? [] }];
  }),
);

function linkNamesOf(text: string): readonly string[] {
  return [...text.matchAll(/\]\[([\w-]+)\]/g)].map(([, name = '']) => name);
}

const THREAD = /^https:\/\/github\.com\/[\w-]+\/[\w-]+\/(?:(?:issues|pull)\/\d+|releases\/tag\/v[\d.]+)$/;
const FILE = /^https:\/\/github\.com\/([\w-]+\/[\w-]+)\/(?:blob|tree)\/([0-9a-f]{40})\/./;

/** Whether it leads to what cannot change unseen: a thread, a release, or a file of `reading` at a revision that was read. */
function isEvidence(url: string, { repository, revisions }: Reading): boolean {
  if (THREAD.test(url)) return true;
  const [, of, revision = ''] = FILE.exec(url) ?? [];
  return of === repository && revisions.some((start) => revision.startsWith(start));
}

describe('what docs/why.md says of others', () => {
  const cells = questions.flatMap((row) =>
    Object.entries(row)
      .filter(([project]) => project !== QUESTION && project !== OURS)
      .map(([project, cell]) => ({ project, question: row[QUESTION] ?? '', cell })),
  );
  const claims = cells.filter(({ cell }) => !NO_CLAIM.includes(cell));

  it('is about the projects that were read', () => {
    expect(missing).not.toEqual([]);
    expect([...new Set(cells.map(({ project }) => project))]).toEqual(Object.keys(readings));
    expect(Object.values(readings).filter(({ revisions }) => revisions.length === 0)).toEqual([]);
  });

  it.each(claims)('has its evidence: $project, $question', ({ project, cell }) => {
    const reading = readings[project];
    const names = linkNamesOf(cell);
    expect(names).not.toEqual([]);
    expect(names.filter((name) => !reading || !isEvidence(links.get(name) ?? '', reading))).toEqual([]);
  });

  it.each(missing.map((row) => [row['you need'], row['take'] ?? '']))('has its evidence: %s', (_, take) => {
    const isRead = (name: string): boolean =>
      Object.values(readings).some((reading) => isEvidence(links.get(name) ?? '', reading));
    expect(linkNamesOf(take)).not.toEqual([]);
    expect(linkNamesOf(take).filter((name) => !isRead(name))).toEqual([]);
  });

  it('gives each link once, and uses each', () => {
    expect([...links.keys()].toSorted()).toEqual([...new Set(linkNamesOf(page))].toSorted());
    expect(new Set(links.values()).size).toBe(links.size);
  });

  it('says something of everybody in each row', () => {
    const heads = [QUESTION, ...Object.keys(readings), OURS];
    expect(questions.length).toBeGreaterThan(10);
    expect(questions.filter((row) => heads.some((head) => !row[head]))).toEqual([]);
  });
});

/** What is written as code: a rule, or a command. */
function namedIn(text: string): readonly string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code).filter((code) => /[: ]/.test(code));
}

/** Whether the program has this command with these flags: its own help says so, not a page. */
async function isCommand(line: string): Promise<boolean> {
  const [, ...words] = line.split(' ');
  const isFlag = (word: string): boolean => word.startsWith('--');
  const path = words.filter((word) => !isFlag(word));
  const { code, text } = await retainerHere(...path, '--help');
  return (
    code === 0 &&
    text.startsWith(`Usage: retainer ${path.join(' ')} `) &&
    words.filter(isFlag).every((flag) => text.includes(`${flag} `))
  );
}

async function exists(evidence: string): Promise<boolean> {
  if (evidence.startsWith('npm run ')) return scripts[evidence.slice('npm run '.length)] !== undefined;
  if (evidence.startsWith('retainer ')) return isCommand(evidence);
  return evidence in requirements;
}

/** Those that are nowhere to be found. One after the other: each call of the program takes the standard streams. */
async function unknownOf(evidence: readonly string[]): Promise<readonly string[]> {
  const unknown: string[] = [];
  for (const one of evidence) if (!(await exists(one))) unknown.push(one);
  return unknown;
}

describe('what docs/why.md says of Retainer', () => {
  it.each(questions)('names what shows it: $question', async ({ [OURS]: cell = '' }) => {
    expect(namedIn(cell)).not.toEqual([]);
    expect(await unknownOf(namedIn(cell))).toEqual([]);
  });

  it('takes no command that the program has not', async () => {
    const wrong = ['retainer ponder', 'retainer gate ponder', 'retainer replay --ponder', 'retainer replay --char'];
    expect(await unknownOf(wrong)).toEqual(wrong);
  });
});

describe('the command by which docs/why.md shows a rule', () => {
  const [, shown = '', searched = ''] =
    /^npx vitest run -t '(.+?)' \$\(git grep -l "'(.+?)'" -- '\*\.test\.ts'\)$/m.exec(page) ?? [];
  const rules = [...new Set(questions.flatMap((row) => namedIn(row[OURS] ?? '')))].filter((id) => id in requirements);
  /** Files of tests, by the rule that they cite as the command searches for it. */
  let citing: ReadonlyMap<string, readonly string[]>;

  beforeAll(() => {
    const tests = repositoryFiles()
      .filter((path) => path.endsWith('.test.ts'))
      .map((path) => ({ path: path.slice(repositoryRoot.length + 1), text: readFileSync(path, 'utf8') }));
    citing = new Map(
      rules.map((id) => [id, tests.filter(({ text }) => text.includes(`'${id}'`)).map(({ path }) => path)]),
    );
  });

  it('finds the tests of each rule of the page by their names', () => {
    expect(rules).toContain(shown);
    expect(searched).toBe(shown);
    expect(rules.filter((id) => citing.get(id)?.length === 0)).toEqual([]);
  });

  it('needs a cluster where the page says so, and nowhere else', () => {
    const [, prefix = '', one = ''] =
      /^Rules that begin with `(.+?)` and `(.+?)` are shown on a cluster\./m.exec(page) ?? [];
    const needing = rules.filter((id) => citing.get(id)?.every((path) => path.startsWith('test/e2e/')));
    expect(needing).toEqual(rules.filter((id) => id.startsWith(prefix) || id === one));
    expect(needing.length).toBeLessThan(rules.length);
  });
});
