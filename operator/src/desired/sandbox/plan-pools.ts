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
  /** Generation of the wanted pool; undefined for none. */
  readonly generation: number | undefined;
  /** Runs get no more of their pods; each pool is deleted once no run uses any. */
  readonly retired: readonly Pool[];
  /** Runs may get their pods. */
  readonly current: readonly Pool[];
}

/** @param template  digest of the wanted template; undefined if the Agent wants no pool */
export function planPools(pools: readonly Pool[], template: string | undefined): PoolPlan {
  const alive = pools.filter(({ job }) => !job.isBeingDeleted && !job.isEnded);
  const alike = alive.filter(({ job }) => template !== undefined && noteOf(job, ANNOTATIONS.poolTemplate) === template);
  const others = alive.filter((pool) => !alike.includes(pool));
  if (template === undefined) return { generation: undefined, retired: others, current: [] };
  const newest = alike.toSorted((a, b) => generationOf(b) - generationOf(a))[0];
  const isWorn = newest === undefined || newest.job.endedPods >= GENERATION_PODS;
  const generation = isWorn ? 1 + Math.max(-1, ...pools.map(generationOf)) : generationOf(newest);
  // Worn pools serve on until the next one has a ready pod.
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
