/**
 * What the trials of README.md share: a fresh clone, and the commands of its section "On a cluster", typed one after the other. Each is
 * printed with what it answered and how long it took.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
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

/** Seconds without a word after which people take a program for dead. `dev:cluster` says something each 15 s. */
const SILENCE_SECONDS_MAX = 60;
const OF_SILENCE = 'npm run dev:';

/** What a command of README.md shows to those who type it, by its beginning. */
const SHOWN = [
  ['kubectl get retainer', /meteorologist/],
  ['kubectl get task wettest-month', /November/],
  ['kubectl wait task/rewrite-record', /condition met/],
  ['kubectl describe task rewrite-record', /source-data-is-read-only/],
];

/**
 * @param {readonly string[]} commands
 * @param {{ readonly cwd: string, readonly env: Readonly<Record<string, string | undefined>> }} options
 * @throws an error where one fails, shows something else, or is silent for too long, or there is none
 */
export async function typeAll(commands, options) {
  const shell = spawn('bash', ['-c', scriptOf(commands)], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const typed = new Typed();
  shell.stdout.setEncoding('utf8').on('data', (text) => typed.said(text, process.stdout));
  shell.stderr.setEncoding('utf8').on('data', (text) => typed.said(text, process.stderr));
  const [status] = await once(shell, 'close');
  typed.ended();
  if (status !== 0 || commands.length === 0) throw new Error('the commands of README.md do not work');
  const faults = commands.flatMap((command) => typed.faultsOf(command));
  if (faults.length > 0) throw new Error(faults.join('\n'));
}

/** Tells by the lines of the script itself which command says something. */
class Typed {
  #command = '';
  #heardMs = Date.now();
  #texts = new Map();
  #silences = new Map();
  /** By stream, what it has said since its last line break: a chunk may end within a word. */
  #partials = new Map();

  said(text, stream) {
    stream.write(text);
    const silence = (Date.now() - this.#heardMs) / 1000;
    this.#silences.set(this.#command, Math.max(silence, this.#silences.get(this.#command) ?? 0));
    this.#heardMs = Date.now();
    const lines = `${this.#partials.get(stream) ?? ''}${text}`.split('\n');
    this.#partials.set(stream, lines.pop());
    for (const line of lines) this.#note(line);
  }

  /** After the last text of all streams. */
  ended() {
    for (const line of this.#partials.values()) this.#note(line);
  }

  #note(line) {
    if (line.startsWith('$ ')) this.#command = line.slice(2);
    else this.#texts.set(this.#command, `${this.#texts.get(this.#command) ?? ''}${line}\n`);
  }

  faultsOf(command) {
    const text = this.#texts.get(command) ?? '';
    const unshown = SHOWN.filter(([beginning, shown]) => command.startsWith(beginning) && !shown.test(text));
    const silence = command.startsWith(OF_SILENCE) ? (this.#silences.get(command) ?? 0) : 0;
    if (silence > 0) process.stdout.write(`${command}: silent for ${Math.round(silence)} s at most\n`);
    return [
      ...unshown.map(([, shown]) => `${command} does not show ${shown}`),
      ...(silence > SILENCE_SECONDS_MAX ? [`${command} said nothing for ${Math.round(silence)} s`] : []),
    ];
  }
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
