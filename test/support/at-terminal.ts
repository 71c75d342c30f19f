/** The real program at a terminal of its own, as a job of a shell. Needs python3. */
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { programPath } from './retainer-command.ts';

const helper = fileURLToPath(new URL('terminal.py', import.meta.url));
const running = new Set<ChildProcess>();

/** For `afterAll`: a test that failed leaves no program behind. */
export function closeTerminals(): void {
  for (const child of running) child.kill('SIGKILL');
}

export interface TerminalEnd {
  /** `exit 0`, `signal 6`. */
  readonly end: string;
  readonly shown: string;
}

export class AtTerminal {
  readonly ended: Promise<TerminalEnd>;
  readonly #child: ChildProcess;
  #shown = '';
  #news = '';

  constructor(where: 'front' | 'back', args: readonly string[]) {
    const env = { ...process.env, ANTHROPIC_API_KEY: '', ANTHROPIC_BASE_URL: '', NO_COLOR: '1' };
    this.#child = spawn('python3', [helper, where, process.execPath, programPath, ...args], { env, stdio: 'pipe' });
    running.add(this.#child);
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#shown += text;
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#news += text;
    });
    this.#child.stdin?.on('error', () => undefined);
    this.ended = new Promise((resolve) => {
      this.#child.on('close', () => {
        running.delete(this.#child);
        resolve({ end: /^(exit|signal) \d+$/m.exec(this.#news)?.[0] ?? this.#news, shown: this.#shown });
      });
    });
  }

  order(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  async shows(text: string, times = 1): Promise<void> {
    await expect.poll(() => this.#shown.split(text).length - 1, { timeout: 60_000 }).toBeGreaterThanOrEqual(times);
  }

  get shown(): string {
    return this.#shown;
  }

  /** To the job, as the keys of the terminal would. */
  signal(name: NodeJS.Signals): void {
    process.kill(-this.#pid(), name);
  }

  /** Of the job, as /proc says: R, S, T. */
  state(): string {
    return this.#stat()[0] ?? '';
  }

  /** Whether the job has the terminal. */
  isInFront(): boolean {
    const [, , group, , , front] = this.#stat();
    return group === front;
  }

  #stat(): readonly string[] {
    const stat = readFileSync(`/proc/${this.#pid()}/stat`, 'utf8');
    return stat.replace(/^.*\) /s, '').split(' ');
  }

  #pid(): number {
    return Number(/^pid (\d+)$/m.exec(this.#news)?.[1]);
  }
}
