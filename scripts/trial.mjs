/**
 * What the trials of README.md share: a fresh clone, and the commands of its section "On a cluster", typed one after the other. Each is
 * printed with what it answered and how long it took.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

/**
 * Of what is committed here.
 *
 * @param {string} name  of the trial
 * @returns {{ readonly scratch: string, readonly clone: string, readonly commands: readonly string[] }}  `scratch` holds the clone, and
 *   is the caller's to remove
 */
export function freshClone(name) {
  const scratch = mkdtempSync(join(tmpdir(), `retainer-${name}-`));
  const clone = join(scratch, 'retainer');
  execFileSync('git', ['clone', '--quiet', process.cwd(), clone]);
  return { scratch, clone, commands: commandsOf(readFileSync(join(clone, 'README.md'), 'utf8')) };
}

/** The commands of the section's first block, without their comments. */
function commandsOf(readme) {
  const [, section = ''] = readme.split('\n## On a cluster\n');
  const [, block = ''] = /```sh\n([\s\S]*?)```/.exec(section) ?? [];
  const commands = block.split('\n').map((line) => line.replace(/\s{2,}#.*$/, '').trim());
  return commands.filter((line) => line !== '');
}

/**
 * @param {readonly string[]} commands
 * @param {{ readonly cwd: string, readonly env: Readonly<Record<string, string | undefined>> }} options
 * @throws an error where one fails, or there is none
 */
export function typeAll(commands, options) {
  const { status } = spawnSync('bash', ['-c', scriptOf(commands)], {
    ...options,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0 || commands.length === 0) throw new Error('the commands of README.md do not work');
}

/** One shell for all, since one exports what the next needs; it stops at the first that fails. */
function scriptOf(commands) {
  const steps = commands.map(
    (command) =>
      `printf '\\n$ %s\\n' ${quoted(command)}; began=$SECONDS; ${command}; echo "[$((SECONDS - began)) s]" >&2`,
  );
  return ['set -euo pipefail', ...steps].join('\n');
}

function quoted(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
