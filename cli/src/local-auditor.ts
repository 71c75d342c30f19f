/**
 * The auditor beside an agent on this machine: a process of its own with a directory of its own, which ends with the command. It
 * has no claim to haste, and everything that it finds is one line on the terminal.
 */
import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { AUDITOR_NODE_FLAGS } from '@retainer/contract/api/names';
import { parseJson } from '@retainer/contract/std/parse-json';
import { z } from 'zod';
import type { Output } from './output.ts';

/** Beside the journal, so that neither contains the other. */
export const AUDITOR_DIRECTORY = 'auditor';
/** An auditor looks a last time at what is new, which takes a moment, and on a busy machine longer. */
const END_MS_MAX = 10_000;

export interface LocalAuditor {
  /** Resolves when its process has ended. */
  stop(): Promise<void>;
}

const Line = z.object({ level: z.string(), message: z.string(), finding: z.string().optional() });

export function startAuditor(dataDirectory: string, output: Output): LocalAuditor {
  const program = fileURLToPath(import.meta.resolve('@retainer/agent-pod/auditor-main'));
  const directory = resolve(dataDirectory);
  const where = ['--journal', join(directory, 'journal'), '--own', join(directory, AUDITOR_DIRECTORY)];
  const child = spawn(
    process.execPath,
    [...process.execArgv, ...AUDITOR_NODE_FLAGS, program, ...where, '--end-with-input'],
    // A group of its own: Ctrl-C is for the agent, which ends first. The environment may hold keys.
    { stdio: ['pipe', 'pipe', 'ignore'], detached: true, env: {} },
  );
  const ended = new Promise<void>((done) => child.on('close', () => done()));
  child.on('error', (error) => output.note(`auditor: it cannot be started: ${error.message}`, 'Warning'));
  child.stdin.on('error', () => undefined);
  createInterface(child.stdout).on('line', (line) => tell(line, output));
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  return {
    stop: async () => {
      // No signal: one that comes while the program still starts would end it before its last look.
      child.stdin.end();
      const late = setTimeout(() => child.kill('SIGKILL'), END_MS_MAX);
      await ended;
      clearTimeout(late);
    },
  };
}

/** Only findings, and why the auditor itself could not go on. */
function tell(text: string, output: Output): void {
  const line = Line.safeParse(parseJson(text));
  if (!line.success) return;
  const { level, message, finding } = line.data;
  if (finding !== undefined) output.note(`auditor: ${finding}`, level === 'error' ? 'Bad' : 'Warning');
  else if (level === 'error') output.note(`auditor: ${message}`, 'Warning');
}
