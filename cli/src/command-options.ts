/** Options and help that several commands share. */
import { Option } from 'commander';

/** Takes the exit code of a command. */
export type Finish = (code: number) => void;

export function dataOption(): Option {
  return new Option('--data <dir>', 'data directory, or a copy of it (default: the only one in .retainer)');
}

export function outputOption(): Option {
  return new Option('-o, --output <format>', 'output format: text for people, json for programs')
    .choices(['text', 'json'])
    .default('text');
}

export function examples(lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}\n`;
}
