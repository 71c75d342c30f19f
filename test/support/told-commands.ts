/** The commands that the programs tell people to type: in conditions, Events, errors and reports, as their sources spell them. */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { repositoryFiles, repositoryRoot } from './repository-files.ts';

export interface Told {
  /** Relative. */
  readonly file: string;
  /** From the program on, with what follows in the sentence; `<1>`, `<2>` … stand for what is known when it is told. */
  readonly text: string;
}

const SOURCE = /^(?:contract|packages\/\w+|operator|agent-pod|sandbox-runner|cli)\/src\/.*(?<!\.test)\.ts$/;
/** A comment, or a literal. It knows no patterns: a quotation mark in one of them would begin a literal that ends with its line. */
const TOKEN = /\/\*[^]*?\*\/|(?<![:'"`\\])\/\/.*$|'((?:\\.|[^'\\\n])*)'|"((?:\\.|[^"\\\n])*)"|`((?:\\.|[^`\\])*)`/gm;
/** The name under which a person called it. */
const CALLED_AS = /\$\{program\} /g;
const EXPRESSION = /\$\{(?:[^{}]|\{[^{}]*\})*\}/g;
/** What ends a command in a sentence. */
const END = /[`;]|', |\s{2,}#|\. |, then /;
/** A shorter one is a mention of the program. */
const WORDS_MIN = 3;

function literalsOf(source: string): readonly string[] {
  return [...source.matchAll(TOKEN)].flatMap(([, single, double, template]) => single ?? double ?? template ?? []);
}

function numbered(literal: string): string {
  let count = 0;
  return literal.replaceAll(EXPRESSION, () => `<${(count += 1)}>`).replaceAll('\\', '');
}

/** Each mention of a program with what follows it, up to the next one; a release of helm has its name, too. */
export function mentionsOf(program: 'retainer' | 'kubectl', text: string): readonly string[] {
  const its = String.raw`(?<![\w/-]|helm (?:un)?install )${program} `;
  return text.match(new RegExp(`${its}(?:(?!${its}).)*`, 'g')) ?? [];
}

/** Each mention in the sources of the programs. */
export function toldOf(program: 'retainer' | 'kubectl'): readonly Told[] {
  return repositoryFiles()
    .map((path) => ({ path, file: relative(repositoryRoot, path) }))
    .filter(({ file }) => SOURCE.test(file))
    .flatMap(({ path, file }) =>
      literalsOf(readFileSync(path, 'utf8'))
        .flatMap((literal) => mentionsOf(program, literal.replaceAll(CALLED_AS, 'retainer ')))
        .map((text) => ({ file, text: numbered(text) })),
    );
}

/** Those of kubectl, each once. */
export function toldCommands(): readonly string[] {
  const commands = toldOf('kubectl').map(({ text }) => (text.split(END)[0] ?? '').trim());
  return [...new Set(commands.filter((command) => command.split(' ').length >= WORDS_MIN))];
}
