/**
 * Artifacts: whole texts of which a model or a person saw only a part. The record supplies a text on request; an index tells which
 * there are, what each is about, and whose words it holds.
 */
import { forgetOldest } from '@retainer/contract/std/forget-oldest';
import { z } from 'zod';
import { Label } from '../../gate/provenance/label.ts';
import { defineProjection } from '../../part/projection.ts';

/** Characters of a summary: a line in a list. */
const SUMMARY_CHARACTERS = 200;

/** Artifacts that are indexed, the newest ones: some 20 MB at most. Older ones are found in the record when somebody asks. */
const ARTIFACTS_INDEXED = 20_000;

const about = {
  artifactId: z.string(),
  sizeBytes: z.number(),
  /** Of the output. Absent: nobody knows whose words it holds. */
  label: Label.exactOptional(),
  /** The tool that brought it; absent: nobody knows. */
  tool: z.string().exactOptional(),
  /** The page that was read, if it was one. */
  url: z.string().exactOptional(),
  /** Its first words. They are as little to be believed as the text. */
  summary: z.string(),
  /** The output was larger than what is kept of one. */
  truncated: z.boolean(),
};

/** The full text of an output that was shown only in part. The record names the run and the cycle. */
export const artifactKinds = {
  ArtifactKept: z.object({ ...about, sha256: z.string(), text: z.string() }),
} as const;

/** One line. */
export function summaryOf(text: string): string {
  const start = text.trimStart().slice(0, SUMMARY_CHARACTERS);
  // Half a character at the cut would come back from the record as another one.
  return start
    .replaceAll(/\p{Surrogate}/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .trim();
}

const StoredArtifact = z.object({
  ...about,
  runId: z.string().exactOptional(),
  cycleId: z.string().exactOptional(),
  /** Milliseconds since 1970. */
  keptAtMs: z.number(),
  /** Of its record. */
  seq: z.number(),
});
export type StoredArtifact = Readonly<z.infer<typeof StoredArtifact>>;

export class ArtifactIndex {
  readonly #byId = new Map<string, StoredArtifact>();
  /** Artifacts that are no longer indexed, because newer ones came. */
  left = 0;

  get size(): number {
    return this.#byId.size;
  }

  has(artifactId: string): boolean {
    return this.#byId.has(artifactId);
  }

  get(artifactId: string): StoredArtifact | undefined {
    return this.#byId.get(artifactId);
  }

  /** Oldest first. */
  all(): readonly StoredArtifact[] {
    return [...this.#byId.values()];
  }

  /** The same text again changes nothing. */
  add(artifact: StoredArtifact): void {
    if (this.has(artifact.artifactId)) return;
    this.#byId.set(artifact.artifactId, artifact);
    if (forgetOldest(this.#byId, ARTIFACTS_INDEXED)) this.left += 1;
  }
}

export const artifacts = defineProjection({
  store: 'artifact',
  kinds: artifactKinds,
  start: () => new ArtifactIndex(),
  folds: {
    ArtifactKept: (index, { text: _text, sha256: _sha256, ...kept }, { seq, timeMs, runId, cycleId }) => {
      const by = { ...(runId === undefined ? {} : { runId }), ...(cycleId === undefined ? {} : { cycleId }) };
      index.add({ ...kept, ...by, keptAtMs: timeMs, seq });
    },
  },
  window: 'WholeStore',
  cached: {
    version: 3,
    schema: z.object({ artifacts: z.array(StoredArtifact), left: z.number() }),
    keep: (index) => ({ artifacts: [...index.all()], left: index.left }),
    restore: (index, kept) => {
      for (const artifact of kept.artifacts) index.add(artifact);
      index.left = kept.left;
    },
  },
});
