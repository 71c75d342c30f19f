/** Whole texts of which a model or a person saw only a part. */
import { entriesGauge, leftGauge } from '../../part/memory-gauges.ts';
import { definePart, fieldOf } from '../../part/part.ts';
import { defineStore } from '../../part/store.ts';
import { artifactKinds, artifacts, type ArtifactIndex } from './artifacts.ts';

const store = defineStore({
  name: 'artifact',
  durability: 'durable',
  kinds: artifactKinds,
  writers: { Tools: ['ArtifactKept'] },
});

interface Known {
  readonly artifacts: ArtifactIndex;
}

export const artifactsPart = definePart({
  name: 'artifacts',
  stores: [store],
  projections: { artifacts },
  gauges: [
    entriesGauge('artifacts', (known: Known) => known.artifacts.size),
    leftGauge('artifacts', (known: Known) => known.artifacts.left),
  ],
  isAbout: ({ runId, payload }, id) => runId === id || fieldOf(payload, 'artifactId') === id,
});
