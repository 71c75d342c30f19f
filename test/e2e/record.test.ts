/**
 * The record of an agent on a cluster: whose it is, a pod that was forced away, and a record that somebody changed. What a person
 * then types is what docs/operations.md tells, with the rights that it lists.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { parseObjects, type RenderedObject } from '../../scripts/render-chart.ts';
import { repositoryRoot } from '../support/repository-files.ts';
import { verifies } from '../verifies.ts';
import { person } from './person.ts';
import { PUPPET, puppetAgent, puppetObjects, puppetTask } from './puppet.ts';
import { retainerOf } from './retainer-program.ts';
import { World, type ClusterObject } from './world.ts';

const world = new World();
const pod = `retainer-${PUPPET}-0`;
/** Of a Lease of 90 s. */
const TAKEN_OVER_MS = 15_000;
/** From a record that somebody changed to the condition and the Event that tell it: docs/auditor.md promises this. */
const ALARM_MS = 60_000;
/** What an agent finds itself. */
const TOLD_MS = 180_000;
/** An auditor that told something else as it started tells the next word five minutes later, after a round of 40 s and a restart. */
const CLOSED_MS = 420_000;
const withoutCode = { sandbox: { enabled: false } };
let namespace = '';
let directory = '';
/** Who has exactly the Role that docs/operations.md prints, "A damaged record"; and who has the ClusterRole that it names. */
let keeper = '';
let admin = '';

beforeAll(async () => {
  namespace = await world.namespace('record');
  directory = await mkdtemp(join(tmpdir(), 'retainer-record-'));
  await begun(namespace);
  keeper = await person(world, { namespace, name: 'keeper', directory });
  admin = await person(world, { namespace, name: 'admin', directory });
  await world.apply(namespace, [
    printedRole(),
    binding('keeper', { kind: 'Role', name: printedRole().metadata.name }),
    binding('admin', { kind: 'ClusterRole', name: 'admin' }),
  ]);
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
  await world.close();
});

/** As somebody copies it from docs/operations.md. */
function printedRole(): RenderedObject {
  const page = readFileSync(join(repositoryRoot, 'docs/operations.md'), 'utf8');
  const [, text = ''] = /\n## A damaged record\n(?:(?!\n## )[^])*?\n```yaml\n([^]*?)```/.exec(page) ?? [];
  const [role, ...others] = parseObjects(text);
  if (role?.kind !== 'Role' || others.length > 0)
    throw new Error('docs/operations.md prints no Role for a damaged record');
  return role;
}

function binding(name: string, role: { readonly kind: string; readonly name: string }): RenderedObject {
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', ...role };
  const subjects = [{ kind: 'ServiceAccount', name, namespace }];
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: `record-${name}` },
    roleRef,
    subjects,
  };
}

/** An agent with a record. */
async function begun(where: string): Promise<void> {
  await world.apply(where, puppetObjects(withoutCode));
  await world.condition(where, ['agent', PUPPET], { type: 'Ready', status: 'True' });
  await world.apply(where, [puppetTask('remember', 'REMEMBER garden/color = turquoise')]);
  expect(await world.ended(where, 'remember')).toMatchObject({ status: { outcome: 'Accepted' } });
}

const inAgent = (where: string, ...command: readonly string[]) =>
  world.kubectl.run(['exec', pod, '-c', 'agent', '-n', where, '--', ...command]);

/** @returns what the condition says, once an Event says it, too; and how long after the change began both were there */
async function alarmAfter(
  where: string,
  change: () => Promise<unknown>,
): Promise<{ message: string; afterMs: number }> {
  const beganMs = performance.now();
  await change();
  const wanted = { type: 'RecordIntact', status: 'False', reason: 'RecordChanged' };
  const told = await world.condition(where, ['agent', PUPPET], wanted, TOLD_MS);
  const message = messageOf(told, 'RecordIntact');
  await heard(where, { type: 'Warning', reason: 'RecordChanged', message });
  return { message, afterMs: performance.now() - beganMs };
}

interface Positions {
  readonly stores: readonly { readonly store: string; readonly settled: { readonly endBytes: number } }[];
}

/** Of bytes that it has not read, the auditor tells that their chain is broken, not that they have changed. */
async function hasRead(where: string): Promise<true | undefined> {
  const read = ['exec', pod, '-c', 'auditor', '-n', where, '--', 'cat', '/audit/positions.json'];
  const { stores } = JSON.parse(await world.kubectl.run(read)) as Positions;
  return stores.some(({ store, settled }) => store === 'cycle' && settled.endBytes > 0) ? true : undefined;
}

interface Told {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

async function heard(where: string, { type, reason, message }: Told): Promise<void> {
  const isIt = (event: Told) => event.type === type && event.reason === reason && event.message === message;
  const look = async () => ((await world.kubectl.list<Told>('events', '-n', where)).some(isIt) ? true : undefined);
  await world.until(`an Event ${reason}`, look, TOLD_MS, where);
}

interface Verified {
  readonly gaps: readonly { readonly seq: number }[];
}

const recordOf = (kubeconfig: string, ...args: readonly string[]) =>
  retainerOf(kubeconfig, 'journal', ...args, '-n', namespace, '--agent', PUPPET);
const record = (...args: readonly string[]) => recordOf(keeper, ...args);

const agentCondition = (type: string, status: string, reason: string) =>
  world.condition(namespace, ['agent', PUPPET], { type, status, reason }, TOLD_MS);

function messageOf(object: ClusterObject, type: string): string {
  return object.status?.conditions?.find((condition) => condition.type === type)?.message ?? '';
}

async function suspend(isSuspended: boolean): Promise<void> {
  await world.apply(namespace, [puppetAgent({ ...withoutCode, suspend: isSuspended })]);
  if (!isSuspended) return;
  const gone = async () => ((await world.kubectl.get('pod', pod, namespace)) === undefined ? true : undefined);
  await world.until('the end of its pod', gone, 90_000, namespace);
}

describe('the record of an agent', () => {
  verifies(
    'e2e:lost-pod',
    'is written by the next pod at once after a forced deletion, as the same individual',
    async () => {
      const before = await agentCondition('RecordIntact', 'True', 'RecordIntact');
      const { individual } = before.status ?? {};
      expect(individual).toMatch(/^[0-9a-f]{8}-/);
      const old = await world.get('pod', pod, namespace);
      await world.kubectl.run(['delete', 'pod', pod, '-n', namespace, '--force', '--grace-period=0']);
      const taken = async () => {
        const { holderIdentity } = (await world.get('lease', `retainer-${PUPPET}`, namespace)).spec ?? {};
        return typeof holderIdentity === 'string' && holderIdentity !== '' && !holderIdentity.endsWith(old.metadata.uid)
          ? true
          : undefined;
      };
      await world.until('the next writer', taken, TAKEN_OVER_MS, namespace);
      await world.condition(namespace, ['agent', PUPPET], { type: 'Ready', status: 'True' });
      await world.apply(namespace, [puppetTask('recalls', 'RECALL garden/color')]);
      expect((await world.ended(namespace, 'recalls')).status?.['summary']).toContain('turquoise');
      expect((await world.get('agent', PUPPET, namespace)).status?.['individual']).toBe(individual);
    },
  );

  verifies('e2e:second-copy', 'is copied in its pod soon after a run, where the programs of a push are', async () => {
    const copied = async () => {
      const log = await inAgent(namespace, 'git', '--git-dir=/data/git', 'log', '--format=%B');
      return /^Run: remember/m.test(log) ? log : undefined;
    };
    expect(await world.until('a commit that names the run', copied, 60_000, namespace)).toMatch(/^Head: cycle \d+ /m);
    await inAgent(namespace, 'ssh', '-V');
  });

  verifies(
    'e2e:tampered-record',
    'raises an alarm when somebody changes it, stops the agent, and says where',
    async () => {
      const tamper = 'cd /data/journal/cycle && sed -i "3s/\\"principal\\"/\\"principaL\\"/" "$(ls | tail -n 1)"';
      const { message, afterMs } = await alarmAfter(namespace, () => inAgent(namespace, 'sh', '-c', tamper));
      process.stdout.write(`a replaced file of the record: condition and Event after ${Math.round(afterMs)} ms\n`);
      expect(message).toMatch(/in store cycle, sequence \d+ \(cycle\/[^)]+\)|in store cycle \(cycle\//);
      expect(afterMs).toBeLessThan(ALARM_MS);
      await world.apply(namespace, [puppetTask('after-tampering', 'REMEMBER garden/tree = ash')]);
      const stopped = await agentCondition('Ready', 'False', 'JournalCorrupt');
      expect(messageOf(stopped, 'Ready')).toMatch(/\.jsonl, line 3[:,].* sequence \d+: /);
    },
  );

  verifies(
    'e2e:tampered-record',
    'raises the same alarm when its file stays and one byte in it changes, while the agent writes on',
    async () => {
      const where = await world.namespace('record-in-place');
      await begun(where);
      await world.until('the auditor to have read the record', () => hasRead(where), 60_000, where);
      const tamper = [
        'cd /data/journal/cycle',
        'file=$(ls | tail -n 1)',
        'node=$(stat -c %i "$file")',
        'at=$(grep -b -o -m 1 \'"principal"\' "$file" | head -n 1 | cut -d: -f1)',
        'printf P | dd of="$file" bs=1 seek=$((at + 1)) conv=notrunc status=none',
        'test "$(stat -c %i "$file")" = "$node"',
      ].join(' && ');
      const [{ message, afterMs }] = await Promise.all([
        alarmAfter(where, () => inAgent(where, 'sh', '-c', tamper)),
        world.apply(where, [puppetTask('meanwhile', 'REMEMBER garden/tree = ash')]),
      ]);
      process.stdout.write(
        `a byte changed in place: condition and Event after ${Math.round(afterMs)} ms; ${message}\n`,
      );
      expect(message).toContain('BytesChanged in store cycle');
      expect(afterMs).toBeLessThan(ALARM_MS);
      expect((await world.ended(where, 'meanwhile')).status).toMatchObject({ outcome: 'Accepted' });
    },
    2 * TOLD_MS,
  );

  verifies(
    'e2e:record-repaired',
    'is verified and repaired by the command line, and the agent works again',
    async () => {
      const verified = await record('verify', '-o', 'json');
      expect(verified, verified.stderr).toMatchObject({ code: 5 });
      expect(JSON.parse(verified.stdout)).toMatchObject({
        faults: expect.arrayContaining([expect.objectContaining({ store: 'cycle', line: 3 })]),
      });
      const before = await record('show', '--store', 'cycle');
      expect(before).toMatchObject({ code: 5, stderr: expect.stringContaining('line 3') });
      expect(before.stdout).toContain('StoreOpened');
      const refused = await record('repair', '--yes', '--reason', 'tampered in a test');
      expect(refused, refused.stderr).toMatchObject({ code: 1, stderr: expect.stringContaining('"suspend":true') });

      await suspend(true);
      const repaired = await record('repair', '--yes', '--reason', 'tampered in a test', '-o', 'json');
      expect(repaired, repaired.stderr).toMatchObject({ code: 0 });
      const after = await recordOf(admin, 'show', '--store', 'cycle', '-o', 'json');
      expect(after, after.stderr).toMatchObject({ code: 0 });
      expect(after.stdout).toContain(`system:serviceaccount:${namespace}:keeper`);
      const whole = JSON.parse((await recordOf(admin, 'verify', '-o', 'json')).stdout) as Verified;
      expect(whole).toMatchObject({ faults: [], gaps: [{ store: 'cycle' }] });
      const place = `cycle/${whole.gaps[0]?.seq}`;
      const gap = await record('acknowledge', place, '--reason', 'tampered in a test');
      expect(gap, gap.stderr).toMatchObject({ code: 0 });
      const heads = await record('acknowledge', 'cycle', '--reason', 'tampered in a test');
      expect(heads, heads.stderr).toMatchObject({ code: 0 });
      const left = await world.kubectl.run([
        'get',
        'pods,networkpolicies',
        '-n',
        namespace,
        '-l',
        'app.kubernetes.io/name=record',
        '-o',
        'name',
      ]);
      expect(left.trim()).toBe('');

      await suspend(false);
      await world.condition(namespace, ['agent', PUPPET], { type: 'Ready', status: 'True' });
      const intact = { type: 'RecordIntact', status: 'True', reason: 'RecordIntact' };
      const again = await world.condition(namespace, ['agent', PUPPET], intact, CLOSED_MS);
      await heard(namespace, { type: 'Normal', reason: 'RecordIntact', message: messageOf(again, 'RecordIntact') });
      await world.apply(namespace, [puppetTask('recalls-again', 'RECALL garden/color')]);
      expect((await world.ended(namespace, 'recalls-again')).status?.['summary']).toContain('turquoise');
    },
    2 * CLOSED_MS,
  );
});
