/** The own directory of an auditor that kept heads. */
import { join } from 'node:path';
import { z } from 'zod';
import { systemClock } from '@retainer/contract/std/system-clock';
import type { Head } from '@retainer/journal/journal';
import { openJournal } from '@retainer/journal/open-journal';

/** @param own  new */
export async function keepHeads(own: string, heads: readonly Head[]): Promise<void> {
  const kinds = { HeadsKept: { version: 1, schema: z.json() } };
  const stores = [{ name: 'audit', durability: 'durable', kinds }] as const;
  const directory = join(own, 'record');
  const journal = await openJournal({ directory, stores, agentUid: 'auditor', clock: systemClock });
  const payload = { heads: heads.map((head) => ({ ...head })) };
  await journal.append([{ store: 'audit', kind: 'HeadsKept', principal: 'auditor', payload }]);
  await journal.close();
}
