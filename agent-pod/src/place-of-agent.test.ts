import { expect } from 'vitest';
import { agentDefinition } from '../../test/support/agents.ts';
import { verifies } from '../../test/verifies.ts';
import { settingsOf } from './loop/agent-settings.ts';
import { placeOf } from './place-of-agent.ts';

type Spec = Parameters<typeof agentDefinition>[0];

const wished = {
  sandbox: {
    ...{ egress: ['pypi.org'], root: true, timeout: '90s', processes: 64, scratch: '1Gi', languages: ['Python'] },
    resources: { limits: { memory: '2Gi' } },
  },
  tools: { fetch: { enabled: true, allowedDomains: ['meteo.example'] } },
} as unknown as Spec;

const found = ['bash', 'python', 'javascript'] as const;

const placeIn = (spec: Spec, isolated: readonly (typeof found)[number][], onCluster: boolean) => {
  const { agent } = agentDefinition(spec);
  return placeOf(agent, settingsOf(agent), isolated, onCluster ? { obeysManifest: true } : {});
};

const own = { timeoutMs: 90_000, processes: 64 };

/** The Agent, what its sandbox can isolate, whether it is on a cluster, and what is said of the place. */
const table: readonly (readonly [string, Spec, readonly (typeof found)[number][], boolean, object])[] = [
  [
    'a cluster, where the manifest holds',
    wished,
    found,
    true,
    {
      ...{ sandbox: 'ready', runsOn: 'cluster', languages: ['python'], hosts: ['pypi.org'], isRoot: true, ...own },
      ...{ memory: '2Gi', scratch: '1Gi', pages: ['meteo.example'] },
    },
  ],
  [
    'a machine, where limits are fixed and code has no network',
    wished,
    found,
    false,
    {
      ...{ sandbox: 'ready', runsOn: 'machine', languages: ['python'], hosts: [], isRoot: false, ...own },
      ...{ memory: '512Mi', scratch: '256Mi', pages: ['meteo.example'] },
    },
  ],
  ['a machine that isolates nothing', wished, [], false, { sandbox: 'down', languages: [] }],
  ['a machine that lacks the one language', wished, ['bash'], false, { sandbox: 'down', languages: [] }],
  ['an Agent without code', { sandbox: { enabled: false } }, found, true, { sandbox: 'off', languages: [] }],
  [
    'an Agent that says nothing',
    {},
    found,
    true,
    { hosts: [], isRoot: false, memory: '512Mi', scratch: '512Mi', pages: [] },
  ],
];

for (const [what, spec, isolated, onCluster, expected] of table)
  verifies('sensorium:place', `is told of ${what}`, () => {
    expect(placeIn(spec, isolated, onCluster)).toMatchObject(expected);
  });
