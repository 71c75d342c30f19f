/** One life of the real program on a data directory: started, and killed after a while, or left to its end. */
import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openRecords } from '@retainer/agent-pod/review/run-records';

const program = fileURLToPath(new URL('../../cli/bin/retainer.js', import.meta.url));

/** An Agent `worker` with a scripted model, and its character. Ends where more of its spec may follow. */
export const plainAgent = `
apiVersion: retainer.dev/v1alpha1
kind: CharacterSpec
metadata: {name: plain}
spec:
  persona: A test.
  virtues: []
  highestEndeavour: [{id: truth, description: Tell the truth., level: EthicalMoral, operator: Required}]
  authority: {}
---
apiVersion: retainer.dev/v1alpha1
kind: Agent
metadata: {name: worker}
spec:
  characterRef: {name: plain}
  models: {provider: Scripted, script: script.yaml}
`;

/** A Task of that Agent. Ends where the rest of its spec follows. */
export function taskOf(name: string): string {
  return `---
apiVersion: retainer.dev/v1alpha1
kind: Task
metadata: {name: ${name}}
spec:
  agentRef: {name: worker}
`;
}

export async function writeManifests(directory: string, manifests: string, script: string): Promise<void> {
  await mkdir(join(directory, 'manifests'));
  await writeFile(join(directory, 'manifests', 'all.yaml'), manifests);
  await writeFile(join(directory, 'manifests', 'script.yaml'), script);
}

/** @returns the exit code, or undefined when it was killed */
export function life(
  directory: string,
  killAfterMs: number,
): Promise<{ readonly code: number | undefined; readonly output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      [program, 'run', '-f', join(directory, 'manifests'), '--data', join(directory, 'data'), '--no-auditor'],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const timer = setTimeout(() => child.kill('SIGKILL'), killAfterMs);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ code: signal === 'SIGKILL' ? undefined : (code ?? -1), output });
    });
  });
}

/** How often each kind of record was written for each run, in these stores. */
export async function recordsByRun(
  directory: string,
  stores: readonly string[],
): Promise<ReadonlyMap<string, Readonly<Record<string, number>>>> {
  const reader = await openRecords(join(directory, 'data'));
  const counts = new Map<string, Record<string, number>>();
  for (const store of stores.filter((it) => reader.stores.includes(it)))
    for await (const { runId, kind } of reader.read(store)) {
      if (runId === undefined) continue;
      const own = counts.get(runId) ?? {};
      own[kind] = (own[kind] ?? 0) + 1;
      counts.set(runId, own);
    }
  return counts;
}
