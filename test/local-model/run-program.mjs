import { spawn } from 'node:child_process';

/** Characters of what a program says that are kept: its last words tell why it failed. */
const OUTPUT_CHARACTERS_MAX = 65_536;

/**
 * Runs a program to its end, and keeps the end of what it says.
 *
 * @param {readonly string[]} command
 * @param {{ readonly cwd: string, readonly env: Readonly<Record<string, string | undefined>> }} options
 * @returns {Promise<{ readonly code: number | null, readonly output: string, readonly isMissing: boolean }>} isMissing: there is no
 *   such program on the PATH
 */
export function runProgram([program, ...argv], options) {
  return new Promise((resolve) => {
    const child = spawn(program, argv, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const keep = (text) => {
      output = (output + text).slice(-OUTPUT_CHARACTERS_MAX);
    };
    child.stdout.setEncoding('utf8').on('data', keep);
    child.stderr.setEncoding('utf8').on('data', keep);
    child.on('error', (error) => resolve({ code: null, output: String(error), isMissing: error.code === 'ENOENT' }));
    child.on('close', (code) => resolve({ code, output, isMissing: false }));
  });
}
