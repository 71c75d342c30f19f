/** The initial content of the agent's workspace. */
import { z } from 'zod';
import { atomicList } from './cel-rule.ts';
import { LocalRef, RelativePath } from './fields.ts';

const SEEDS_MAX = 16;

/** Files for the first start. Later the workspace belongs to the agent: no file is overwritten. */
export const AgentWorkspace = z
  .object({
    seeds: atomicList(
      z
        .array(
          z
            .object({
              configMapRef: LocalRef.describe('ConfigMap whose keys become files.'),
              directory: RelativePath.optional().describe('Directory of the workspace; its root where absent.'),
            })
            .describe('Files from one ConfigMap.'),
        )
        .max(SEEDS_MAX),
    )
      .default([])
      .describe('Files that are put there if they are not there yet, on a cluster.'),
  })
  .describe('What lies in the workspace at the start.');
export type AgentWorkspace = z.infer<typeof AgentWorkspace>;
