/** How far a release has come over all agents: written by the operator, read by the command line and by the next leader. */
import { z } from 'zod';
import { Instant } from '../api/fields.ts';
import { parseJson } from '../std/parse-json.ts';

/** In the operator's namespace. */
export const ROLLOUT_CONFIG_MAP = 'retainer-rollout';
/** Keys of the ConfigMap. A person sets `resume` to `changedAt` of the halt that is to end. */
export const ROLLOUT_ENTRIES = { state: 'state', resume: 'resume' } as const;

/** Condition of the operator's Deployment that names the namespaces which its release has given up. */
export const AGENTS_TENDED = 'AgentsTended';

/** What an installation puts into the pod of every agent. */
export const Release = z.object({
  /** Digest of the pod of an agent that asks for nothing special. */
  id: z.string(),
  image: z.string(),
});
export type Release = z.infer<typeof Release>;

export const ROLLOUT_PHASES = ['Rolling', 'Halted', 'Done'] as const;

export const RolloutState = z.object({
  release: Release,
  phase: z.enum(ROLLOUT_PHASES),
  /** Only restarts from this moment on tell something about the release. */
  startedAt: Instant,
  /** Of the phase. */
  changedAt: Instant,
  /** From 1. */
  wave: z.int().min(1),
  waves: z.int().min(1),
  /** Working agents that the release concerns, and those of them that are Ready with it. */
  agents: z.int().min(0),
  ready: z.int().min(0),
  /** The agent that did not come up. */
  halted: z
    .object({
      /** `NAMESPACE/NAME`. */
      agent: z.string(),
      reason: z.string(),
      message: z.string(),
      /** Image to which it returns; absent: none is known that was Ready. */
      returnsTo: z.string().optional(),
    })
    .optional(),
  /** The last release with which every working agent became Ready. New agents begin with it while another is on its way. */
  good: Release.optional(),
});
export type RolloutState = z.infer<typeof RolloutState>;

/** Undefined if there is none, or if it is of a program that this one does not know. */
export function parseRolloutState(text: string | undefined): RolloutState | undefined {
  return RolloutState.safeParse(parseJson(text ?? '')).data;
}
