/** Runs the helm of the PATH as a child process. */
import { spawn } from 'node:child_process';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { helmFault, HOW_TO_GET_HELM } from './helm-arguments.ts';

export interface HelmRun {
  /** Hears each line of standard error, as it comes. */
  readonly onNote: (line: string) => void;
  /** Ctrl-C. */
  readonly signal: AbortSignal;
}

interface Ended {
  readonly code: number;
  readonly stdout: string;
}

/** @returns the missing or outdated program, and how to get it */
export async function findHelm(run: HelmRun): Promise<Result<undefined, string>> {
  const asked = await runHelm(['version', '--short'], run);
  if (!asked.ok) return asked;
  const fault = helmFault(asked.value.stdout);
  return fault === undefined ? ok(undefined) : err(fault);
}

/** Resolves at its end, whatever its exit code. @returns an error if there is no helm */
export async function runHelm(args: readonly string[], { onNote, signal }: HelmRun): Promise<Result<Ended, string>> {
  return new Promise((resolve, reject) => {
    const child = spawn('helm', args, { stdio: ['ignore', 'pipe', 'pipe'], signal });
    let stdout = '';
    let rest = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      const lines = `${rest}${text}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) onNote(line);
    });
    child.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') resolve(err(`helm is not on the PATH: ${HOW_TO_GET_HELM}`));
      else if (error.name === 'AbortError') resolve(ok({ code: 130, stdout }));
      else reject(error);
    });
    child.on('close', (code) => {
      if (rest !== '') onNote(rest);
      resolve(ok({ code: code ?? 1, stdout }));
    });
  });
}
