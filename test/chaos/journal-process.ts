/** Starts `journal-child.ts` on the journal as built, and reads what it says. */
import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('journal-child.ts', import.meta.url));

export class JournalProcess {
  readonly child: ChildProcess;
  readonly lines: string[] = [];
  readonly ended: Promise<number | null>;
  #rest = '';
  #wake: () => void = () => undefined;

  /** @param prefix  a program to run it under, with its arguments */
  constructor(args: readonly string[], prefix: readonly string[] = []) {
    const line = [...prefix, process.execPath, '--import', 'tsx', script, ...args];
    const [program = '', ...rest] = line;
    this.child = spawn(program, rest, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.child.stdout?.on('data', (chunk: Buffer) => this.#take(chunk.toString()));
    this.ended = new Promise((resolve) => {
      this.child.on('close', (code) => {
        resolve(code);
        this.#wake();
      });
    });
  }

  tell(line: string): void {
    this.child.stdin?.write(`${line}\n`);
  }

  /** The first line from `from` on that starts with one of the words. */
  async line(words: readonly string[], from = 0): Promise<string> {
    for (;;) {
      const found = this.lines.slice(from).find((line) => words.some((word) => line.startsWith(word)));
      if (found !== undefined) return found;
      if (this.child.exitCode !== null || this.child.signalCode !== null)
        throw new Error(`the process ended before it said ${words.join(' or ')}: ${this.lines.slice(-3).join(' | ')}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Number → sequence, of all that was acknowledged. */
  acknowledged(): ReadonlyMap<number, number> {
    const acks = this.lines.map((line) => /^ack (\d+) (\d+)$/.exec(line)).filter((found) => found !== null);
    return new Map(acks.map(([, n, seq]) => [Number(n), Number(seq)]));
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }

  #take(text: string): void {
    const parts = (this.#rest + text).split('\n');
    this.#rest = parts.pop() ?? '';
    this.lines.push(...parts);
    this.#wake();
  }
}
