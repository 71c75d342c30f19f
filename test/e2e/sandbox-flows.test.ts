/**
 * What code in a sandbox reaches, on a real network: nothing, and with egress what its Agent names.
 *
 * Every forbidden flow has a listener and is open from a pod that stands beside the sandboxes' policies, at the same time; whatever
 * else would shut it (policies of the target) is opened meanwhile, so that the sandbox's own policies alone are judged.
 */
import { PORTS } from '@retainer/contract/api/names';
import { afterAll, beforeAll, describe, expect, inject } from 'vitest';
import { RELEASE, type RenderedObject } from '../../scripts/render-chart.ts';
import { verifies } from '../verifies.ts';
import { execInside } from './cluster.ts';
import { CONNECT_ATTEMPTS, connectScript, NAMED_HOSTS, readAttempts } from './flow-connect.ts';
import { findPlaces, forbiddenFlows, PROXY_FLOWS, type FlowPlaces } from './flow-list.ts';
import { idlePod, LENT_ADDRESSES, listenerObjects, openPolicy } from './flow-listeners.ts';
import { probeScript, readProbe, type Flow, type Probed } from './flow-probe.ts';
import { code, puppetAgent, puppetObjects, puppetTask } from './puppet.ts';
import { SANDBOX_NAMESPACE, World } from './world.ts';

const world = new World();
const { cluster } = inject('installation');
const isOwn = cluster.kind === 'Own';
/** Its sandboxes have no way out. */
const CLOSED = 'closed';
/** Its sandboxes have the egress proxy, and one stands ready. */
const OUTWARD = 'outward';
/** Beside the sandboxes' policies. */
const TWIN = 'twin';
/** Name of the policies that let everybody in to the targets. */
const OPEN = 'e2e-open';
const FORBIDDEN_MIN = isOwn ? 40 : 30;

let agents = '';
let listeners = '';
let places: FlowPlaces;

beforeAll(async () => {
  agents = await world.namespace('k-flows');
  listeners = agents.replace('k-flows', 'k-listeners');
  const labels = { 'pod-security.kubernetes.io/enforce': 'privileged' };
  await world.kubectl.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: listeners, labels } }]);
  if (isOwn) for (const address of LENT_ADDRESSES) await lend('add', address);
  const image = await sandboxImage();
  await world.until('the account of pods', () => world.get('serviceaccount', 'default', listeners), 30_000);
  await world.apply(listeners, [...listenerObjects(image), idlePod(TWIN, image)]);
  await world.apply(agents, [...puppetObjects().filter(({ kind }) => kind !== 'Agent'), ...bothAgents()]);
  await world.kubectl.run(['wait', 'pod', '--all', '-n', listeners, '--for=condition=Ready', '--timeout=60s']);
  for (const agent of [CLOSED, OUTWARD]) {
    await world.condition(agents, ['agent', agent], { type: 'PodReady', status: 'True' });
  }
  places = await findPlaces(world, { agents, listeners, sandboxes: SANDBOX_NAMESPACE }, [CLOSED, OUTWARD]);
});

afterAll(async () => {
  await closeTargets();
  if (isOwn) for (const address of LENT_ADDRESSES) await lend('del', address);
  await world.kubectl.run(['delete', 'namespace', listeners, '--wait=false', '--ignore-not-found']);
  await world.close();
});

describe('a sandbox', () => {
  verifies(
    'e2e:sandbox-ingress',
    'is reached by its own agent and the operator, and by nobody else',
    async () => {
      const runner = [{ id: 'runner', protocol: 'tcp', host: places.otherSandbox, port: PORTS.sandboxRunner }] as const;
      const [own, operator, other, twin] = await Promise.all([
        probeFrom([agents, `retainer-${OUTWARD}-0`, 'agent'], runner),
        probeFrom([RELEASE.namespace, 'deployment/retainer-operator', 'operator'], runner),
        probeFrom([agents, `retainer-${CLOSED}-0`, 'agent'], runner),
        probeFrom([listeners, TWIN, 'node'], runner),
      ]);
      expect({ own, operator, other, twin }).toEqual({
        own: { tried: 1, open: ['runner'] },
        operator: { tried: 1, open: ['runner'] },
        other: { tried: 1, open: [] },
        twin: { tried: 1, open: [] },
      });
    },
    60_000,
  );

  verifies(
    'e2e:sandbox-flows-closed',
    'reaches nothing that is open beside its policies, and with egress the proxy alone',
    async () => {
      const flows = forbiddenFlows(places, isOwn);
      const ids = flows.map(({ id }) => id).toSorted();
      expect(new Set(ids).size).toBeGreaterThanOrEqual(FORBIDDEN_MIN);
      await openTargets();
      const [twin, closed] = await Promise.all([
        untilOpen([listeners, TWIN, 'node'], flows),
        probeInSandbox(CLOSED, 'closed-flows', flows),
      ]);
      // No policy of ours may open another sandbox; that its port answers is shown above.
      expect(twin.open).toEqual(ids.filter((id) => id !== 'other-sandbox'));
      expect(closed).toEqual({ tried: flows.length, open: [] });
      // Its own sandbox stood ready and is the one that tries.
      const others = flows.filter(({ id }) => id !== 'other-sandbox');
      const outward = await probeInSandbox(OUTWARD, 'outward-flows', others);
      expect(outward).toEqual({ tried: others.length, open: [...PROXY_FLOWS] });
      await closeTargets();
    },
    180_000,
  );

  verifies(
    'e2e:sandbox-egress',
    'gets out to the hosts that its Agent names, at public addresses, and to no other',
    async () => {
      const attempts = CONNECT_ATTEMPTS.filter((attempt) => isOwn || attempt.needsLentAddress !== true);
      const script = connectScript(attempts, `${listeners}.svc.cluster.local`);
      const answers = readAttempts(await runInSandbox(OUTWARD, 'ways-out', script));
      expect(answers).toEqual(Object.fromEntries(attempts.map(({ id, answer }) => [id, answer])));
    },
    120_000,
  );

  verifies(
    'e2e:sandbox-not-entered',
    'is not entered by an administrator, and takes no pod but the operator’s',
    async () => {
      // Judged before anybody looks whether there is such a pod.
      const exec = `/api/v1/namespaces/${SANDBOX_NAMESPACE}/pods/any/exec?command=id&stdout=true`;
      const entered = world.kubectl.run(['create', '--raw', exec, '-f', '-'], '');
      await expect(entered).rejects.toThrow('is for sandboxes only');
      const intruder = { ...idlePod('intruder', 'x:1'), metadata: { name: 'intruder', namespace: SANDBOX_NAMESPACE } };
      await expect(world.kubectl.run(['create', '--dry-run=server', '-f', '-'], intruder)).rejects.toThrow('forbidden');
    },
    60_000,
  );
});

function bothAgents(): readonly RenderedObject[] {
  const sandbox = {
    timeout: '40s',
    scratch: '64Mi',
    resources: { limits: { cpu: '1', memory: '192Mi', 'ephemeral-storage': '512Mi' } },
  };
  const egress = NAMED_HOSTS.map((name) => `${name}.${listeners}.svc.cluster.local`);
  const outward = { ...sandbox, egress, pool: { size: 1 } };
  return [
    { ...puppetAgent({ sandbox }), metadata: { name: CLOSED } },
    { ...puppetAgent({ sandbox: outward }), metadata: { name: OUTWARD } },
  ];
}

async function sandboxImage(): Promise<string> {
  const path = '{.spec.template.spec.containers[0].env[?(@.name=="RETAINER_SANDBOX_IMAGE")].value}';
  const place = ['-n', RELEASE.namespace, '-o', `jsonpath=${path}`];
  return world.kubectl.run(['get', 'deployment', 'retainer-operator', ...place]);
}

/** Puts a foreign address on the node, or takes it away. */
async function lend(deed: 'add' | 'del', address: string): Promise<void> {
  const args = ['ip', 'addr', deed === 'add' ? 'replace' : 'del', `${address}/32`, 'dev', 'lo'];
  const done = execInside(...args);
  await (deed === 'add' ? done : done.catch(() => undefined));
}

/** Where targets have policies of their own. */
const targetPolicies = (): readonly RenderedObject[] =>
  [
    { namespace: agents, labels: {} },
    { namespace: RELEASE.namespace, labels: {} },
  ].map(({ namespace, labels }) => {
    const policy = openPolicy(OPEN, labels);
    return { ...policy, metadata: { ...policy.metadata, namespace } };
  });

async function openTargets(): Promise<void> {
  await world.kubectl.apply(targetPolicies());
}

async function closeTargets(): Promise<void> {
  for (const { metadata } of targetPolicies()) {
    const place = ['-n', metadata.namespace ?? '', '--ignore-not-found'];
    await world.kubectl.run(['delete', 'networkpolicy', OPEN, ...place]);
  }
}

type PodContainer = readonly [namespace: string, pod: string, container: string];

async function probeFrom([namespace, pod, container]: PodContainer, flows: readonly Flow[]): Promise<Probed> {
  const args = ['exec', '-n', namespace, pod, '-c', container, '--', 'node', '-e', probeScript(flows)];
  const output = await world.kubectl.run(args);
  return readProbe(output) ?? { tried: 0, open: [] };
}

/** Policies take a moment to be programmed. */
async function untilOpen(place: PodContainer, flows: readonly Flow[]): Promise<Probed> {
  const first = await probeFrom(place, flows);
  const rest = flows.filter(({ id }) => !first.open.includes(id));
  if (rest.length === 0) return first;
  const second = await probeFrom(place, rest);
  return { tried: first.tried, open: [...first.open, ...second.open].toSorted() };
}

async function probeInSandbox(agent: string, task: string, flows: readonly Flow[]): Promise<Probed> {
  const said = await runInSandbox(agent, task, probeScript(flows));
  const probed = readProbe(said);
  if (probed === undefined) throw new Error(`the sandbox of ${agent} said: ${said}`);
  return probed;
}

/** @returns what the Task ended with */
async function runInSandbox(agent: string, name: string, script: string): Promise<string> {
  await world.apply(agents, [puppetTask(name, code('javascript', script), agent)]);
  const task = await world.ended(agents, name);
  return String(task.status?.['summary']);
}
