/** A journal on a simulated disk, for tests: the disk, the clock, and short ways to open and look. */
import { z } from 'zod';
import type { FileSystem } from '@retainer/journal/file-system';
import type { Journal, JournalRecord, NewRecord } from '@retainer/journal/journal';
import { noLock } from '../support/journal/no-lock.ts';
import { defineStores, openJournal, type OpenJournalOptions } from '@retainer/journal/open-journal';
import { SimClock } from '../support/journal/sim-clock.ts';
import { SimFileSystem } from '../support/journal/sim-file-system.ts';

export const worldDirectory = '/journal';

export const worldStores = defineStores([
  {
    name: 'deeds',
    durability: 'durable',
    kinds: { Deed: { version: 1, schema: z.object({ n: z.int(), text: z.string().optional() }) } },
  },
  { name: 'signs', durability: 'lazy', kinds: { Sign: { version: 1, schema: z.object({ n: z.int() }) } } },
]);

export class JournalWorld {
  readonly sim = new SimFileSystem();
  readonly clock = new SimClock(Date.UTC(2026, 2, 1, 12));

  open(changes: Partial<OpenJournalOptions> = {}): Promise<Journal> {
    return openJournal({
      directory: worldDirectory,
      stores: worldStores,
      agentUid: 'agent-1',
      clock: this.clock,
      fileSystem: this.sim.mount(),
      lock: noLock,
      ...changes,
      limits: { ballastBytes: 512, ...changes.limits },
    });
  }

  /** The files of a store, in order. */
  async files(store: string): Promise<readonly string[]> {
    return this.sim.mount().list(`${worldDirectory}/${store}`);
  }

  async text(path: string): Promise<string> {
    return (await bytesOf(this.sim.mount(), `${worldDirectory}/${path}`)).toString('utf8');
  }

  /** Changes the only segment of a store behind the journal's back. */
  async edit(store: string, change: (bytes: Buffer) => Uint8Array): Promise<void> {
    const file = (await this.files(store)).at(-1);
    this.sim.edit(`${worldDirectory}/${store}/${file}`, change);
  }

  async dropCheckpoints(): Promise<void> {
    const disk = this.sim.mount();
    for (const name of await disk.list(`${worldDirectory}/checkpoints`))
      await disk.unlink(`${worldDirectory}/checkpoints/${name}`);
  }
}

async function bytesOf(disk: FileSystem, path: string): Promise<Buffer> {
  const file = await disk.open(path, 'read');
  return Buffer.from(await file.read(0, (await disk.sizeBytes(path)) ?? 0));
}

export function deed(n: number, text = ''): NewRecord {
  return { store: 'deeds', kind: 'Deed', principal: 'agent', payload: { n, text } };
}

export function sign(n: number): NewRecord {
  return { store: 'signs', kind: 'Sign', principal: 'agent', payload: { n } };
}

export async function collect(records: AsyncIterable<JournalRecord>): Promise<readonly JournalRecord[]> {
  const found: JournalRecord[] = [];
  for await (const record of records) found.push(record);
  return found;
}

/** The `n` of every deed or sign of a stream. */
export async function numbers(records: AsyncIterable<JournalRecord>): Promise<readonly unknown[]> {
  const own = (await collect(records)).filter(({ kind }) => kind === 'Deed' || kind === 'Sign');
  return own.map(({ payload }) => (payload as { n: number }).n);
}
