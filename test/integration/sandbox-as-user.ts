/**
 * Runs requests through the sandbox as an ordinary user: started by root, it gives up root before it touches the sandbox.
 *
 * Input: JSON on standard input. Output: one line of JSON, the probe and the results in order.
 */
import { createBubblewrapSandbox } from '@retainer/agent-pod/sandbox/local/bubblewrap-sandbox';
import type { SandboxRequest } from '@retainer/agent-pod/ports/sandbox-run';

export interface AsUserInput {
  readonly uid: number;
  readonly resultDirectory: string;
  readonly requests: readonly SandboxRequest[];
}

const chunks: Buffer[] = [];
for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
const input = JSON.parse(Buffer.concat(chunks).toString('utf8')) as AsUserInput;

if (process.getuid?.() === 0) {
  process.setgroups?.([]);
  process.setgid?.(input.uid);
  process.setuid?.(input.uid);
}
const sandbox = createBubblewrapSandbox({ resultDirectory: input.resultDirectory });
const probe = await sandbox.probe();
const results = [];
if (probe.ok)
  for (const request of input.requests) results.push(await sandbox.run(request, new AbortController().signal));
process.stdout.write(`${JSON.stringify({ uid: process.getuid?.(), probe, results })}\n`);
