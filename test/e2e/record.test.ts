/**
 * The record of an agent on a cluster: whose it is, a pod that was forced away, and a record that somebody changed. What a person
 * then types is what docs/operations.md tells.
 */
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { verifies } from '../verifies.ts';
import { PUPPET, puppetAgent, puppetObjects, puppetTask } from './puppet.ts';
import { retainer } from './retainer-program.ts';
import { World, type ClusterObject } from './world.ts';

const world = new World();
const pod = `retainer-${PUPPET}-0`;
/** Of a Lease of 90 s. */
const TAKEN_OVER_MS = 15_000;
/** The auditor looks every 2 s; it ends and is started again, and the operator writes a status with its next change. */
const TOLD_MS = 180_000;
/** An auditor that told something else as it started tells the next word five minutes later. */
const CLOSED_MS = 330_000;
const withoutCode = { sandbox: { enabled: false } };
let namespace = '';

beforeAll(async () => {
  namespace = await world.namespace('record');
  await world.apply(namespace, puppetObjects(withoutCode));
  await world.condition(namespace, ['agent', PUPPET], { type: 'Ready', status: 'True' });
  await world.apply(namespace, [puppetTask('remember', 'REMEMBER garden/color = turquoise')]);
  expect(await world.ended(namespace, 'remember')).toMatchObject({ status: { outcome: 'Accepted' } });
});
afterAll(() => world.close());

interface Verified {
  readonly gaps: readonly { readonly seq: number }[];
}

const record = (...args: readonly string[]) => retainer('journal', ...args, '-n', namespace, '--agent', PUPPET);

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
    const inPod = (...command: readonly string[]) =>
      world.kubectl.run(['exec', pod, '-c', 'agent', '-n', namespace, '--', ...command]);
    const copied = async () => {
      const log = await inPod('git', '--git-dir=/data/git', 'log', '--format=%B');
      return /^Run: remember/m.test(log) ? log : undefined;
    };
    expect(await world.until('a commit that names the run', copied, 60_000, namespace)).toMatch(/^Head: cycle \d+ /m);
    await inPod('ssh', '-V');
  });

  verifies(
    'e2e:tampered-record',
    'raises an alarm when somebody changes it, stops the agent, and says where',
    async () => {
      const tamper = 'cd /data/journal/cycle && sed -i "3s/\\"principal\\"/\\"principaL\\"/" "$(ls | tail -n 1)"';
      await world.kubectl.run(['exec', pod, '-c', 'agent', '-n', namespace, '--', 'sh', '-c', tamper]);
      const alarmed = await agentCondition('RecordIntact', 'False', 'RecordChanged');
      expect(messageOf(alarmed, 'RecordIntact')).toMatch(
        /in store cycle, sequence \d+ \(cycle\/[^)]+\)|in store cycle \(cycle\//,
      );
      await world.apply(namespace, [puppetTask('after-tampering', 'REMEMBER garden/tree = ash')]);
      const stopped = await agentCondition('Ready', 'False', 'JournalCorrupt');
      expect(messageOf(stopped, 'Ready')).toMatch(/\.jsonl, line 3[:,].* sequence \d+: /);
    },
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
      const refused = await record('repair', '--yes', '--reason', 'tampered in a test');
      expect(refused, refused.stderr).toMatchObject({ code: 1, stderr: expect.stringContaining('"suspend":true') });

      await suspend(true);
      const repaired = await record('repair', '--yes', '--reason', 'tampered in a test', '-o', 'json');
      expect(repaired, repaired.stderr).toMatchObject({ code: 0 });
      const whole = JSON.parse((await record('verify', '-o', 'json')).stdout) as Verified;
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
      await world.condition(namespace, ['agent', PUPPET], intact, CLOSED_MS);
      await world.apply(namespace, [puppetTask('recalls-again', 'RECALL garden/color')]);
      expect((await world.ended(namespace, 'recalls-again')).status?.['summary']).toContain('turquoise');
    },
    2 * CLOSED_MS,
  );
});
