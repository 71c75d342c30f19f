/** Runs the real program, as a person would. */
import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const programPath = fileURLToPath(new URL('../../cli/bin/retainer.js', import.meta.url));
export const examplesPath = fileURLToPath(new URL('../../manifests/examples', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when standard error holds the text so many times; rejects when the program ends before. */
  says(text: string, times?: number): Promise<void>;
}

/** No key of the person who runs the tests may reach a test. */
const environment = { ...process.env, ANTHROPIC_API_KEY: '', ANTHROPIC_BASE_URL: '', NO_COLOR: '1' };

const running = new Set<ChildProcess>();

/** For `afterAll`: a test that failed leaves no program behind. */
export function endAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

export interface StartOptions {
  /** Of the environment, beside or instead of the usual ones. */
  readonly variables?: Readonly<Record<string, string>>;
  /** With the auditor beside the agent: two more processes for each run, which only its own tests look at. */
  readonly isAudited?: true;
  /** Somebody could still write to its standard input. */
  readonly keepsInputOpen?: true;
}

export function startRetainer(
  args: readonly string[],
  { variables, isAudited, keepsInputOpen }: StartOptions = {},
): Started {
  const withoutAuditor = args[0] === 'run' && isAudited === undefined ? ['--no-auditor'] : [];
  const child = spawn(process.execPath, [programPath, ...args, ...withoutAuditor], {
    env: { ...environment, ...variables },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  if (keepsInputOpen !== true) child.stdin.end();
  running.add(child);
  child.on('close', () => running.delete(child));
  let stdout = '';
  let stderr = '';
  const watchers = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    for (const look of watchers) look();
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
  const says = (text: string, times = 1): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (stderr.split(text).length <= times) return;
        watchers.delete(look);
        resolve();
      };
      watchers.add(look);
      look();
      void ended.then(() => reject(new Error(`it ended and never said ${JSON.stringify(text)}: ${stderr}`)));
    });
  return { child, ended, says };
}

export function retainer(...args: readonly string[]): Promise<Ended> {
  return startRetainer(args).ended;
}
