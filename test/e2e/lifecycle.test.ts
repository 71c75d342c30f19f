/** The life of an agent: another character, a pause, an end and a new beginning. It forgets nothing. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject } from 'vitest';
import type { RenderedObject } from '../../scripts/render-chart.ts';
import { verifies } from '../verifies.ts';
import { auditEnd, auditedWrites, tally, untilQuiet, type AuditedWrite } from '../../bench/operator/audit-writes.ts';
import { auditLog } from './cluster.ts';
import { agentContainer } from './held.ts';
import { code, PUPPET, puppetAgent, puppetCharacter, puppetObjects, puppetTask } from './puppet.ts';
import { SANDBOX_NAMESPACE, World, type ClusterObject } from './world.ts';

const world = new World();
const POD_READY = '{.items[*].status.conditions[?(@.type=="Ready")].status}';
const set = `retainer-${PUPPET}`;
const pod = `${set}-0`;
const claims = [`data-${pod}`, `audit-${pod}`];
let namespace = '';
let began = new Date();

/** A script that nobody can read. Its character is its own: one that changes would restart it, and others would wait their turn. */
const scriptless: readonly RenderedObject[] = [
  { ...puppetCharacter, metadata: { name: 'scriptless' } },
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'scriptless' }, data: { 'script.yaml': 'rules: [' } },
  {
    ...puppetAgent({
      characterRef: { name: 'scriptless' },
      models: { provider: 'Scripted', script: 'script.yaml', scriptConfigMapRef: { name: 'scriptless' } },
    }),
    metadata: { name: 'scriptless' },
  },
];

beforeAll(async () => {
  namespace = await world.namespace('lifecycle');
  await world.apply(namespace, [...puppetObjects(), ...scriptless]);
  await world.condition(namespace, ['agent', PUPPET], { type: 'Ready', status: 'True' });
  await world.apply(namespace, [puppetTask('remember', 'REMEMBER garden/color = turquoise')]);
  expect(await world.ended(namespace, 'remember')).toMatchObject({ status: { outcome: 'Accepted' } });
});
beforeEach(() => {
  began = new Date();
});
afterEach(async () => {
  expect(await world.operatorFaults(began)).toEqual([]);
});
afterAll(() => world.close());

async function recalls(task: string): Promise<void> {
  await world.apply(namespace, [puppetTask(task, 'RECALL garden/color')]);
  const { status } = await world.ended(namespace, task);
  expect(status?.['summary']).toContain('turquoise');
}

const volumes = async () =>
  Promise.all(claims.map(async (name) => (await world.get('pvc', name, namespace)).metadata.uid));

/** The process that works, and how often people or the operator changed what it is started with. */
async function work() {
  const { metadata } = await world.get('pod', pod, namespace);
  const { restartCount } = await agentContainer(world, namespace, PUPPET);
  return { pod: metadata.uid, restartCount, template: generationOf(await world.get('statefulset', set, namespace)) };
}

const generationOf = ({ metadata }: ClusterObject) => (metadata as { readonly generation?: number }).generation;

/** The operator has done what the newest spec of the Agent asks for. */
const isRead = () => {
  const look = async () => {
    const agent = await world.get('agent', PUPPET, namespace);
    return agent.status?.['observedGeneration'] === generationOf(agent) ? true : undefined;
  };
  return world.until('the operator to read the Agent', look, 30_000, namespace);
};

/** The name that the agent itself keeps on its volume; from the Lease, which comes a moment after it is at work. */
const individual = () => {
  const look = async () => (await world.get('agent', PUPPET, namespace)).status?.['individual'];
  return world.until('the name of the individual', look, 60_000, namespace);
};

/** What the operator and the agent wrote for one Task until nothing more came, by who, verb and resource. */
async function writesOf(task: string, intent: string): Promise<Readonly<Record<string, number>>> {
  const log = auditLog(inject('installation').cluster);
  const from = await auditEnd(log);
  await world.apply(namespace, [puppetTask(task, intent)]);
  await world.ended(namespace, task);
  const told = async () => ownWrites(await auditedWrites(log, from), task);
  const isOver = async () => {
    const kinds = new Set((await told()).map(kindOf));
    const hasRun = kinds.has('agent: create sandboxruns');
    const isGone = [...kinds].some((kind) => kind.endsWith('delete sandboxruns'));
    return kinds.has('agent: create events') && hasRun === isGone ? true : undefined;
  };
  await world.until('the Event of its end, and the end of its SandboxRun', isOver, 60_000, namespace);
  await untilQuiet(log, (write) => ownWrites([write], task).length > 0);
  const counts = Object.fromEntries(tally(await told(), kindOf));
  process.stdout.write(`writes of Task ${task}: ${JSON.stringify(counts)}\n`);
  return counts;
}

const WRITERS = [
  [':retainer-operator', 'operator'],
  [`:retainer-${PUPPET}`, 'agent'],
] as const;

function writerOf({ user }: AuditedWrite): string | undefined {
  return WRITERS.find(([account]) => user.endsWith(account))?.[1];
}

function kindOf(write: AuditedWrite): string {
  return `${writerOf(write)}: ${write.verb} ${write.resource}`;
}

/**
 * Those about this Task, its Event, the namespace's SandboxRuns and their Jobs. Leases, and the counts in the Agent's status, are
 * written with and without a Task; what Kubernetes writes for a Job and its pod is not Retainer's.
 */
function ownWrites(writes: readonly AuditedWrite[], task: string): readonly AuditedWrite[] {
  const ours = writes.filter((write) => writerOf(write) !== undefined && write.code < 300);
  const runs = ours.filter(({ resource, namespace: where }) => where === namespace && resource === 'sandboxruns');
  const jobsOfRuns = runs.map(({ name }) => `run-${name}-`);
  return ours.filter(({ resource, namespace: where, name }) => {
    if (where === SANDBOX_NAMESPACE) return jobsOfRuns.some((prefix) => name.startsWith(prefix));
    const isOfTask = name === task || name.startsWith(`${task}.`);
    return where === namespace && (isOfTask || resource.startsWith('sandboxruns'));
  });
}

/** Each write and its reason. */
const PLAIN = {
  'operator: patch tasks/status': 1, // it is admitted
  'agent: patch tasks/status': 2, // it runs; it has ended, Ready included
  'agent: create events': 1, // for people who watch
};
const CODE = {
  'agent: create sandboxruns': 1,
  'operator: patch sandboxruns/status': 1, // the address of its sandbox
  'operator: delete sandboxruns': 1, // its agent released it
};
const OWN_JOB = { 'operator: patch jobs': 1 };

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((all, count) => all + count, 0);

/** The programs that the container's first process started, all together, in MiB: the first one only reaps. */
async function residentMib(container: string): Promise<number> {
  const read = ['exec', pod, '-c', container, '-n', namespace, '--', 'sh', '-c', 'cat /proc/[0-9]*/status'];
  const processes = (await world.kubectl.run(read)).split(/^(?=Name:)/m);
  const kibibytes = processes
    .filter((status) => /^PPid:\s+1$/m.test(status))
    .map((status) => Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]));
  return kibibytes.reduce((sum, one) => sum + one, 0) / 1024;
}

/** What is aimed at, and what a pod is held to until that is reached. */
const MEMORY_MIB = { agent: { goal: 100, max: 140 }, auditor: { goal: 64, max: 72 } } as const;

describe('an agent', () => {
  for (const [container, { goal, max }] of Object.entries(MEMORY_MIB))
    verifies('e2e:memory-at-rest', `has its ${container} resident at rest, and says how much`, async () => {
      let mib = Number.NaN;
      const isSmall = async () => {
        mib = await residentMib(container);
        return mib > 0 && mib <= goal ? true : undefined;
      };
      // Rest comes with the next collection of garbage.
      await world.until(`${goal} MiB`, isSmall, 15_000).catch(() => undefined);
      process.stdout.write(`resident memory of the ${container} at rest: ${mib.toFixed(1)} MiB, goal ${goal}\n`);
      expect(mib).toBeGreaterThan(0);
      expect(mib).toBeLessThanOrEqual(max);
    });

  verifies('e2e:few-writes', 'is written four times for a Task without code', async () => {
    expect(await writesOf('plain', 'RECALL garden/color')).toEqual(PLAIN);
  });

  verifies('e2e:few-writes', 'is written eight times for a Task with code in a cold sandbox', async () => {
    const writes = await writesOf('cold', code('bash', 'echo well'));
    expect(writes).toEqual({ ...PLAIN, ...CODE, ...OWN_JOB });
    expect(sum(writes)).toBe(8);
  });

  verifies('e2e:few-writes', 'is written seven times for a Task with code in a warm sandbox', async () => {
    const before = await work();
    const { sandbox } = puppetAgent()['spec'] as { readonly sandbox: object };
    await world.apply(namespace, [puppetAgent({ sandbox: { ...sandbox, pool: { size: 1 } } })]);
    const labels = `retainer.dev/agent=${PUPPET},retainer.dev/agent-namespace=${namespace},retainer.dev/sandbox-pool`;
    const pooled = ['get', 'pods', '-n', SANDBOX_NAMESPACE, '-l', labels, '-o', `jsonpath=${POD_READY}`];
    const isReady = async () => ((await world.kubectl.run(pooled)).includes('True') ? true : undefined);
    await world.until('a sandbox of the pool', isReady, 120_000, namespace);
    const writes = await writesOf('warm', code('bash', 'echo well'));
    await world.apply(namespace, [puppetAgent()]);
    expect(writes).toEqual({ ...PLAIN, ...CODE });
    expect(sum(writes)).toBe(7);
    // Another number of ready sandboxes is no reason to restart the agent.
    await isRead();
    expect(await work()).toEqual(before);
  });

  verifies('e2e:character-changed', 'restarts under a changed character, with its memory', async () => {
    const before = await world.get('pod', pod, namespace);
    const agentBefore = await world.get('agent', PUPPET, namespace);
    const spec = { ...puppetCharacter.spec, persona: 'You do what the task says, politely.' };
    await world.apply(namespace, [{ ...puppetCharacter, spec }]);
    const changed = async () => {
      const agent = await world.get('agent', PUPPET, namespace);
      const now = await world.kubectl.get<ClusterObject>('pod', pod, namespace);
      const isNew = now !== undefined && now.metadata.uid !== before.metadata.uid;
      const isOther = agent.status?.['characterDigest'] !== agentBefore.status?.['characterDigest'];
      return isNew && isOther ? agent : undefined;
    };
    await world.until('a pod under the new character', changed, 120_000, namespace);
    await world.condition(namespace, ['agent', PUPPET], { type: 'Ready', status: 'True' });
    const agent = await world.get('agent', PUPPET, namespace);
    const now = await world.get('pod', pod, namespace);
    expect(now.metadata.annotations?.['retainer.dev/character-digest']).toBe(agent.status?.['characterDigest']);
    await recalls('after-character');
    const task = await world.get('task', 'after-character', namespace);
    expect(task.status?.['characterDigest']).toBe(agent.status?.['characterDigest']);
  });

  verifies('e2e:suspend-and-resume', 'stops when it is suspended, and goes on with its memory', async () => {
    const before = await volumes();
    await world.apply(namespace, [puppetAgent({ suspend: true })]);
    await world.condition(namespace, ['agent', PUPPET], { type: 'Ready', status: 'False', reason: 'Suspended' });
    const gone = async () => ((await world.kubectl.get('pod', pod, namespace)) === undefined ? true : undefined);
    await world.until('the end of its pod', gone, 90_000, namespace);
    await world.apply(namespace, [puppetTask('while-suspended', 'RECALL garden/color')]);
    await world.condition(namespace, ['task', 'while-suspended'], {
      type: 'Ready',
      status: 'False',
      reason: 'AgentSuspended',
    });
    await world.apply(namespace, [puppetAgent({ suspend: false })]);
    await world.condition(namespace, ['agent', PUPPET], { type: 'Ready', status: 'True' });
    expect((await world.ended(namespace, 'while-suspended')).status?.['summary']).toContain('turquoise');
    expect(await volumes()).toEqual(before);
  });

  verifies('e2e:account-renewed', 'gets a token of its account when that was deleted and made anew', async () => {
    const before = await world.get('pod', pod, namespace);
    await world.kubectl.run(['delete', 'serviceaccount', `retainer-${PUPPET}`, '-n', namespace]);
    const told = async () => {
      const reasons = await world.kubectl.run(['get', 'events', '-n', namespace, '-o', 'jsonpath={.items[*].reason}']);
      return reasons.split(' ').includes('AccountChanged') ? true : undefined;
    };
    await world.until('an Event that tells it', told, 30_000, namespace);
    await world.condition(namespace, ['agent', PUPPET], { type: 'Ready', status: 'True' });
    expect((await world.get('pod', pod, namespace)).metadata.uid).not.toBe(before.metadata.uid);
    await recalls('after-account');
  });

  verifies('e2e:script-invalid', 'that has no valid script says so, with the field', async () => {
    const told = await world.condition(namespace, ['agent', 'scriptless'], {
      type: 'Ready',
      status: 'False',
      reason: 'ScriptInvalid',
    });
    const { message = '' } = told.status?.conditions?.find(({ type }) => type === 'Ready') ?? {};
    expect(message).toContain('spec.models.script: scriptless/script.yaml');
    await world.kubectl.run(['delete', 'agent', 'scriptless', '-n', namespace]);
  });

  verifies(
    'e2e:deleted-and-created-again',
    'leaves its volumes when it is deleted, and remembers when it comes again',
    async () => {
      const before = await volumes();
      const born = await individual();
      await world.kubectl.run(['delete', 'agent', PUPPET, '-n', namespace]);
      const children = async () => {
        const left = await world.kubectl.run([
          'get',
          'statefulset,serviceaccount,role,rolebinding,service,configmap,networkpolicy,poddisruptionbudget,lease,pod',
          '-n',
          namespace,
          '-l',
          `retainer.dev/agent=${PUPPET}`,
          '-o',
          'name',
        ]);
        return left.trim() === '' ? true : undefined;
      };
      await world.until('the end of its children', children, 120_000, namespace);
      expect(await volumes()).toEqual(before);
      await world.apply(namespace, [puppetAgent()]);
      await world.condition(namespace, ['agent', PUPPET], { type: 'Ready', status: 'True' });
      expect(await volumes()).toEqual(before);
      expect(await individual()).toBe(born);
      await recalls('after-rebirth');
    },
  );
});
