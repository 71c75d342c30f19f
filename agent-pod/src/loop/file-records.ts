/** What calls and the operator made of the workspace, as records of the store `file`. */
import { isOwners } from '@retainer/mind/gate/provenance/label';
import type { FileRecorded, Files } from '@retainer/mind/parts/files/files';
import type { FileChanges, Permit } from '../ports/tool.ts';
import type { MemoryCommand } from './memory-writer.ts';

export function fileRecords(
  { files, links = [], gone, label, why, added }: FileChanges,
  { runId, cycleId, callId }: Pick<Permit, 'runId' | 'cycleId' | 'callId'>,
  known: Files,
): readonly MemoryCommand<'Tools'>[] {
  const head = { store: 'file', runId, cycleId } as const;
  const readers = isOwners(label.readers) ? {} : { readers: label.readers };
  const written = [...files, ...links.map((it) => ({ ...it, isLink: true as const }))].map((it) => {
    const { sha256, ...what } = it;
    const trusted = label.trust === 'Trusted';
    const payload: FileRecorded = { ...what, digest: sha256, trusted, ...readers, why, callId };
    return { ...head, kind: 'FileRecorded', payload } as const;
  });
  // What took the place of something else is listed in both.
  const standing = new Set(written.map(({ payload: { path } }) => path));
  const forgotten = gone.filter((path) => known.has(path) && !standing.has(path));
  return [
    ...written,
    ...forgotten.map((path) => ({ ...head, kind: 'FileForgotten', payload: { path, callId } }) as const),
    ...(added === undefined ? [] : [{ ...head, kind: 'ProgramAdded', payload: addedPayload(callId, added) } as const]),
  ];
}

function addedPayload(callId: string, { files, bytes, scratch }: NonNullable<FileChanges['added']>) {
  return { callId, files, bytes, ...(scratch.length === 0 ? {} : { scratch: [...scratch] }) };
}

/** A seed of the manifests whose bytes stand in the workspace. */
export interface PresentSeed {
  /** Relative to the workspace. */
  readonly path: string;
  readonly digest: string;
  readonly sizeBytes: number;
  readonly trusted: boolean;
}

/**
 * Records of the seeds that the record does not have yet, or has otherwise than the manifests now say. Bytes that the agent or a
 * person put there keep their own label.
 */
export function seedRecords(present: readonly PresentSeed[], known: Files): readonly MemoryCommand<'Manifests'>[] {
  return present
    .filter(({ path, digest, trusted }) => {
      const row = known.get(path);
      return row?.digest !== digest || (row.why === 'Seed' && row.trusted !== trusted);
    })
    .map((seed) => ({ store: 'file', kind: 'FileRecorded', payload: { ...seed, why: 'Seed' } }));
}
