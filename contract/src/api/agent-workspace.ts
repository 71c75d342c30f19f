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
              configMapRef: LocalRef.describe('ConfigMap; each key becomes a file.'),
              directory: RelativePath.optional().describe('Directory in the workspace; absent: its root.'),
              trust: z
                .enum(['Trusted', 'Untrusted'])
                .optional()
                .describe('Whether the agent may believe these files, as it believes its manifest; absent: Trusted.'),
            })
            .describe('Files from one ConfigMap.'),
        )
        .max(SEEDS_MAX),
    )
      .default([])
      .describe('On a cluster: files to create in the workspace if they do not exist.'),
  })
  .describe('Initial content of the workspace.');
export type AgentWorkspace = z.infer<typeof AgentWorkspace>;
