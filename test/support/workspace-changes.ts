/** What a script of a test did to a workspace: for sandboxes in memory, which have no view of their own. */
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { SandboxChanges } from '@retainer/agent-pod/ports/sandbox-run';

interface FileState {
  readonly content: Buffer;
  /** A file that is written with the same bytes was written, too. */
  readonly changedMs: number;
}

/** Each regular file, by path. */
export function contentsOf(workspace: string): ReadonlyMap<string, FileState> {
  const entries = readdirSync(workspace, { withFileTypes: true, recursive: true });
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .map((place) => {
        const changedMs = lstatSync(place).ctimeMs;
        return [path.relative(workspace, place), { content: readFileSync(place), changedMs }];
      }),
  );
}

export function changesSince(workspace: string, before: ReadonlyMap<string, FileState>): SandboxChanges {
  const after = contentsOf(workspace);
  const changed = [...after].filter(([name, { content, changedMs }]) => {
    const old = before.get(name);
    return old?.changedMs !== changedMs || !old.content.equals(content);
  });
  const files = changed.map(([name, { content }]) => ({
    path: name,
    sizeBytes: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
  }));
  const gone = [...before.keys()].filter((name) => !after.has(name));
  return { files, gone, refused: [], unlisted: 0, leftOutFiles: 0, leftOutBytes: 0 };
}
