/** Starts the built agent on a data directory, with the options of its pod, and waits until it has rested and ended. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { AGENT_NODE_FLAGS, MALLOC_ENV } from '@retainer/contract/api/names';

export interface Start {
  /** From the start of the process. */
  readonly readyMs: number;
  /** Resident, at rest. */
  readonly rssBytes: number;
  /** Processor time of the rest that was asked for. */
  readonly restCpuMs: number;
}

/** @param restMs  after it has come to rest */
export async function startIdleAgent(directory: string, restMs = 0): Promise<Start> {
  const program = fileURLToPath(new URL('idle-agent.mjs', import.meta.url));
  const env = { ...process.env, [MALLOC_ENV.name]: MALLOC_ENV.value };
  const argv = [...AGENT_NODE_FLAGS, program, directory, String(restMs)];
  const { stdout } = await promisify(execFile)(process.execPath, argv, { env });
  return JSON.parse(stdout) as Start;
}
