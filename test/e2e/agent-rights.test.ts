/** What an agent may ask of the API server: asked from inside its own pod, with its own token. */
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { verifies } from '../verifies.ts';
import {
  allowedRequests,
  forbiddenRequests,
  requestProgram,
  type Answers,
  type ApiRequest,
  type RequestPlaces,
} from './flow-requests.ts';
import { code, PUPPET, puppetAgent, puppetObjects, puppetTask } from './puppet.ts';
import { World } from './world.ts';

const world = new World();
const OTHER = 'other';
const SECRET = 'not-mounted';
/** Below 45 the list would have lost something. */
const FORBIDDEN_MIN = 45;
const FORBIDDEN = 403;
let places: RequestPlaces;

beforeAll(async () => {
  const namespace = await world.namespace('k-rights');
  const elsewhere = await world.namespace('k-else');
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: SECRET }, stringData: { key: 'value' } };
  await world.apply(namespace, [secret, ...puppetObjects(), { ...puppetAgent(), metadata: { name: OTHER } }]);
  await world.apply(elsewhere, [secret]);
  await world.condition(namespace, ['agent', PUPPET], { type: 'PodReady', status: 'True' });
  const tasks = { own: 'own', other: 'others' };
  // Begun and not over, so that their status can still change.
  await world.apply(namespace, [
    puppetTask(tasks.own, code('bash', 'sleep 50')),
    puppetTask(tasks.other, code('bash', 'sleep 50'), OTHER),
  ]);
  await world.condition(namespace, ['task', tasks.own], { type: 'Running', status: 'True' });
  await world.condition(namespace, ['task', tasks.other], { type: 'Running', status: 'True' });
  const otherRun = await world.until(
    'a SandboxRun of the other agent',
    () => runOf(namespace, OTHER),
    60_000,
    namespace,
  );
  places = { namespace, elsewhere, own: PUPPET, other: OTHER, secret: SECRET, tasks, otherRun };
});

afterAll(() => world.close());

describe('an agent', () => {
  verifies(
    'e2e:agent-rights',
    'is refused everything that it does not need, by the API server itself',
    async () => {
      const requests = forbiddenRequests(places);
      expect(new Set(requests.map(({ id }) => id)).size).toBeGreaterThanOrEqual(FORBIDDEN_MIN);
      const answers = await ask(requests);
      expect(answers).toEqual(Object.fromEntries(requests.map(({ id }) => [id, FORBIDDEN])));
    },
    60_000,
  );

  verifies(
    'e2e:agent-rights',
    'may do what it needs',
    async () => {
      const requests = allowedRequests(places);
      const answers = await ask(requests);
      const refused = Object.entries(answers).filter(([, status]) => status < 200 || status >= 300);
      expect(refused).toEqual([]);
      expect(Object.keys(answers)).toHaveLength(requests.length);
    },
    60_000,
  );

  verifies(
    'e2e:agent-rights',
    'shares its pod with an auditor that has no token',
    async () => {
      const pod = ['-n', places.namespace, `retainer-${PUPPET}-0`];
      const read = ['node', '-e', 'require("fs").accessSync("/var/run/secrets/kubernetes.io/serviceaccount")'];
      await world.kubectl.run(['exec', ...pod, '-c', 'agent', '--', ...read]);
      await expect(world.kubectl.run(['exec', ...pod, '-c', 'auditor', '--', ...read])).rejects.toThrow('ENOENT');
    },
    30_000,
  );
});

async function ask(requests: readonly ApiRequest[]): Promise<Answers> {
  const pod = ['-n', places.namespace, `retainer-${PUPPET}-0`, '-c', 'agent'];
  const output = await world.kubectl.run(['exec', '-i', ...pod, '--', 'node', '-e', requestProgram], requests);
  return JSON.parse(output) as Answers;
}

async function runOf(namespace: string, agent: string): Promise<string | undefined> {
  const args = ['-n', namespace, '--field-selector', `spec.agentRef.name=${agent}`];
  const runs = await world.kubectl.list<{ readonly metadata: { readonly name: string } }>('sandboxruns', ...args);
  return runs[0]?.metadata.name;
}
