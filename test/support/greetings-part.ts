/** A feature for tests: the agent greets people. All that it consists of, as the texts of its two folders. */

/** `packages/mind/src/parts/greetings/part.ts` */
export const pureHalf = `/** Whom the agent greeted. */
import { z } from 'zod';
import { appliedChanges } from '../../part/applied-changes.ts';
import { defineCommand, definePart, fieldOf, Reason, textIn } from '../../part/part.ts';
import { defineProjection } from '../../part/projection.ts';
import { recordIn } from '../../part/record-in.ts';
import { defineStore } from '../../part/store.ts';

const kinds = { Greeted: z.object({ whom: z.string(), originId: z.string().exactOptional() }) };

export const greetingStore = defineStore({
  name: 'greeting',
  durability: 'durable',
  kinds,
  writers: { Tools: ['Greeted'], Person: ['Greeted'] },
});

const greeted = defineProjection({
  store: 'greeting',
  kinds,
  start: () => new Set<string>(),
  folds: {
    Greeted: (state, { whom }) => {
      state.add(whom);
    },
  },
  window: 'WholeStore',
  cached: {
    version: 1,
    schema: z.array(z.string()),
    keep: (state) => [...state],
    restore: (state, kept) => {
      for (const whom of kept) state.add(whom);
    },
  },
});

interface Known {
  readonly greeted: ReadonlySet<string>;
  readonly greetingChanges: ReadonlySet<string>;
}

const greet = defineCommand({
  schema: z.object({ whom: z.string().min(1), reason: Reason }),
  isOverPodsExec: true,
  decide: ({ greetingChanges }: Known, { whom, by }, { originId }) =>
    greetingChanges.has(originId) ? [] : [recordIn(greetingStore, 'Greeted', { whom, originId }, { by })],
});

export const greetingsPart = definePart({
  name: 'greetings',
  stores: [greetingStore],
  projections: { greeted, greetingChanges: appliedChanges('greeting', kinds) },
  commands: { Greet: greet },
  tell: {
    Greeted: ({ whom }) => ({ actor: 'agent', tone: 'Good', text: \`has greeted \${textIn(whom)}\`, live: true }),
  },
  events: { Greeted: ({ whom }) => ({ name: 'greeted', title: textIn(whom) }) },
  gauges: [{ name: 'people_greeted', help: 'People who were greeted.', of: ({ greeted: all }: Known) => all.size }],
  counters: [
    {
      name: 'greetings_total',
      help: 'Greetings.',
      count: ({ kind, payload }) => (kind === 'Greeted' && fieldOf(payload, 'whom') !== '' ? [{}] : []),
    },
  ],
  contributes: ({ greeted: all }: Known, { agent }) =>
    all.size === 0 ? [] : [\`greeted so far: \${[...all].join(' and ')}; days \${String(agent.upkeep.summaries.daily)}\`],
  isAbout: ({ payload }, id) => fieldOf(payload, 'whom') === id,
  fields: ['Agent spec.upkeep.summaries'],
});
`;

/** `agent-pod/src/parts/greetings/part.ts` */
export const podHalf = `/** The tool that greets, and what is noted when the agent starts. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordIn } from '@retainer/mind/part/record-in';
import { greetingStore } from '@retainer/mind/parts/greetings/part';
import { z } from 'zod';
import type { ToolDescriptor } from '../../tools/tool.ts';
import type { PodPart } from '../pod-part.ts';

const greet: ToolDescriptor<{ readonly whom: string }> = {
  facts: {
    name: 'greet',
    effectClass: 1,
    reachesOutside: false,
    runsCode: false,
    showsPeople: false,
    actsLater: false,
    writes: 'Nothing',
    output: { source: 'Tool', trust: 'Trusted', readers: 'Everyone' },
    target: { kind: 'Place', parts: [{ member: 'whom', as: 'Line' }] },
    verb: { verb: 'greets', object: 'whom' },
  },
  offer: () => ({
    description: 'Greets somebody.',
    input: z.strictObject({ whom: z.string().min(1).describe('A name.') }),
    touches: () => ({ readPaths: [], writePaths: [], domains: [] }),
    async run({ whom }, { parts, runId, cycleId, workspaceDirectory }) {
      await parts.write([recordIn(greetingStore, 'Greeted', { whom }, { runId, cycleId })]);
      const mark = join(workspaceDirectory, 'die');
      if (existsSync(mark)) {
        rmSync(mark);
        process.kill(process.pid, 'SIGKILL');
      }
      return { isError: false, text: \`greeted \${whom}\` };
    },
    lookup: ({ whom }, { parts }) =>
      Promise.resolve(parts.known().greeted.has(whom) ? { isError: false, text: \`greeted \${whom}\` } : undefined),
  }),
};

export const greetingsPod: PodPart = {
  name: 'greetings',
  tools: [greet],
  components: ({ dataDirectory, parts }) => [
    {
      name: 'greetings',
      restart: 'Transient',
      run: () => {
        writeFileSync(join(dataDirectory, 'greeted-at-start'), String(parts.known().greeted.size));
        return Promise.resolve();
      },
    },
  ],
};
`;
