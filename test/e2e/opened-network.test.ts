/** Somebody opens the network of sandboxes while code runs: the code is ended, none starts, and the one who opened it is named. */
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { ENFORCE_LABEL } from '@retainer/contract/api/sandbox-standard';
import { RELEASE, type RenderedObject } from '../../scripts/render-chart.ts';
import { verifies } from '../verifies.ts';
import { code, PUPPET, puppetObjects, puppetTask } from './puppet.ts';
import { SANDBOX_NAMESPACE, World, type ClusterObject } from './world.ts';

const world = new World();
const GUARD = ['validatingadmissionpolicybinding', `${RELEASE.name}-sandbox-network`] as const;
const DENY_ALL = ['networkpolicy', 'retainer-deny-all', '-n', SANDBOX_NAMESPACE] as const;
/** From the change to no code running. */
const ENDED_MS = 5000;
/** From the loss of the denial to another one: a second, and the time of a call of kubectl on a busy machine. */
const CLOSED_MS = 5000;
/** Between two looks, where seconds are judged. */
const LOOK_MS = 100;
let namespace = '';
let guard: RenderedObject;
/** Who applies it, whose field manager must own it again. */
let owner = '';

const allowAll: RenderedObject = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: 'allow-all', namespace: SANDBOX_NAMESPACE },
  spec: { podSelector: {}, policyTypes: ['Ingress', 'Egress'], ingress: [{}], egress: [{}] },
};

beforeAll(async () => {
  namespace = await world.namespace('k-opened');
  const { metadata, ...rest } = await world.get(GUARD[0], GUARD[1], '');
  const { name, labels = {}, annotations = {} } = metadata;
  guard = { ...rest, metadata: { name, labels, annotations } };
  owner = await world.kubectl.run(['get', ...GUARD, '-o', 'jsonpath={.metadata.managedFields[0].manager}']);
  await world.apply(namespace, puppetObjects());
  await world.condition(namespace, ['agent', PUPPET], { type: 'NetworkPolicyEnforced', status: 'True' });
});

afterAll(async () => {
  await world.kubectl.run(['delete', 'networkpolicy', 'allow-all', '-n', SANDBOX_NAMESPACE, '--ignore-not-found']);
  await world.kubectl.run(['label', '--overwrite', 'namespace', SANDBOX_NAMESPACE, `${ENFORCE_LABEL}=restricted`]);
  await guarded();
  await world.close();
});

async function guarded(): Promise<void> {
  await world.kubectl.run(
    ['apply', '--server-side', '--force-conflicts', `--field-manager=${owner}`, '-f', '-'],
    guard,
  );
}

/** Pods of runs that are not over. */
async function running(): Promise<readonly string[]> {
  const place = [
    '-n',
    SANDBOX_NAMESPACE,
    '-l',
    `retainer.dev/agent-namespace=${namespace},retainer.dev/sandbox-run-uid`,
  ];
  const found = await world.kubectl.run([
    'get',
    'pods',
    ...place,
    '-o',
    'jsonpath={range .items[*]}{.status.phase} {end}',
  ]);
  return found.split(' ').filter((phase) => phase === 'Running' || phase === 'Pending');
}

async function untilRunning(): Promise<void> {
  await world.until('code that runs', async () => ((await running()).includes('Running') ? true : undefined), 60_000);
}

/** @returns milliseconds until no code runs */
async function untilEnded(): Promise<number> {
  const startedMs = performance.now();
  while ((await running()).length > 0 && performance.now() - startedMs < 60_000)
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  return performance.now() - startedMs;
}

const toldOf = (reason: string) => async (): Promise<true | undefined> => {
  const events = await world.kubectl.run(['get', 'events', '-n', namespace, '-o', 'jsonpath={.items[*].reason}']);
  return events.split(' ').includes(reason) ? true : undefined;
};

describe('the network of sandboxes', () => {
  verifies('e2e:network-opened', 'is opened by no administrator, as long as admission stands', async () => {
    await expect(world.kubectl.run(['create', '-f', '-'], allowAll)).rejects.toThrow('only the operator may write');
    await expect(world.kubectl.run(['delete', ...DENY_ALL])).rejects.toThrow('only the operator may write');
  });

  verifies(
    'e2e:network-opened',
    'ends code that runs when a policy opens it, and names the policy until it is gone',
    async () => {
      await world.apply(namespace, [puppetTask('caught', code('bash', 'sleep 55'))]);
      await untilRunning();
      await world.kubectl.run(['delete', ...GUARD]);
      const opened = async () => {
        await world.kubectl.run(['create', '-f', '-'], allowAll);
        return true;
      };
      await world.until('a policy that admission lets in', opened, 30_000);
      const endedMs = await untilEnded();
      process.stdout.write(`allow-all: no code after ${Math.round(endedMs)} ms\n`);
      expect(endedMs).toBeLessThan(ENDED_MS);
      await world.until('an Event that tells it', toldOf('NetworkOpened'), 30_000, namespace);
      const told = await world.condition(namespace, ['agent', PUPPET], {
        type: 'NetworkPolicyEnforced',
        status: 'False',
      });
      const message = told.status?.conditions?.find(({ type }) => type === 'NetworkPolicyEnforced')?.message;
      expect(message).toContain('NetworkPolicy allow-all is not the operator');
      await world.kubectl.run(['delete', 'networkpolicy', 'allow-all', '-n', SANDBOX_NAMESPACE]);
      await world.condition(namespace, ['agent', PUPPET], { type: 'NetworkPolicyEnforced', status: 'True' });
    },
    240_000,
  );

  verifies(
    'e2e:network-opened',
    'counts as opened where its namespace loses its standard, and the condition tells the command that helps',
    async () => {
      await world.apply(namespace, [puppetTask('caught-loose', code('bash', 'sleep 55'))]);
      await untilRunning();
      const label = (value: string) =>
        world.kubectl.run(['label', '--overwrite', 'namespace', SANDBOX_NAMESPACE, `${ENFORCE_LABEL}=${value}`]);
      await label('privileged');
      const endedMs = await untilEnded();
      process.stdout.write(`label: no code after ${Math.round(endedMs)} ms\n`);
      expect(endedMs).toBeLessThan(ENDED_MS);
      const told = await world.condition(namespace, ['agent', PUPPET], {
        type: 'NetworkPolicyEnforced',
        status: 'False',
      });
      const { message = '' } = told.status?.conditions?.find(({ type }) => type === 'NetworkPolicyEnforced') ?? {};
      const [, command = ''] = /kubectl ([^;]*)/.exec(message) ?? [];
      expect(command).toContain(`namespace ${SANDBOX_NAMESPACE}`);
      await world.kubectl.run(command.trim().split(' '));
      await world.condition(namespace, ['agent', PUPPET], { type: 'NetworkPolicyEnforced', status: 'True' });
    },
    240_000,
  );

  verifies(
    'e2e:network-opened',
    'is closed again within seconds of losing its denial, and proved before code runs',
    async () => {
      await world.apply(namespace, [puppetTask('caught-again', code('bash', 'sleep 55'))]);
      await untilRunning();
      const { metadata } = await world.get('networkpolicy', 'retainer-deny-all', SANDBOX_NAMESPACE);
      await world.kubectl.run(['delete', ...DENY_ALL]);
      const another = async () => {
        const policy = await world.kubectl.get<ClusterObject>('networkpolicy', 'retainer-deny-all', SANDBOX_NAMESPACE);
        return policy === undefined || policy.metadata.uid === metadata.uid ? undefined : true;
      };
      await world.until('another denial', another, CLOSED_MS);
      expect(await untilEnded()).toBeLessThan(ENDED_MS);
      await guarded();
      await world.apply(namespace, [puppetTask('after', code('bash', 'echo well'))]);
      const ended = await world.ended(namespace, 'after');
      expect(ended.status?.['summary']).toContain('well');
    },
    240_000,
  );
});
