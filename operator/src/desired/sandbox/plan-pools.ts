/** Which of an Agent's pools to keep, to create and to delete. */
import { ANNOTATIONS } from '@retainer/contract/api/names';
import type { SandboxJob } from '../../observe/observe-sandbox-objects.ts';
import { GENERATION_PODS } from './pool-job.ts';

export interface Pool {
  readonly job: SandboxJob;
  /** Ready and not given to a run. */
  readonly readyPods: number;
}

export interface PoolPlan {
  /** Generation of the pool that shall be there; absent for none. */
  readonly generation: number | undefined;
  /** Their pods are given no more; each goes once none of its pods is in use. */
  readonly retired: readonly Pool[];
  /** Their pods may be given. */
  readonly current: readonly Pool[];
}

/** @param template  digest of the wanted template; undefined where the Agent shall have no pool */
export function planPools(pools: readonly Pool[], template: string | undefined): PoolPlan {
  const alive = pools.filter(({ job }) => !job.isBeingDeleted && !job.isEnded);
  const alike = alive.filter(({ job }) => template !== undefined && noteOf(job, ANNOTATIONS.poolTemplate) === template);
  const others = alive.filter((pool) => !alike.includes(pool));
  if (template === undefined) return { generation: undefined, retired: others, current: [] };
  const newest = alike.toSorted((a, b) => generationOf(b) - generationOf(a))[0];
  const isWorn = newest === undefined || newest.job.endedPods >= GENERATION_PODS;
  const generation = isWorn ? 1 + Math.max(-1, ...pools.map(generationOf)) : generationOf(newest);
  // Worn out ones serve on until the next one has something ready.
  const isNextReady = !isWorn && newest.readyPods > 0;
  const worn = alike.filter((pool) => pool !== newest);
  return {
    generation,
    retired: isNextReady ? [...others, ...worn] : others,
    current: isNextReady ? [newest] : alike,
  };
}

function generationOf({ job }: Pool): number {
  return Number(noteOf(job, ANNOTATIONS.poolGeneration)) || 0;
}

function noteOf({ object }: SandboxJob, name: string): string | undefined {
  return object.metadata.annotations?.[name];
}
