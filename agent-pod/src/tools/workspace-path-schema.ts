import { z } from 'zod';
import { parseWorkspacePath, WORKSPACE_ROOT } from '@retainer/mind/gate/workspace-path';

/** A path inside the workspace, normalised: the gate and the tool see the same spelling. */
export const WorkspacePath = z.string().transform((text, context): string => {
  const path = parseWorkspacePath(text);
  if (path.ok) return path.value;
  context.issues.push({ code: 'custom', message: path.error, input: text });
  return z.NEVER;
});

/** The path of a file that a tool writes. */
export const WorkspaceFilePath = WorkspacePath.refine(
  (path) => path !== WORKSPACE_ROOT,
  'is the workspace itself; name a file in it',
);
