/** An artifact's text, out of the record. */
import type { JournalReader } from '@retainer/journal/journal';
import { artifactKinds, type ArtifactIndex } from '@retainer/mind/parts/artifacts/artifacts';
import type { KeptText } from '../ports/tool.ts';

/** Undefined: there is no such artifact. One that is no longer indexed is searched for from the first record on. */
export async function readArtifact(
  journal: Pick<JournalReader, 'read'>,
  index: ArtifactIndex,
  artifactId: string,
): Promise<KeptText | undefined> {
  const fromSeq = index.get(artifactId)?.seq;
  if (fromSeq === undefined && index.left === 0) return undefined;
  for await (const { kind, payload } of journal.read('artifact', { fromSeq: fromSeq ?? 0 })) {
    const kept = kind === 'ArtifactKept' ? artifactKinds.ArtifactKept.parse(payload) : undefined;
    if (kept?.artifactId !== artifactId) continue;
    return { text: kept.text, ...(kept.label === undefined ? {} : { label: kept.label }) };
  }
  return undefined;
}
