/** The recorded runs below `test/golden/runs`: where they are, and a copy of one that the program can read. */
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { repositoryRoot } from './repository-files.ts';

export const goldenRunsDirectory = join(repositoryRoot, 'test/golden/runs');

const PACKED = '.gz';
const TOLD = /^explain-(.+)\.txt$/;

/** Names of the recordings, sorted. */
export async function goldenRunNames(): Promise<readonly string[]> {
  const entries = await readdir(goldenRunsDirectory, { withFileTypes: true });
  return entries.flatMap((it) => (it.isDirectory() ? [it.name] : [])).toSorted();
}

/** Unpacks all of them. @returns the data directories that they were, by name */
export async function unpackGoldenRuns(into: string): Promise<ReadonlyMap<string, string>> {
  const copies = new Map<string, string>();
  for (const name of await goldenRunNames()) copies.set(name, await unpackGoldenRun(name, into));
  return copies;
}

/** Unpacks a recording. @returns the data directory that it was */
export async function unpackGoldenRun(name: string, into: string, from = goldenRunsDirectory): Promise<string> {
  const data = join(into, name);
  const journal = join(data, 'journal');
  await cp(join(from, name, 'journal'), journal, { recursive: true });
  for (const file of await readdir(journal, { recursive: true })) {
    if (!file.endsWith(PACKED)) continue;
    const packed = join(journal, file);
    await writeFile(packed.slice(0, -PACKED.length), gunzipSync(await readFile(packed)));
    await rm(packed);
  }
  return data;
}

/** What `retainer explain` printed of each Task of a recording, by the Task's name. */
export async function goldenStories(name: string): Promise<ReadonlyMap<string, string>> {
  const directory = join(goldenRunsDirectory, name);
  const stories = new Map<string, string>();
  for (const file of (await readdir(directory)).toSorted()) {
    const task = TOLD.exec(file)?.[1];
    if (task !== undefined) stories.set(task, await readFile(join(directory, file), 'utf8'));
  }
  return stories;
}
