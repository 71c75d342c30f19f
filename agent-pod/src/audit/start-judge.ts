/** Starts the judge: one process per batch, of the same program, with a request on its input and an answer on its output. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { AUDITOR_NODE_FLAGS, MALLOC_ENV } from '@retainer/contract/api/names';
import { parseJson } from '@retainer/contract/std/parse-json';
import { exitCodes } from './auditor-options.ts';
import { JudgeAnswer } from './judge-records.ts';
import type { Judge } from './judging.ts';

/** Its standard error tells why. */
export class JudgeRefused extends Error {}

/** Six times the time that a batch takes for new records; the rest is for reading again what is still open. */
const JUDGE_MS_MAX = 120_000;
/** A thousand findings and as many open runs need a tenth. */
const ANSWER_BYTES_MAX = 8 * 1024 * 1024;

export function startJudge(signal: AbortSignal): Judge {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const program = fileURLToPath(new URL(`../judge-main.${extension}`, import.meta.url));
  return async (request) => {
    const { code, text } = await run(
      [...process.execArgv, ...AUDITOR_NODE_FLAGS, program],
      JSON.stringify(request),
      signal,
    );
    if (code === exitCodes.usage) throw new JudgeRefused('the judge refused its request');
    const answer = code === 0 ? JudgeAnswer.safeParse(parseJson(text)) : undefined;
    if (answer?.success !== true) throw new Error(`the judge ended with ${code ?? 'a signal'}`);
    return answer.data;
  };
}

interface Ended {
  readonly code: number | null;
  readonly text: string;
}

function run(args: readonly string[], input: string, signal: AbortSignal): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      // The environment may hold the address of the bus, which the judge has no use for.
      env: { [MALLOC_ENV.name]: MALLOC_ENV.value },
      stdio: ['pipe', 'pipe', 'inherit'],
      timeout: JUDGE_MS_MAX,
      killSignal: 'SIGKILL',
      signal,
    });
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      sizeBytes += chunk.length;
      if (sizeBytes > ANSWER_BYTES_MAX) child.kill('SIGKILL');
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, text: Buffer.concat(chunks).toString('utf8') }));
    // A judge that ends early is told by its exit code.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}
