/** The name of an individual: in its record once, so that it goes where the volume goes. */
import { agentKinds } from '../loop/stores.ts';
import type { JournalReader } from '@retainer/journal/journal';

/** A UUID; undefined if no program that gives names has started on this record. It stands near the beginning of the store. */
export async function recordedIndividual(reader: Pick<JournalReader, 'read'>): Promise<string | undefined> {
  for await (const { kind, payload } of reader.read('agent'))
    if (kind === 'IndividualNamed') return agentKinds.IndividualNamed.parse(payload).individual;
  return undefined;
}
