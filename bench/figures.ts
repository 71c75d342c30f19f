/** What the benchmarks share: how figures are taken and printed. */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelPort } from '@retainer/agent-pod/ports/ports';

/** Bytes of one raw append: about as much as a step of a run writes. */
const RAW_APPEND_BYTES = 4096;

const RAW_APPENDS = 300;

export interface Timed {
  readonly model: ModelPort;
  readonly spentMs: () => number;
}

/** The model, and how long it was busy: that is not ours. Calls side by side count one by one. */
export function timed(model: ModelPort): Timed {
  let spentMs = 0;
  return {
    spentMs: () => spentMs,
    model: {
      name: model.name,
      infer: async (request, options) => {
        const start = performance.now();
        const answer = await model.infer(request, options);
        spentMs += performance.now() - start;
        return answer;
      },
    },
  };
}

/** @param ratio  0 to 1; 0.5 is the median */
export function quantile(values: readonly number[], ratio: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * ratio))] ?? 0;
}

export function row(name: string, value: string, reference: string): void {
  console.log(`${name.padEnd(46)} ${value.padStart(14)}   ${reference}`);
}

/** What the volume does without us: so many appends, each synced, milliseconds each. */
export async function rawSyncMs(directory: string): Promise<readonly number[]> {
  const file = await open(join(directory, 'raw'), 'a');
  const bytes = Buffer.alloc(RAW_APPEND_BYTES, 'x');
  const times: number[] = [];
  for (let count = 0; count < RAW_APPENDS; count += 1) {
    const start = performance.now();
    await file.write(bytes);
    await file.datasync();
    times.push(performance.now() - start);
  }
  await file.close();
  return times;
}

/** A benchmark measures an agent that works; whatever else happens ends it. */
export function fail(error: unknown): never {
  throw error;
}
