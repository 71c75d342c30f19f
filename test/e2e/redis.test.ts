/** A Redis carries the bus of an agent on a cluster: its URL is a file of two programs, and its user may do nothing else there. */
import { afterAll, beforeAll, describe, expect, inject } from 'vitest';
import type { RenderedObject } from '../../scripts/render-chart.ts';
import { verifies } from '../verifies.ts';
import { loadDebianImage } from './cluster.ts';
import { HELD, heldObjects, heldTask } from './held.ts';
import { World } from './world.ts';

const world = new World();
const IMAGE = 'retainer.test/redis:7-bookworm';
const PASSWORD = 'word-of-the-bus';
const REDIS = 'redis';
let namespace = '';

beforeAll(async () => {
  await loadDebianImage(inject('installation').cluster, IMAGE, { packages: ['redis-server'], program: 'redis-server' });
  namespace = await world.namespace('redis');
  await world.apply(namespace, [redisPod()]);
  const { status } = await world.condition(namespace, ['pod', REDIS], { type: 'Ready', status: 'True' });
  const address = String(status?.['podIP']);
  await world.apply(namespace, [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: REDIS },
      stringData: { url: `redis://ada:${PASSWORD}@${address}`, other: 'not-for-the-auditor' },
    },
    ...heldObjects({
      bus: { redis: { urlSecretRef: { name: REDIS, key: 'url' } } },
      pod: { egressCidrs: [`${address}/32`] },
    }),
  ]);
  await world.condition(namespace, ['agent', HELD], { type: 'Ready', status: 'True' });
});
afterAll(() => world.close());

/** Its only user has the rights that docs/operations.md names, and nobody gets in without a password. */
function redisPod(): RenderedObject {
  const commands = ['xadd', 'xgroup', 'xreadgroup', 'xack', 'xclaim', 'xautoclaim', 'xinfo', 'info'].map(
    (it) => `+${it}`,
  );
  const user = ['ada', 'on', `>${PASSWORD}`, 'resetchannels', '-@all', `~${stream()}`, ...commands];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: REDIS, labels: { app: REDIS } },
    spec: {
      securityContext: { runAsNonRoot: true, runAsUser: 999, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          name: REDIS,
          image: IMAGE,
          imagePullPolicy: 'Never',
          command: ['redis-server', '--bind', '0.0.0.0', '--save', '', '--user', ...user, '--user', 'default', 'off'],
          workingDir: '/tmp',
          readinessProbe: { tcpSocket: { port: 6379 }, periodSeconds: 1 },
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        },
      ],
    },
  };
}

function stream(): string {
  return `rt:${namespace}:${HELD}:bus`;
}

/** What its own user sees of the stream. */
async function seen(what: 'STREAM' | 'GROUPS'): Promise<string> {
  const login = ['--user', 'ada', '--pass', PASSWORD, '--no-auth-warning'];
  return world.kubectl.run(['exec', REDIS, '-n', namespace, '--', 'redis-cli', ...login, 'XINFO', what, stream()]);
}

async function inContainer(container: 'agent' | 'auditor', command: string): Promise<string> {
  const pod = `retainer-${HELD}-0`;
  return world.kubectl.run(['exec', pod, '-n', namespace, '-c', container, '--', 'sh', '-c', command]);
}

describe('a bus on a Redis', () => {
  verifies('e2e:redis-bus', 'carries a run from its first word to its last, heard by the auditor', async () => {
    await world.apply(namespace, [heldTask('colours', 'nobody')]);
    const { status } = await world.ended(namespace, 'colours');
    expect(status).toMatchObject({ outcome: 'Accepted', summary: expect.stringContaining('The sky is blue') });
    const messages = await inContainer(
      'agent',
      `cat /data/journal/run/*.jsonl | grep '"kind":"MessageSent"' | grep -o '"contentHash"' | wc -l`,
    );
    const told = await seen('STREAM');
    expect(Number(/length\s+(\d+)/.exec(told)?.[1])).toBe(Number(messages));
    expect(await seen('GROUPS')).toMatch(/name\s+auditor/);
  });

  verifies(
    'e2e:redis-bus',
    'has its URL in a file of both programs, and in no variable, record or description',
    async () => {
      const file = `/etc/retainer/bus/${REDIS}/url`;
      for (const container of ['agent', 'auditor'] as const) {
        expect(await inContainer(container, `cat ${file}`)).toContain(PASSWORD);
        const environment = await inContainer(container, `tr '\\0' '\\n' < /proc/1/environ`);
        expect(environment).not.toContain(PASSWORD);
        expect(await inContainer(container, `grep -rl not-for-the-auditor /etc/retainer || true`)).toBe('');
      }
      // 1 says that it is nowhere; 2 that a file could not be read.
      expect(await inContainer('agent', `grep -rlF ${PASSWORD} /data || [ $? -eq 1 ]`)).toBe('');
      const described = await world.kubectl.run(['describe', 'pod', `retainer-${HELD}-0`, '-n', namespace]);
      const logged = await world.kubectl.run(['logs', `retainer-${HELD}-0`, '-n', namespace, '--all-containers']);
      expect(described + logged).not.toContain(PASSWORD);
    },
  );
});
