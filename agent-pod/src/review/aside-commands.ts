/** Commands of people that a record says are set aside: the program failed in them, and they belong to no run. */
import type { JournalReader } from '@retainer/journal/journal';
import { asideCommandsIn, inbox, type NamedAside } from '@retainer/mind/run/inbox';

/** Oldest first. */
export async function asideCommandsOf(reader: JournalReader): Promise<readonly NamedAside[]> {
  const state = inbox.start();
  for await (const record of reader.read('inbox')) inbox.take(state, record);
  return asideCommandsIn(state);
}
