/** Artifacts: texts kept whole because a model or a person was shown a part of them. The text is read from the record when it is asked for. */
import { z } from 'zod';
import { defineProjection } from './projection.ts';

/** The full text of an output that was shown in part. */
export const artifactKinds = {
  ArtifactKept: z.object({ artifactId: z.string(), sha256: z.string(), sizeBytes: z.number(), text: z.string() }),
} as const;

/** Sequence of the record that holds the artifact, by its id. */
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
