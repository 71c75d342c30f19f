/** Makes the request to a runner. Pure. */
import { sha256Hex } from '@retainer/contract/std/hash';
import type { RunRequest } from '@retainer/contract/wire/runner';
import { LANGUAGES, type PodRequest } from './sandbox-run-object.ts';
import { CUT_MARGIN_BYTES } from './sandbox-run-output.ts';

/** The runner keeps slightly more output than the limit, so that only the agent cuts it, between characters. */
const RUNNER_OUTPUT_BYTES_MAX = 67_108_864;
const RUNNER_OUTPUT_BYTES_MIN = 1024;

export function runRequestOf({ language, script, stdin, limits, ports = [] }: PodRequest): RunRequest {
  const outputBytes = Math.min(limits.outputBytes + CUT_MARGIN_BYTES, RUNNER_OUTPUT_BYTES_MAX);
  return {
    script: { language: LANGUAGES[language], text: script, digest: `sha256:${sha256Hex(script)}` },
    stdin,
    timeoutMs: limits.timeoutMs,
    limits: {
      processes: limits.processes,
      outputBytes: Math.max(outputBytes, RUNNER_OUTPUT_BYTES_MIN),
    },
    takesLinks: true,
    ports: [...ports],
  };
}
