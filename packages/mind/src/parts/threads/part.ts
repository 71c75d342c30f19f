/** Runs that go on with each other. */
import { entriesGauge } from '../../part/memory-gauges.ts';
import { definePart } from '../../part/part.ts';
import { defineStore } from '../../part/store.ts';
import { threadKinds, threads, type Threads } from './threads.ts';

const store = defineStore({
  name: 'thread',
  durability: 'durable',
  kinds: threadKinds,
  writers: { Archivist: ['ThreadJoined'], Dreamer: ['ThreadNamed', 'ThreadDormant'] },
});

export const threadsPart = definePart({
  name: 'threads',
  stores: [store],
  projections: { threads },
  gauges: [entriesGauge('threads', (known: { readonly threads: Threads }) => known.threads.byId.size)],
  isAbout: ({ runId }, id) => runId === id,
});
