/** What all commands of this folder say to a line that they do not understand. */
import { parseArgs } from 'node:util';

/** More of anything is a slip of the finger. */
const NUMBER_MAX = 100_000;

/** @throws an error that names the option */
export function wholeNumber(option, text, least, most = NUMBER_MAX) {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= least && number <= most) return number;
  throw new Error(`${option} ${text}: it is a whole number from ${least} to ${most}`);
}

/**
 * Ends the process with the help where that is asked for, and with the fault where the line has one.
 *
 * @template T
 * @param {string} command
 * @param {string} help
 * @param {import('node:util').ParseArgsOptionsConfig} options
 * @param {(line: { values: Record<string, any>, positionals: string[] }) => T} meaning  throws where the line means nothing
 * @returns {T}
 */
export function readOptions(command, help, options, meaning) {
  try {
    const line = parseArgs({ options: { ...options, help: { type: 'boolean' } }, allowPositionals: true });
    if (line.values.help !== true) return meaning(line);
    process.stdout.write(help);
    process.exit(0);
  } catch (error) {
    // Node goes on about words that begin with dashes.
    process.stderr.write(
      `${command}: ${error.message.split(/\. |\n/)[0]}\nnpm run ${command} -- --help tells what there is\n`,
    );
    process.exit(2);
  }
}
