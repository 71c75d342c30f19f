/**
 * Writes the tables of `docs/one-task.md` from a Task that ran: `npm run walk`. The Task is the first of `manifests/examples`; its
 * model is scripted, its code runs in the sandbox of this machine. Which files it passes through is told by V8, function by function.
 *
 * A file counts if a function of it was called beyond the loading of its module. Tables of types do not count, nor generated files.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { directoryOf, rooms, sources } from './layers.mjs';

const repository = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const pagePath = join(repository, 'docs/one-task.md');

/** The Task takes seconds; a loaded machine takes many times that. */
const RUN_MS_MAX = 300_000;

/** Tables of the page in their order: each has what ran first until the line was told that the pattern finds. */
const CHAPTERS: Readonly<Record<string, RegExp>> = {
  before: /^agent /,
  admitted: / run +admitted /,
  perceived: / perceiver +understands/,
  dispatched: / dispatcher +starts/,
  worked: / executor .* answers: /,
  judged: / steerer +round 1/,
  closed: /^the result$/,
  after: /^the end$/,
};

/** What works beside the Task, by room: it is called at moments of its own, so it belongs to no chapter. */
const BESIDE: Readonly<Record<string, string>> = {
  'cli/src/': 'told',
  'agent-pod/src/upkeep/': 'clock',
};

export interface WalkedFile {
  /** Below the root of the repository. */
  readonly path: string;
  readonly lines: number;
  /** The first sentence of its docstring; empty where it has none. */
  readonly what: string;
}

export interface Walk {
  /** By chapter; each file once, in the order of rooms. `before` and `after` have what the Task itself did not call. */
  readonly chapters: ReadonlyMap<string, readonly WalkedFile[]>;
  /** All that the Task called. */
  readonly task: readonly WalkedFile[];
}

interface Step {
  /** The line that was told next. */
  readonly until: string;
  /** Names of functions by path of the built module. */
  readonly called: Readonly<Record<string, readonly string[]>>;
}

/**
 * Plays the Task as `npm start` does, without the auditor, which is a process of its own.
 * @param directory  takes the manifests and the data
 * @param root  of a built tree
 * @throws when it does not end accepted
 */
export function walkTask(directory: string, root: string = repository): Walk {
  const manifests = manifestsOfOne(directory, root);
  const file = join(directory, 'called.json');
  const played = [root, file, '-f', manifests, '--data', join(directory, 'data'), '--no-auditor'];
  const { ANTHROPIC_API_KEY: _key, ...env } = process.env;
  const run = spawnSync(process.execPath, [join(repository, 'scripts/play-covered.mjs'), ...played], {
    env: { ...env, NO_COLOR: '1' },
    encoding: 'utf8',
    timeout: RUN_MS_MAX,
  });
  if (run.status !== 0 || !/^ACCEPTED /m.test(run.stdout))
    throw new Error(`the Task failed:\n${run.stdout}${run.stderr}`);
  return walkOf(JSON.parse(readFileSync(file, 'utf8')) as readonly Step[], root);
}

/** The examples with the first Task alone. @returns their directory */
function manifestsOfOne(directory: string, root: string): string {
  const manifests = join(directory, 'manifests');
  cpSync(join(root, 'manifests/examples'), manifests, { recursive: true });
  const tasks = join(manifests, 'tasks.yaml');
  writeFileSync(tasks, String(parseAllDocuments(readFileSync(tasks, 'utf8'))[0]));
  return manifests;
}

function walkOf(steps: readonly Step[], root: string): Walk {
  const firsts = firstCalls(steps, root);
  const files = new Map([...firsts.keys()].map((path) => [path, walkedFile(path, root)]));
  const inChapter = (name: string): readonly WalkedFile[] =>
    [...files.values()].filter(({ path }) => firsts.get(path) === name).toSorted(inOrder);
  const names = [...Object.keys(CHAPTERS), ...Object.values(BESIDE)];
  const chapters = new Map(names.map((name) => [name, inChapter(name)]));
  const task = names.filter((it) => it !== 'before' && it !== 'after').flatMap((it) => chapters.get(it) ?? []);
  return { chapters, task };
}

/** @returns the chapter of each file: the first within the Task that called it, or else `before` or `after` */
function firstCalls(steps: readonly Step[], root: string): ReadonlyMap<string, string> {
  const firsts = new Map<string, string>();
  const names = Object.keys(CHAPTERS);
  let at = 0;
  for (const { until, called } of steps) {
    const chapter = names[at] ?? 'after';
    for (const [module, functions] of Object.entries(called)) {
      const path = module.replace('/dist/', '/src/').replace(/\.js$/, '.ts');
      const known = firsts.get(path);
      if (known !== undefined && (known !== 'before' || chapter === 'after')) continue;
      if (known === 'before' || !isTable(readFileSync(join(root, path), 'utf8'), functions)) firsts.set(path, chapter);
    }
    if (CHAPTERS[chapter]?.test(until) === true) at += 1;
  }
  if (at !== names.length) throw new Error(`the Task never told the end of the chapter ${names[at]}`);
  return new Map([...firsts].map(([path, chapter]) => [path, besideOf(path, chapter)]));
}

/** The command line and the clock have a table each; what the clock called before the Task goes on beside it. */
function besideOf(path: string, chapter: string): string {
  const beside = Object.entries(BESIDE).find(([room]) => path.startsWith(room))?.[1];
  if (beside === undefined || chapter === 'after') return chapter;
  return chapter === 'before' && beside === 'told' ? chapter : beside;
}

/** Types and tables: its functions have no names, since they are checks within schemas. A generated file says so in its first line. */
function isTable(text: string, functions: readonly string[]): boolean {
  const declares = /^(export )?(async )?(function|class) |^(export )?const \w+(: [^=\n]+)? = (async )?(<|\()/m.test(
    text,
  );
  const isSchema = /^import .* from 'zod';$/m.test(text) && !declares && functions.every((name) => name === '');
  return isSchema || /^\/\*\*.*do not edit/i.test(text);
}

function walkedFile(path: string, root: string): WalkedFile {
  const text = readFileSync(join(root, path), 'utf8');
  return { path, lines: text.split('\n').length - 1, what: firstSentence(text) };
}

/** Of the docstring of the file, or else of the first thing that it exports. */
function firstSentence(text: string): string {
  const docstring = /^\/\*\*(.*?)\*\//s.exec(text) ?? /\/\*\*((?:(?!\*\/).)*)\*\/\nexport /s.exec(text);
  const words = (docstring?.[1] ?? '')
    .replaceAll(/^ *\* ?/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return /^.*?[.?!](?= |$)/.exec(words)?.[0] ?? words;
}

/** In the order in which they may import each other. What is directly below `src` puts rooms together, so it comes after them. */
const ROOMS = [...Object.keys(rooms).map(directoryOf), ...Object.values(sources).map((path) => `${path}/`)];

const roomOf = (path: string): string => ROOMS.find((room) => path.startsWith(room)) ?? path;

function inOrder(a: WalkedFile, b: WalkedFile): number {
  return ROOMS.indexOf(roomOf(a.path)) - ROOMS.indexOf(roomOf(b.path)) || (a.path < b.path ? -1 : 1);
}

const linesOf = (files: readonly WalkedFile[]): number => files.reduce((sum, file) => sum + file.lines, 0);
const total = (files: readonly WalkedFile[]): string =>
  `${files.length} files, ${linesOf(files).toLocaleString('en')} lines`;

/** As a cell of a table. A docstring names other files by their place in its own package, which is no path of the repository. */
const quoted = (what: string): string => what.replaceAll('|', '\\|').replaceAll(/`([^`]*\/[^`]*)`/g, '$1');

function fileTable(files: readonly WalkedFile[]): string {
  const rows = files.map(({ path, lines, what }) => `| \`${path}\` | ${lines} | ${quoted(what)} |`);
  return [`${total(files)}:`, '', '| file | lines | what |', '|---|--:|---|', ...rows].join('\n');
}

function roomTable(files: readonly WalkedFile[]): string {
  const names = [...new Set<string>(files.toSorted(inOrder).map(({ path }) => roomOf(path)))];
  const rows = names.map((room) => {
    const inside = files.filter(({ path }) => roomOf(path) === room);
    return `| \`${room}\` | ${inside.length} | ${linesOf(inside).toLocaleString('en')} |`;
  });
  return [`${total(files)}:`, '', '| room | files | lines |', '|---|--:|--:|', ...rows].join('\n');
}

/** @returns the page with the tables as the Task went */
export function walkedPage(page: string, { chapters, task }: Walk): string {
  const tables = new Map([['task', roomTable(task)]]);
  for (const [name, files] of chapters)
    tables.set(name, name === 'before' || name === 'after' ? roomTable(files) : fileTable(files));
  return [...tables].reduce((text, [name, table]) => replaced(text, name, table), page);
}

function replaced(text: string, name: string, table: string): string {
  const [begin, end] = [`<!-- generated by npm run walk: ${name} -->\n`, '<!-- end -->'];
  const from = text.indexOf(begin);
  const to = text.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`docs/one-task.md has no place for the table ${name}`);
  return `${text.slice(0, from)}${begin}\n${table}\n\n${text.slice(to)}`;
}

/** Prints the totals of the tree in the first argument, of this one by default; of this one, the page is written, too. */
function main(root: string | undefined): void {
  const directory = mkdtempSync(join(tmpdir(), 'retainer-walk-'));
  try {
    const walk = walkTask(directory, root);
    for (const [name, files] of [['task', walk.task] as const, ...walk.chapters])
      console.log(`${name}: ${total(files)}`);
    if (root === undefined) writeFileSync(pagePath, walkedPage(readFileSync(pagePath, 'utf8'), walk));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main(process.argv[2]);
