/** The models that an Agent may ask, as its record names them: nobody chooses between others. */
import type { JournalRecord } from '@retainer/contract/wire/record';
import type { ArchiveEvent } from '../archive/event.ts';
import type { AskedModel } from '../cycle/event.ts';
import { eventOf } from '../part/projection.ts';
import type { RunEvent, RunSpec } from '../run/event.ts';

type Asking = Pick<AskedModel, 'model'> & {
  readonly light?: Pick<AskedModel, 'model'>;
  readonly fallback?: Pick<AskedModel, 'model'>;
};

/**
 * @returns the models of roles, workers and gates where the record admits a run, the Archivist's where it opens an archiving, each
 *   with the one for simple work and the one in its place; empty for any other record. A model may stand there more than once
 */
export function allowedModels(record: JournalRecord): readonly string[] {
  if (record.store === 'run') {
    const event = eventOf<RunEvent>(record);
    return event.kind === 'RunAdmitted' ? askedIn(event.spec).flatMap(namesOf) : [];
  }
  if (record.store !== 'archive') return [];
  const event = eventOf<ArchiveEvent>(record);
  return event.kind === 'ArchiveOpened' && event.model !== undefined ? namesOf(event.model) : [];
}

function askedIn({ roles, workers, gates }: RunSpec): readonly Asking[] {
  return [
    ...Object.values(roles),
    ...workers,
    ...(gates === undefined ? [] : [gates.scorer, gates.canary, gates.reader]),
  ];
}

function namesOf({ model, light, fallback }: Asking): readonly string[] {
  return [model, ...[light, fallback].flatMap((it) => it?.model ?? [])];
}
