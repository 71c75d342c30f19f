/** The table of word vectors that is shipped beside the programs: `agent-pod/words/`. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { meaningOfWords, type Meaning } from '@retainer/mind/meaning/text-vector';
import { parseWordTable } from '@retainer/mind/meaning/word-table';

const shipped = fileURLToPath(new URL('../../words/glove-6b-100d-50k.bin', import.meta.url));

/**
 * Takes 0.1 s and 12 MiB, so it is called at the first use.
 *
 * @param file  of the form that `npm run word-vectors` writes
 * @returns what is wrong with the file, and what to do
 */
export async function openWordTable(file = shipped): Promise<Result<Meaning, string>> {
  try {
    const table = parseWordTable(await readFile(file));
    return table.ok ? ok(meaningOfWords(table.value)) : err(`${file} is damaged: ${table.error}; restore it`);
  } catch (error) {
    return err(`the word vectors cannot be read: ${(error as Error).message}`);
  }
}

/** @param onNotice  is told why there is none: then memory compares by words alone */
export async function openMeaning(onNotice?: (notice: string) => void): Promise<Meaning | undefined> {
  const table = await openWordTable();
  if (!table.ok) onNotice?.(`${table.error}; memory compares by words alone`);
  return table.ok ? table.value : undefined;
}
