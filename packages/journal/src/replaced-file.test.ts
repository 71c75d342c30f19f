/** On this machine's own file system: an open segment that somebody replaces or removes. */
import { cpSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { systemClock } from '@retainer/contract/std/system-clock';
import { note, openSampleJournal, readSegments } from '../../../test/support/sample-journal.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { verifies } from '../../../test/verifies.ts';
import type { Journal } from './journal.ts';

let root: ReturnType<typeof temporaryDirectory>;
let journal: Journal;

beforeEach(async () => {
  root = temporaryDirectory();
  journal = await openSampleJournal(root.path, systemClock);
  await journal.append([note('alpha', 1), note('alpha', 2)]);
});
afterEach(async () => {
  await journal.close();
  await root.remove();
});

const segment = (): string => join(root.path, 'alpha', readSegments(root.path, 'alpha').at(-1)?.file ?? '');

const replacements: Readonly<Record<string, (path: string) => void>> = {
  'replaced by a copy': (path) => {
    cpSync(path, `${path}.copy`);
    renameSync(`${path}.copy`, path);
  },
  removed: (path) => rmSync(path),
  'moved away': (path) => renameSync(path, `${path}.old`),
};

describe('an open segment', () => {
  for (const [how, replace] of Object.entries(replacements))
    verifies(
      'journal:open-segment-in-place',
      `that was ${how} takes nothing more, and the journal says so`,
      async () => {
        const path = segment();
        replace(path);
        await expect(journal.append([note('alpha', 3)])).rejects.toThrow(
          `${path}: the file in the directory is not the open one`,
        );
        expect(journal.mode).toBe('Degraded');
        expect(journal.modeCause).toBe('StorageError');
        expect(journal.modeReason).toContain(path);
        await expect(journal.append([note('beta', 1)])).rejects.toThrow('takes no records');
        if (how === 'replaced by a copy') expect(readFileSync(path, 'utf8')).not.toContain('"number":3');
      },
    );
});
