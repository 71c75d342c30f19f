/** Starts `backup-child.ts`, and sends it what to do. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { BackupRequest } from '../chaos/backup-child.ts';

const script = fileURLToPath(new URL('../chaos/backup-child.ts', import.meta.url));

export class BackupProcess {
  /** Of the process, and of whatever it runs under. */
  readonly child: ChildProcess;
  /** How it ended: nothing is answered after that. */
  readonly ended: Promise<void>;
  readonly #lines: AsyncIterator<string>;

  /** @param prefix  a program to run it under, with its arguments. @param environment  beside that of the test */
  constructor(
    dataDirectory: string,
    prefix: readonly string[] = [],
    environment: Readonly<Record<string, string>> = {},
  ) {
    const line = [...prefix, process.execPath, '--conditions=source', '--import', 'tsx', script, dataDirectory];
    const [program = '', ...args] = line;
    // A group of its own has also what it leaves behind when it is killed.
    this.child = spawn(program, args, {
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
      env: { ...process.env, ...environment },
    });
    // What kills it may be quicker than the request.
    this.child.stdin?.on('error', () => undefined);
    this.ended = new Promise((resolve) => this.child.on('close', () => resolve()));
    if (this.child.stdout === null) throw new Error('it has a standard output');
    this.#lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
  }

  /** When it can be asked. */
  async ready(): Promise<this> {
    if ((await this.#line()) !== 'ready') throw new Error('it ended before it was ready');
    return this;
  }

  /** @returns its answer; undefined if it ended before that */
  async ask(request: BackupRequest): Promise<string | undefined> {
    this.child.stdin?.write(`${JSON.stringify(request)}\n`);
    return await this.#line();
  }

  /** Whether anything that it started still runs. */
  hasLeftAny(): boolean {
    try {
      process.kill(-this.pid, 0);
      return true;
    } catch {
      return false;
    }
  }

  get pid(): number {
    if (this.child.pid === undefined) throw new Error('it was not started');
    return this.child.pid;
  }

  async close(): Promise<void> {
    this.child.stdin?.end();
    await this.ended;
  }

  async #line(): Promise<string | undefined> {
    const { value, done } = await this.#lines.next();
    return done === true ? undefined : value;
  }
}
