/** What the StatefulSet of an agent tells about releases. It is there that the next leader finds it. */
import { ANNOTATIONS } from '@retainer/contract/api/names';
import { parseJson } from '@retainer/contract/std/parse-json';
import { z } from 'zod';

export const RolloutMark = z.object({
  /** Id of the release that the pod template holds; empty after a return. */
  release: z.string(),
  /** Image of that release. */
  image: z.string(),
  /** Digest of what people wrote: Agent, CharacterSpec and Skills. */
  people: z.string(),
  /** When a working agent got the release, since 1970. Absent: it did not work, so its start tells nothing about the release. */
  sinceMs: z.int().min(0).optional(),
  /** The image with which the agent was last Ready before. */
  before: z.string().optional(),
});
export type RolloutMark = z.infer<typeof RolloutMark>;

export function rolloutMarkOf(annotations: Readonly<Record<string, string>>): RolloutMark | undefined {
  return RolloutMark.safeParse(parseJson(annotations[ANNOTATIONS.rollout] ?? '')).data;
}
