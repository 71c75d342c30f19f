/** Measures how much the code has written: the kernel limits only single files, and the kubelet measures seldom. */
import { BLOCK_BYTES, deletedFiles, fileKey } from './deleted-files.ts';
import { filesReason } from './run-end.ts';
import { walkTree } from './file-tree.ts';

/** From the end of a look to the next. A fast disk takes some 200 MB meanwhile: a limit may be exceeded by that. */
export const LOOK_EVERY_MS = 250;
/** Entries of all directories together, which the limit of bytes does not cover. */
export const SCRATCH_ENTRIES_MAX = 200_000;

/** Why the code must be stopped, in words, or undefined. @throws TreeError where not everything could be counted */
export async function scratchExcess(directories: readonly string[], bytesMax: number): Promise<string | undefined> {
  let bytes = 0;
  let entries = 0;
  const linked = new Set<string>();
  for (const directory of directories) {
    for await (const { facts } of walkTree(directory)) {
      entries += 1;
      bytes += facts.blocks * BLOCK_BYTES;
      linked.add(fileKey(facts));
      if (entries > SCRATCH_ENTRIES_MAX) return `more than ${SCRATCH_ENTRIES_MAX} files and directories`;
      if (bytes > bytesMax) return filesReason(bytesMax);
    }
  }
  const deleted = await deletedFiles(directories, linked);
  bytes += deleted.bytes;
  return bytes > bytesMax ? filesReason(bytesMax) : deleted.uncounted;
}
