/** The command line from its source, against the cluster of these tests, with the real helm on its path. */
import { execFile } from 'node:child_process';
import { delimiter, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { toolPath } from '../../scripts/kubernetes-tools.ts';
import { config } from './config.ts';

const PROGRAM = fileURLToPath(new URL('../support/retainer-main.ts', import.meta.url));
/** An installation that was deleted is back in a tenth of it. */
const COMMAND_TIMEOUT_MS = 240_000;

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export const retainer = (...args: readonly string[]): Promise<Ended> =>
  retainerOf(inject('installation').cluster.kubeconfig, ...args);

/** @param kubeconfig  of the person who types it */
export async function retainerOf(kubeconfig: string, ...args: readonly string[]): Promise<Ended> {
  const PATH = [dirname(await toolPath('helm')), config.environment['PATH'] ?? ''].join(delimiter);
  const env = { ...config.environment, PATH, KUBECONFIG: kubeconfig, NO_COLOR: '1', FORCE_COLOR: undefined };
  const all = ['--import', 'tsx', '--conditions=source', PROGRAM, ...args];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, all, { env, timeout: COMMAND_TIMEOUT_MS }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}
