/** Reads the heads that an auditor keeps, from its own directory or a copy of it. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '@retainer/contract/std/system-clock';
import type { Head } from '@retainer/journal/journal';
import { openJournalReader } from '@retainer/journal/open-reader';
import { z } from 'zod';

const count = z.int().nonnegative();
const HeadsKept = z.object({
  heads: z.array(z.object({ store: z.string(), seq: count, hash: z.string(), epoch: count })),
});
const HeadsSetAside = z.object({ store: z.string() });

/** @returns the heads that no person set aside; undefined: there is no record of an auditor */
export async function readKeptHeads(own: string): Promise<readonly Head[] | undefined> {
  const directory = join(own, 'record');
  const found = await stat(join(directory, 'audit')).catch(() => undefined);
  if (found?.isDirectory() !== true) return undefined;
  const reader = await openJournalReader({ directory, clock: systemClock });
  let heads: readonly Head[] = [];
  for await (const { payload, kind } of reader.read('audit')) {
    const kept = kind === 'HeadsKept' ? HeadsKept.safeParse(payload).data : undefined;
    const aside = kind === 'HeadsSetAside' ? HeadsSetAside.safeParse(payload).data : undefined;
    heads = [...heads.filter(({ store }) => store !== aside?.store), ...(kept?.heads ?? [])];
  }
  return heads;
}
