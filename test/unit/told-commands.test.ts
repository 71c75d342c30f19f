/** What programs and pages tell people to type: subcommands and options that the command line has, and commands that a test types. */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { documentedCommands } from '../support/documented-commands.ts';
import { repositoryFiles, repositoryRoot } from '../support/repository-files.ts';
import { retainerHere } from '../support/retainer-here.ts';
import { verifies } from '../verifies.ts';
import { toldRows } from '../support/told-command-rows.ts';
import { mentionsOf, toldCommands, toldOf } from '../support/told-commands.ts';

interface Help {
  readonly commands: readonly string[];
  readonly options: readonly string[];
}

const helps = new Map<string, Promise<Help>>();

function helpOf(path: readonly string[]): Promise<Help> {
  const key = path.join(' ');
  const known = helps.get(key) ?? readHelp(path);
  helps.set(key, known);
  return known;
}

async function readHelp(path: readonly string[]): Promise<Help> {
  const { code, text } = await retainerHere(...path, '--help');
  expect(code, path.join(' ')).toBe(0);
  const [before = '', listed = ''] = text.split(/^Commands:$/m);
  return {
    commands: [...listed.matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name = '']) => name),
    options: [...before.matchAll(/^ {2}(-.*?)(?: {2}|$)/gm)].flatMap(([, it = '']) => optionsIn(it)),
  };
}

const optionsIn = (text: string): readonly string[] => text.match(/(?<![\w-])--?[a-zA-Z][\w-]*/g) ?? [];

/** What is no part of the command any more: the rest of a sentence, a comment, the next program of a pipe. */
const END = /[`;]|\. |\s{2,}| \| (?!-)/;

/**
 * Goes from the program down as far as its words are subcommands; `approve|answer` goes down both ways.
 *
 * @returns what the command line does not have
 */
async function unknownIn(mention: string): Promise<readonly string[]> {
  const [line = ''] = mention.replace(/^retainer /, '').split(END);
  const words = line.split(' ');
  let paths: readonly (readonly string[])[] = [[]];
  for (const word of words) {
    const names = word.split('|').map((it) => it.replace(/[^\w-].*$/, ''));
    const all = await Promise.all(paths.map(async (path) => ({ path, ...(await helpOf(path)) })));
    const below = all.flatMap(({ path, commands }) =>
      names.filter((name) => commands.includes(name)).map((name) => [...path, name]),
    );
    if (below.length === 0) break;
    paths = below;
  }
  const isNone = paths.some(({ length }) => length === 0) && /^[a-z]/.test(line);
  const known = new Set((await Promise.all(paths.map(optionsOf))).flat());
  const unknown = optionsIn(line).filter((option) => !known.has(option));
  return [...(isNone ? words.slice(0, 1) : []), ...unknown];
}

/** With those of what is below, where the subcommand is left out or known only when it is told. */
async function optionsOf(path: readonly string[]): Promise<readonly string[]> {
  const { options, commands } = await helpOf(path);
  const below = path.length === 0 ? [] : await Promise.all(commands.map((name) => helpOf([...path, name])));
  return [...options, ...below.flatMap((it) => it.options)];
}

/** In the fences for a shell and of forms, and in the text between. */
function codeOf(page: string): readonly string[] {
  const fences = [...page.matchAll(/^ *```(?:sh)?\n(.*?)^ *```$/gms)].flatMap(([, text = '']) => text.split('\n'));
  const spans = [...page.replaceAll(/^ *```.*?^ *```$/gms, '').matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
  return [...fences, ...spans.map((code) => code.replaceAll(/\s+/g, ' ').replaceAll('\\|', '|'))];
}

const mentionsOfPages = repositoryFiles()
  .filter((path) => path.endsWith('.md') && !path.includes('/test/golden/'))
  .flatMap((path) =>
    codeOf(readFileSync(path, 'utf8'))
      .flatMap((code) => mentionsOf('retainer', code))
      .map((text) => ({ file: relative(repositoryRoot, path), text })),
  );

async function faultsOf(
  mentions: readonly { readonly file: string; readonly text: string }[],
): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const { file, text } of mentions) {
    const unknown = await unknownIn(text);
    if (unknown.length > 0) faults.push(`${file}: ${text.trim()}: ${unknown.join(' ')}`);
  }
  return faults;
}

describe('a command of retainer', () => {
  it('is known by its subcommands and options', async () => {
    expect(await unknownIn('retainer journal verify DIR')).toEqual([]);
    expect(await unknownIn('retainer journal mend DIR --force')).toEqual(['--force']);
    expect(await unknownIn('retainer repair --yes')).toEqual(['repair', '--yes']);
    expect(await unknownIn('retainer approve ID --denies')).toEqual(['--denies']);
  });

  verifies('e2e:told-commands', 'that a program tells people to type is one', async () => {
    const told = toldOf('retainer');
    expect(told.length).toBeGreaterThan(50);
    expect(await faultsOf(told)).toEqual([]);
  });

  verifies('e2e:told-commands', 'that a page names is one', async () => {
    expect(mentionsOfPages.length).toBeGreaterThan(200);
    expect(await faultsOf(mentionsOfPages)).toEqual([]);
  });
});

describe('a command of kubectl that a program tells people to type', () => {
  const documented = documentedCommands();

  verifies('e2e:told-commands', 'has a row, unless a page has it too, and no row is left over', () => {
    const told = toldCommands().filter((command) => !documented.includes(command));
    expect(told.length).toBeGreaterThan(20);
    expect(Object.keys(toldRows).toSorted()).toEqual(told.toSorted());
  });
});
