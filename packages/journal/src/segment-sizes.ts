/** How large the stores of a journal are on the disk, day by day, from the names and sizes of their files alone. */
import { storesOnDisk } from './open-reader.ts';
import type { FileSystem } from './file-system.ts';
import { realFileSystem } from './real-file-system.ts';
import { segmentFile, sortedSegments } from './segment.ts';

export interface SegmentSize {
  readonly store: string;
  /** UTC, `YYYY-MM-DD`: of its first record. */
  readonly day: string;
  readonly sizeBytes: number;
}

/** In the order of the stores' names and of their segments. Blobs belong to no store and no day, so they are left out. */
export async function segmentSizes(
  directory: string,
  fileSystem: FileSystem = realFileSystem,
): Promise<readonly SegmentSize[]> {
  const sizes: SegmentSize[] = [];
  for (const store of (await storesOnDisk(fileSystem, directory)).toSorted()) {
    for (const name of sortedSegments(await fileSystem.list(`${directory}/${store}`))) {
      const sizeBytes = (await fileSystem.sizeBytes(`${directory}/${store}/${segmentFile(name)}`)) ?? 0;
      sizes.push({ store, day: name.day, sizeBytes });
    }
  }
  return sizes;
}
