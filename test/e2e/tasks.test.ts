/** What a user of Retainer does first: the examples, in any order; and what the API server and the operator say to mistakes. */
import { afterAll, afterEach, beforeEach, describe, expect } from 'vitest';
import { code, PUPPET, puppetAgent, puppetCharacter, puppetObjects, puppetTask } from './puppet.ts';
import { examples, SANDBOX_NAMESPACE, World, type ClusterObject } from './world.ts';
import { healthOf } from '../support/git-health.ts';
import { testSeed } from '../support/seed.ts';
import { verifies } from '../verifies.ts';
import { Seeded } from '../support/seeded.ts';

const world = new World();
let began = new Date();

beforeEach(() => {
  began = new Date();
});
afterEach(async () => {
  expect(await world.operatorFaults(began)).toEqual([]);
});
afterAll(() => world.close());

describe('the examples', () => {
  verifies(
    'e2e:examples-in-any-order',
    'end as they should, whatever is applied first',
    async () => {
      const namespace = await world.namespace('examples');
      process.stderr.write(`e2e: order of the examples by RETAINER_SEED=${testSeed}\n`);
      for (const object of seededShuffle(examples(), testSeed)) await world.apply(namespace, [object]);
      await world.condition(namespace, ['agent', 'meteorologist'], { type: 'Ready', status: 'True' });
      const wettest = await world.ended(namespace, 'wettest-month');
      expect(wettest.status).toMatchObject({ outcome: 'Accepted' });
      expect(wettest.status?.['summary']).toContain('wettest calendar month');
      expect(await world.ended(namespace, 'temperature-chart')).toMatchObject({ status: { outcome: 'Accepted' } });
      expect(await world.ended(namespace, 'frost-days')).toMatchObject({ status: { outcome: 'Accepted' } });
      const replanned = await world.ended(namespace, 'windiest-month');
      expect(replanned).toMatchObject({ status: { outcome: 'Accepted', replans: 1 } });
      const half = await world.ended(namespace, 'compare-portland');
      expect(half).toMatchObject({ status: { outcome: 'Abandoned' } });
      expect(half.status?.['summary']).toContain('In Seattle the mean daily maximum temperature of July is');
      expect(await world.ended(namespace, 'rewrite-record')).toMatchObject({ status: { outcome: 'Refused' } });
      const settled = { type: 'Ready', status: 'True', reason: 'Accepted' };
      await world.condition(namespace, ['task', 'wettest-month'], settled);
      await world.condition(namespace, ['task', 'rewrite-record'], { ...settled, status: 'False', reason: 'Refused' });
      await looksAs('get', namespace, ['get', 'agents,tasks,skills,characterspecs']);
      await looksAs('describe-task', namespace, ['describe', 'task', 'wettest-month']);
      await looksAs('describe-refused-task', namespace, ['describe', 'task', 'rewrite-record']);
      await looksAs('describe-agent', namespace, ['describe', 'agent', 'meteorologist']);
      expect(await healthIn(namespace)).toMatchObject({
        'Agent/meteorologist': 'Current, Healthy',
        'CharacterSpec/careful-analyst': 'Current, Healthy',
        'Skill/chart-making': 'Current, Healthy',
        'Task/wettest-month': 'Current, Healthy',
        'Task/compare-portland': 'Failed, Degraded',
        'Task/rewrite-record': 'Failed, Degraded',
      });
    },
    300_000,
  );
});

describe('a Task', () => {
  verifies(
    'e2e:task-runs-in-a-sandbox',
    'runs its code in a sandbox Job and completes with the result',
    async () => {
      const namespace = await world.namespace('code');
      await world.apply(namespace, puppetObjects());
      await world.condition(namespace, ['agent', PUPPET], { type: 'Ready', status: 'True' });
      await world.apply(namespace, [
        puppetTask('say-where', code('bash', 'echo "host $(hostname), user $(id -u)"; sleep 5')),
      ]);
      const job = await world.until('a sandbox Job of this agent', () => sandboxJob(namespace), 60_000, namespace);
      expect(job.metadata.labels).toMatchObject({ 'retainer.dev/agent': PUPPET });
      expect(await healthIn(namespace)).toMatchObject({ SandboxRun: 'InProgress, Progressing' });
      const task = await world.ended(namespace, 'say-where');
      expect(task.status).toMatchObject({ outcome: 'Accepted' });
      expect(task.status?.['summary']).toMatch(/host sandbox, user \d{6,}/);
    },
    300_000,
  );

  verifies(
    'e2e:unknown-agent-heals',
    'waits for an unknown agent with a reason, and goes on when it appears',
    async () => {
      const namespace = await world.namespace('unknown');
      const early = puppetTask('early', code('bash', 'echo early'));
      const annotations = { 'argocd.argoproj.io/tracking-id': 'apps:retainer.dev/Task:early' };
      const spec = { ...early.spec, ttlSecondsAfterFinished: 0 };
      await world.apply(namespace, [{ ...early, metadata: { ...early.metadata, annotations }, spec }]);
      const waiting = { type: 'Ready', status: 'False', reason: 'AgentNotFound' };
      const task = await world.condition(namespace, ['task', 'early'], waiting, 30_000);
      expect(JSON.stringify(task.status?.conditions)).toContain(PUPPET);
      await world.apply(namespace, puppetObjects());
      expect(await world.ended(namespace, 'early')).toMatchObject({ status: { outcome: 'Accepted' } });
      const kept = await world.condition(namespace, ['task', 'early'], { type: 'Ready', status: 'True' });
      expect(JSON.stringify(kept.status?.conditions)).toContain('since Argo CD would create the Task again');
    },
    300_000,
  );
});

describe('the API server', () => {
  verifies(
    'e2e:unknown-level-refused',
    'refuses a CharacterSpec with an unknown level and names the field',
    async () => {
      const namespace = await world.namespace('level');
      const {
        highestEndeavour: [endeavour],
      } = puppetCharacter.spec as { readonly highestEndeavour: readonly object[] };
      const character = {
        ...puppetCharacter,
        spec: { ...puppetCharacter.spec, highestEndeavour: [{ ...endeavour, level: 'Whatever' }] },
      };
      await expect(world.apply(namespace, [character])).rejects.toThrow('spec.highestEndeavour[0].level');
      await expect(world.apply(namespace, [puppetAgent({ budgets: { costUsdPerDay: -1 } })])).rejects.toThrow(
        'costUsdPerDay',
      );
    },
    60_000,
  );

  verifies('e2e:kubectl-reads-well', 'explains every kind', async () => {
    for (const kind of ['agent', 'task', 'skill', 'characterspec', 'sandboxrun']) {
      const text = await world.kubectl.run(['explain', `${kind}.spec`]);
      await expect(text).toMatchFileSnapshot(`../golden/kubectl-explain-${kind}.txt`);
    }

    const text = await world.kubectl.run(['explain', 'task.spec.approvals']);
    expect(text.replaceAll(/\s+/g, ' ')).toContain(
      'Writing them needs the verb approve on tasks, which agents never have.',
    );
  });
});

/** How Flux (kstatus) and Argo CD would judge all objects of ours, by kind and name; those of code have random names. */
async function healthIn(namespace: string): Promise<Readonly<Record<string, string>>> {
  const objects = await world.kubectl.list<ClusterObject>('retainer', '-n', namespace);
  const health = healthOf(objects);
  return Object.fromEntries(
    objects.map(({ kind, metadata }, index) => [
      kind === 'SandboxRun' ? kind : `${kind}/${metadata.name}`,
      `${health[index]?.kstatus.status}, ${health[index]?.argo.status}`,
    ]),
  );
}

/** What kubectl prints, with what differs from run to run masked. */
async function looksAs(name: string, namespace: string, args: readonly string[]): Promise<void> {
  const text = await world.kubectl.run([...args, '-n', namespace]);
  await expect(masked(text, namespace)).toMatchFileSnapshot(`../golden/kubectl-${name}.txt`);
}

async function sandboxJob(namespace: string): Promise<ClusterObject | undefined> {
  const selector = `retainer.dev/agent-namespace=${namespace}`;
  const jobs = await world.kubectl.list<ClusterObject>('jobs', '-n', SANDBOX_NAMESPACE, '-l', selector);
  return jobs[0];
}

/** A random order that a seed gives again. */
function seededShuffle<T>(given: readonly T[], seed: number): readonly T[] {
  const random = new Seeded(seed);
  const keyed = given.map((item) => ({ item, key: random.below(2 ** 32) }));
  return keyed.toSorted((a, b) => a.key - b.key).map(({ item }) => item);
}

const VOLATILE: readonly (readonly [pattern: RegExp, mask: string])[] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, '<time>'],
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uid>'],
  [/sha256:[0-9a-f]{64}/g, 'sha256:<digest>'],
  [/\b([a-z-]+)-[0-9a-f]{10}\b/g, '$1-<id>'],
  [/(Resource Version: +)\d+/g, '$1<version>'],
  [
    /((Input|Output) Tokens: +|Cost Usd: +|Size Bytes: +|(Resource|Total): +|Epoch: +|Order: +|(Finished|Refused|Running|Waiting): +(?=\d))[\d.]+/g,
    '$1<number>',
  ],
  // The last column of a row of `kubectl get`.
  [/^(\S+\/.*\S) +(\d+[smhd]){1,2}$/gm, '$1  <age>'],
];
/** Events come in any number and order. */
const EVENTS = /^Events:[\s\S]*/m;
/** Conditions and other lists keep their order; what stands in columns is set close, since its width depends on other cells. */
const COLUMNS = / {2,}(?=\S)/g;

function masked(text: string, namespace: string): string {
  const withoutVolatile = VOLATILE.reduce((rest, [pattern, mask]) => rest.replace(pattern, mask), text);
  const lines = withoutVolatile.replace(EVENTS, 'Events: <events>\n').replaceAll(namespace, '<namespace>').split('\n');
  return lines.map((line) => indentOf(line) + line.trimStart().replace(COLUMNS, '  ').trimEnd()).join('\n');
}

function indentOf(line: string): string {
  return /^ */.exec(line)?.[0] ?? '';
}
