/** What calls and the operator made of the workspace, as records of the store `file`. */
import type { NewRecord } from '@retainer/journal/journal';
import type { FileRecorded, Files } from '@retainer/mind/memory/files';
import type { FileChanges, Permit } from '../ports/tool.ts';

export function fileRecords(
  { files, gone, label, why }: FileChanges,
  { runId, cycleId, callId }: Pick<Permit, 'runId' | 'cycleId' | 'callId'>,
  known: Files,
): readonly NewRecord[] {
  const head = { store: 'file', principal: 'agent', runId, cycleId };
  const readers = label.readers === 'Principal' ? {} : { readers: label.readers };
  const written = files.map(({ path, sha256, sizeBytes }): NewRecord => {
    const trusted = label.trust === 'Trusted';
    const payload: FileRecorded = { path, digest: sha256, sizeBytes, trusted, ...readers, why, callId };
    return { ...head, kind: 'FileRecorded', payload };
  });
  const forgotten = gone.filter((path) => known.has(path));
  return [...written, ...forgotten.map((path) => ({ ...head, kind: 'FileForgotten', payload: { path, callId } }))];
}

/** A seed of the manifests whose bytes stand in the workspace. */
export interface StandingSeed {
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
export function seedRecords(standing: readonly StandingSeed[], known: Files): readonly NewRecord[] {
  return standing
    .filter(({ path, digest, trusted }) => {
      const row = known.get(path);
      return row?.digest !== digest || (row.why === 'Seed' && row.trusted !== trusted);
    })
    .map((seed) => ({ store: 'file', kind: 'FileRecorded', principal: 'operator', payload: { ...seed, why: 'Seed' } }));
}
