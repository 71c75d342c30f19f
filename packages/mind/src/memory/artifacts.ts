/** Artifacts: whole texts of which a model or a person saw only a part. The record supplies a text on request. */
import { z } from 'zod';
import { Label } from '../gate/provenance/label.ts';
import { defineProjection } from './projection.ts';

/** The full text of an output that was shown only in part. */
export const artifactKinds = {
  ArtifactKept: z.object({
    artifactId: z.string(),
    sha256: z.string(),
    sizeBytes: z.number(),
    text: z.string(),
    /** Of the output. Absent: nobody knows whose words it holds. */
    label: Label.exactOptional(),
  }),
} as const;

/** Sequence number of each artifact's record, by the artifact's id. */
export const artifacts = defineProjection({
  store: 'artifact',
  kinds: artifactKinds,
  start: () => new Map<string, number>(),
  folds: {
    ArtifactKept: (state, { artifactId }, { seq }) => {
      state.set(artifactId, seq);
    },
  },
  window: 'WholeStore',
  cached: {
    version: 1,
    schema: z.array(z.tuple([z.string(), z.number()])),
    keep: (state) => [...state],
    restore: (state, kept) => {
      for (const [artifactId, seq] of kept) state.set(artifactId, seq);
    },
  },
});
