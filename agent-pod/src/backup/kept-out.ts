/** What the last commit left out for a secret, for a process that may know fewer of them than the agent. */
import { parseJson } from '@retainer/contract/std/parse-json';
import { z } from 'zod';
import { LEFT_OUT_FILE } from './capture.ts';
import { readObjects, type Tree } from './objects.ts';
import { codedPath } from './tree-path.ts';
import type { KeptOut } from './workspace.ts';

const Listed = z.array(z.object({ path: z.string().exactOptional(), why: z.string() }));

/**
 * Whatever is in them now: such a process cannot see whether the secret is gone. Where a name held a secret, it is not listed, so then
 * no file may come that the last commit does not have.
 */
export async function keptOutOf(directory: string, tree: Tree): Promise<KeptOut> {
  const listed = (await listedIn(directory, tree)).filter(({ why }) => why === 'HoldsSecret');
  const paths = new Set(listed.map(({ path }) => path));
  return (path) => {
    if (paths.has(path)) return { path, why: 'HoldsSecret' };
    const isNew = !tree.has(`workspace/${codedPath(path)}`);
    return paths.has(undefined) && isNew ? { why: 'HoldsSecret' } : undefined;
  };
}

async function listedIn(directory: string, tree: Tree): Promise<z.infer<typeof Listed>> {
  const entry = tree.get(LEFT_OUT_FILE);
  if (entry === undefined) return [];
  for await (const bytes of readObjects(directory, 'blob', [entry.blobId]))
    return Listed.parse(parseJson(bytes.toString('utf8')));
  return [];
}
