import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { systemClock } from '@retainer/contract/std/system-clock';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { verifies } from '../../../test/verifies.ts';
import { openJournal } from './open-journal.ts';
import { isWriterGone, writerPlace } from './writer-place.ts';

function directory(): string {
  const root = temporaryDirectory();
  onTestFinished(root.remove);
  return join(root.path, 'journal');
}

describe('the place of a writer', () => {
  verifies('journal:writer-place', 'is the same for one lock file seen from one node, and else another', async () => {
    const [one, other] = [directory(), directory()];
    const place = await writerPlace(one, 'node-1');
    expect(place).toMatch(/^node-1\/[0-9a-f-]{36}\/\d+\/\d+$/);
    expect(await writerPlace(one, 'node-1')).toBe(place);
    expect(await writerPlace(one, 'node-2')).not.toBe(place);
    expect(await writerPlace(other, 'node-1')).not.toBe(place);
    expect(await writerPlace(join(one, 'lock'), 'node-1')).toBeUndefined();
  });

  verifies('journal:writer-place', 'tells whether a writer is there, and disturbs none', async () => {
    const path = directory();
    expect(await isWriterGone(path)).toBe(false);
    const journal = await openJournalAt(path);
    expect(await isWriterGone(path)).toBe(false);
    expect(journal.mode).toBe('Writable');
    await journal.close();
    expect(await isWriterGone(path)).toBe(true);
  });
});

async function openJournalAt(path: string): ReturnType<typeof openJournal> {
  const journal = await openJournal({ directory: path, stores: [], agentUid: 'a', clock: systemClock });
  onTestFinished(() => journal.close());
  return journal;
}
