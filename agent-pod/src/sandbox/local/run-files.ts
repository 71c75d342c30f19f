/** The files of one run in a private directory, and their descriptors for bubblewrap. */
import { execFile } from 'node:child_process';
import { close as closeCallback, constants, open as openCallback, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { descriptors, etcFiles } from './bubblewrap-arguments.ts';

const open = promisify(openCallback);
const close = promisify(closeCallback);

export interface RunContents {
  readonly script: string;
  readonly stdin: string;
  readonly seccomp: Uint8Array;
}

export interface RunStatus {
  /** Host id of the sandbox's first process. */
  readonly firstProcess: number | undefined;
  /** Undefined until the script has ended. */
  readonly exitCode: number | undefined;
}

/** Open to all, because scripts reopen the pipes as `/dev/stdout`; their directory is private. */
const PIPE_MODE = '666';

export class RunFiles {
  readonly #directory: string;
  readonly #given: readonly number[];
  /** Descriptors for the agent's end of standard output and standard error; their reader closes them. */
  readonly outputs: { readonly stdout: number; readonly stderr: number };

  private constructor(
    directory: string,
    given: readonly number[],
    outputs: { readonly stdout: number; readonly stderr: number },
  ) {
    this.#directory = directory;
    this.#given = given;
    this.outputs = outputs;
  }

  /** @param parent  an existing private directory */
  static async create(parent: string, mkfifo: string, contents: RunContents): Promise<RunFiles> {
    const directory = await mkdtemp(join(parent, 'run-'));
    const opened: number[] = [];
    const keep = async (opening: Promise<number>): Promise<number> => {
      const descriptor = await opening;
      opened.push(descriptor);
      return descriptor;
    };
    try {
      const pipes = { stdout: join(directory, 'stdout'), stderr: join(directory, 'stderr') };
      await writeContents(directory, contents);
      await promisify(execFile)(mkfifo, ['-m', PIPE_MODE, '--', pipes.stdout, pipes.stderr], { env: {} });
      // The reader first, because opening a named pipe for writing waits for one.
      const outputs = { stdout: await keep(openReader(pipes.stdout)), stderr: await keep(openReader(pipes.stderr)) };
      const standard = [['/dev/null', 'r'] as const, [pipes.stdout, 'w'] as const, [pipes.stderr, 'w'] as const];
      const numbered = Object.entries(descriptors).toSorted(([, a], [, b]) => a - b);
      const others = numbered.map(([name]) => [join(directory, name), name === 'status' ? 'a' : 'r'] as const);
      const given: number[] = [];
      for (const [path, mode] of [...standard, ...others]) given.push(await keep(open(path, mode)));
      return new RunFiles(directory, given, outputs);
    } catch (error) {
      // A full disk or descriptor table must not lose more of either.
      for (const descriptor of opened) await close(descriptor);
      await rm(directory, { recursive: true, force: true });
      throw error;
    }
  }

  /** In descriptor order, from standard input on. */
  get given(): readonly number[] {
    return this.#given;
  }

  /** Closes the agent's copies; otherwise the readers never see an end. */
  async closeGiven(): Promise<void> {
    for (const descriptor of this.#given) await close(descriptor);
  }

  /** Synchronous, so that nothing happens between reading a process id and signalling it. */
  status(): RunStatus {
    const text = readFileSync(join(this.#directory, 'status'), 'utf8');
    return { firstProcess: numberAfter(text, 'child-pid'), exitCode: numberAfter(text, 'exit-code') };
  }

  async remove(): Promise<void> {
    await rm(this.#directory, { recursive: true, force: true });
  }
}

async function writeContents(directory: string, contents: RunContents): Promise<void> {
  const files = { ...contents, ...etcFiles, status: '' };
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(directory, name), content, { mode: 0o600 });
  }
}

function openReader(path: string): Promise<number> {
  return open(path, constants.O_RDONLY | constants.O_NONBLOCK);
}

function numberAfter(text: string, key: string): number | undefined {
  const digits = new RegExp(`"${key}": (\\d+)`).exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
