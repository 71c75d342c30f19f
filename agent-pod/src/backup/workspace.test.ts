import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { verifies } from '../../../test/verifies.ts';
import { GitFailedError } from './git.ts';
import { workspaceOf, type KnownFiles, type WorkspaceFile } from './workspace.ts';

const root = temporaryDirectory();
afterAll(() => root.remove());

async function filesOf(directory: string, known: KnownFiles): Promise<readonly WorkspaceFile[]> {
  const files: WorkspaceFile[] = [];
  for await (const file of workspaceOf(directory, { holdsSecret: () => false, known }).files()) files.push(file);
  return files;
}

describe('workspaceOf', () => {
  verifies('backup:failure-told', 'says of a file that it changed after it was searched', async () => {
    const directory = join(root.path, 'workspace');
    const file = join(directory, 'a.txt');
    const known: KnownFiles = new Map();
    for (const change of [() => writeFileSync(file, 'b'), () => rmSync(file)]) {
      mkdirSync(directory, { recursive: true });
      writeFileSync(file, 'a');
      // Files that are known already are read again only when they are copied.
      await filesOf(directory, known);
      const [found] = await filesOf(directory, known);
      change();
      const error = await found?.bytes().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(GitFailedError);
      expect(String(error)).toContain('a.txt changed while it was copied: try again');
    }
  });
});
