/** The agent's process is killed while it is in every role of the control loop, each in a run of its own: every run ends once, as it would have. */
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { verifies } from '../verifies.ts';
import {
  agentContainer,
  HELD,
  heldObjects,
  heldRoles,
  heldTask,
  journalOf,
  killAgent,
  THINKING_ROLES,
  type JournalRecord,
} from './held.ts';
import { World, type ClusterObject } from './world.ts';

const world = new World();
const pod = `retainer-${HELD}-0`;
/** What a role is called in the record. */
const RECORDED = {
  perceiver: 'Perceiver',
  planner: 'Planner',
  executor: 'Executor',
  'agent-validator': 'AgentValidator',
  'meta-validator': 'MetaValidator',
} as const satisfies Readonly<Record<(typeof THINKING_ROLES)[number], string>>;
/** The steerer asks no model: its run is held between its last word and the delivery. */
const STEERED = 'steerer';
const UNDISTURBED = 'undisturbed';
/** From the creation of the Tasks until each is held in its role: seen after 4 s. Less than the hold, so that all are held at once. */
const HELD_MS = 45_000;
/** A kill, the hold once more, and the end: seen 20 s after the hold. */
const END_MS = 180_000;
/** One run before, the hold, and twice the longest wait for the end. */
const TEST_MS = 600_000;
let namespace = '';
let policy = '';

beforeAll(async () => {
  namespace = await world.namespace('roles');
  policy = `retainer-${namespace}`;
  await world.kubectl.apply(holdsDelivery(policy));
  await world.apply(namespace, heldObjects());
  await world.condition(namespace, ['agent', HELD], { type: 'Ready', status: 'True' });
});
afterAll(async () => {
  await letDeliver();
  await world.close();
});

/** An API server that takes no outcome of the Task {@link STEERED}. */
function holdsDelivery(name: string): readonly object[] {
  const kind = { apiGroups: ['retainer.dev'], apiVersions: ['*'], resources: ['tasks/status'] };
  const labels = { 'kubernetes.io/metadata.name': namespace };
  const apiVersion = 'admissionregistration.k8s.io/v1';
  return [
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name },
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: {
          namespaceSelector: { matchLabels: labels },
          resourceRules: [{ ...kind, operations: ['UPDATE'] }],
        },
        validations: [
          { expression: `object.metadata.name != '${STEERED}' || !has(object.status) || !has(object.status.outcome)` },
        ],
      },
    },
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name },
      spec: { policyName: name, validationActions: ['Deny'] },
    },
  ];
}

async function letDeliver(): Promise<void> {
  for (const kind of ['validatingadmissionpolicybinding', 'validatingadmissionpolicy'])
    await world.kubectl.run(['delete', kind, policy, '--ignore-not-found']);
}

const journal = () => journalOf(world, namespace, HELD);
const ofRun = (records: readonly JournalRecord[], runId: string) => records.filter((it) => it.runId === runId);
const count = (records: readonly JournalRecord[], kind: string) => records.filter((it) => it.kind === kind).length;

/** Of each Task. */
async function runIds(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const tasks = await world.kubectl.list<ClusterObject>('tasks', '-n', namespace);
  const byName = new Map(tasks.map(({ metadata, status }) => [metadata.name, String(status?.['runId'])]));
  return new Map(names.map((name) => [name, byName.get(name) ?? '']));
}

/** Where each run stands: the role whose model has not answered, or the delivery that nobody takes. */
function stateOfRuns(records: readonly JournalRecord[], runs: ReadonlyMap<string, string>): Record<string, unknown> {
  return Object.fromEntries(
    [...runs].map(([name, runId]) => {
      const own = ofRun(records, runId);
      const isSteered = count(own, 'RoundSteered') === 1 && count(own, 'DeliveryRequested') === 1;
      const isUndelivered = isSteered && count(own, 'Delivered') === 0;
      return [name, isUndelivered ? ['Steerer'] : heldRoles(records, runId)];
    }),
  );
}

/** What people get of a run, without what differs between any two: ids, moments, tokens. */
function told({ status }: ClusterObject): unknown {
  const { outcome, summary, directive, replans, criteria } = status ?? {};
  const verdicts = (criteria as readonly { readonly index: number; readonly verdict: string }[]).map(
    ({ index, verdict }) => ({ index, verdict }),
  );
  return { outcome, summary, directive, replans, verdicts };
}

/** What a run did: nothing of it twice. */
function deeds(records: readonly JournalRecord[]): Record<string, number> {
  const kinds = ['ToolFinished', 'VerdictsJudged', 'RoundSteered', 'RunConcluded', 'DeliveryRequested', 'Delivered'];
  return Object.fromEntries([...kinds, 'RunClosed'].map((kind) => [kind, count(records, kind)]));
}

describe('the pod of an agent is killed', () => {
  verifies(
    'e2e:killed-in-each-role',
    'in each role of the control loop: every run ends once, as it would have',
    async () => {
      await world.apply(namespace, [heldTask(UNDISTURBED, 'nobody')]);
      const undisturbed = await world.ended(namespace, UNDISTURBED);
      expect(undisturbed.status).toMatchObject({ outcome: 'Accepted' });

      await world.apply(namespace, [
        ...THINKING_ROLES.map((role) => heldTask(role, role)),
        heldTask(STEERED, 'nobody'),
      ]);
      const expected = {
        ...Object.fromEntries(THINKING_ROLES.map((it) => [it, [RECORDED[it]]])),
        [STEERED]: ['Steerer'],
      };
      const names = Object.keys(expected);
      const allHeld = async () => {
        const now = stateOfRuns(await journal(), await runIds(names));
        return JSON.stringify(now) === JSON.stringify(expected) ? true : undefined;
      };
      await world.until(`runs held in ${names.join(', ')}`, allHeld, HELD_MS, namespace);
      const runs = await runIds(names);

      const before = await journal();
      await killAgent(world, namespace, HELD);
      await letDeliver();
      const epoch = before.at(-1)?.epoch ?? 0;
      const ends = await Promise.all(names.map((name) => world.ended(namespace, name, END_MS)));

      expect(await agentContainer(world, namespace, HELD)).toMatchObject({
        restartCount: 1,
        lastState: { terminated: { exitCode: 137 } },
      });
      const isClosed = async () => {
        const records = await journal();
        return [...runs.values()].every((runId) => count(ofRun(records, runId), 'RunClosed') === 1)
          ? records
          : undefined;
      };
      const after = await world.until('the end of every run in the record', isClosed, END_MS, namespace);
      const killedAt = after.filter((it) => it.epoch <= epoch);
      expect(stateOfRuns(killedAt, runs), 'where the kill met the runs').toEqual(expected);

      const runId = (await runIds([UNDISTURBED])).get(UNDISTURBED) ?? '';
      for (const end of ends) {
        const { name } = end.metadata;
        expect(told(end), name).toEqual(told(undisturbed));
        const own = ofRun(after, runs.get(name) ?? '');
        expect(deeds(own), name).toEqual(deeds(ofRun(after, runId)));
        // The call of the model that the kill cut off, asked again; no other effect was under way.
        expect(count(own, 'EffectLost'), name).toBe(name === STEERED ? 0 : 1);
      }
      expect(await deliveries()).toEqual([runId, ...runs.values()].map((id) => `${id}-d1.json`).toSorted());
    },
    TEST_MS,
  );
});

/** Names of the files of the outbox: one for each delivery, whoever tried it how often. */
async function deliveries(): Promise<readonly string[]> {
  const text = await world.kubectl.run(['exec', pod, '-n', namespace, '-c', 'agent', '--', 'ls', '/data/outbox']);
  return text.trim().split(/\s+/).toSorted();
}
