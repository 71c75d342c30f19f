/** The second copy of an agent at a remote over HTTPS within the cluster, with an authority of its own. */
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { verifies } from '../verifies.ts';
import { ACCESS, AUTHORITY_KEY, copiedTo, startGitRemote, type GitRemote } from './git-remote.ts';
import { PUPPET, puppetObjects, puppetTask } from './puppet.ts';
import { retainer } from './retainer-program.ts';
import { World, type ClusterObject } from './world.ts';

const world = new World();
/** The operator looks once a minute, and the kubelet mounts a new ConfigMap within two. */
const TOLD_MS = 240_000;
const PUSHED_MS = 60_000;
let namespace = '';
let remote: GitRemote;

beforeAll(async () => {
  namespace = await world.namespace('backup');
  remote = await startGitRemote(world, namespace);
});
afterAll(() => world.close());

const backup = (status: string, reason: string): Promise<ClusterObject> =>
  world.condition(namespace, ['agent', PUPPET], { type: 'BackupCurrent', status, reason }, TOLD_MS);

async function remember(name: string, what: string): Promise<void> {
  await world.apply(namespace, [puppetTask(name, `REMEMBER ${what}`)]);
  expect(await world.ended(namespace, name)).toMatchObject({ status: { outcome: 'Accepted' } });
}

async function podUid(): Promise<string> {
  return (await world.get('pod', `retainer-${PUPPET}-0`, namespace)).metadata.uid;
}

/** A commit of this branch at the remote that names the run. */
function pushed(branch: string, run: string): Promise<string> {
  const look = async () => {
    const log = await remote.git('log', '--format=%B', branch);
    return new RegExp(`\\b${run}\\b`).test(log) ? log : undefined;
  };
  return world.until(`the run ${run} at branch ${branch}`, look, PUSHED_MS, namespace);
}

interface Told {
  readonly type: string;
  readonly reason: string;
}

async function events(): Promise<readonly string[]> {
  const all = await world.kubectl.list<Told>('events', '-n', namespace);
  return all.map(({ type, reason }) => `${type} ${reason}`);
}

describe('the second copy at a remote', () => {
  verifies(
    'e2e:remote-copy',
    'waits for the authority that the Agent names, and says which ConfigMap is missing, while the agent works',
    async () => {
      await world.apply(namespace, [remote.secret, ...puppetObjects(copiedTo(remote))]);
      await world.condition(namespace, ['agent', PUPPET], { type: 'Ready', status: 'True' });
      await remember('remember', 'garden/color = turquoise');
      const told = await backup('False', 'ConfigMapNotFound');
      const { message } = told.status?.conditions?.find(({ type }) => type === 'BackupCurrent') ?? {};
      expect(message).toContain(`create configmap ${ACCESS} --from-file=${AUTHORITY_KEY}=FILE`);
      expect((await remote.git('for-each-ref')).trim()).toBe('');
    },
    2 * TOLD_MS,
  );

  verifies(
    'e2e:remote-copy',
    'is pushed once the authority is there, without a restart, and stands in the status',
    async () => {
      const uid = await podUid();
      await world.apply(namespace, [remote.authority]);
      const { status } = await backup('True', 'BackupCurrent');
      await pushed('main', 'remember');
      expect(status?.['backup']).toMatchObject({ lastAt: expect.any(String), pushedAt: expect.any(String) });
      expect(await podUid()).toBe(uid);
      await remote.git('fsck', '--strict');
    },
    2 * TOLD_MS,
  );

  verifies(
    'e2e:remote-copy',
    'is told to have diverged where the remote has another history, which stays, and goes on at a new branch',
    async () => {
      const foreign = await remote.replaceHistory('main');
      await remember('remember-more', 'garden/tree = ash');
      await backup('False', 'RemoteDiverged');
      expect((await remote.git('rev-parse', 'main')).trim()).toBe(foreign);
      expect(await events()).toContain('Warning RemoteDiverged');
      const elsewhere = '{"spec":{"memory":{"gitRemote":{"branch":"second"}}}}';
      await world.kubectl.run(['patch', 'agent', PUPPET, '-n', namespace, '--type=merge', '-p', elsewhere]);
      await pushed('second', 'remember-more');
      await backup('True', 'BackupCurrent');
      expect((await remote.git('rev-parse', 'main')).trim()).toBe(foreign);
    },
    3 * TOLD_MS,
  );
});

async function suspend(isSuspended: boolean): Promise<void> {
  const patch = JSON.stringify({ spec: { suspend: isSuspended } });
  await world.kubectl.run(['patch', 'agent', PUPPET, '-n', namespace, '--type=merge', '-p', patch]);
  if (!isSuspended) return;
  const gone = async () =>
    (await world.kubectl.get('pod', `retainer-${PUPPET}-0`, namespace)) === undefined ? true : undefined;
  await world.until('the end of its pod', gone, 90_000, namespace);
}

describe('a restoring in place', () => {
  verifies(
    'e2e:restored-in-place',
    'gives a suspended agent back what its copy has, on its own volume, as the same individual',
    async () => {
      const place = ['-n', namespace, '--agent', PUPPET];
      const { individual } = (await world.get('agent', PUPPET, namespace)).status ?? {};
      const log = await retainer('backup', 'log', ...place);
      expect(log, log.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('run remember-more') });
      const verified = await retainer('backup', 'verify', ...place);
      expect(verified, verified.stderr).toMatchObject({ code: 0 });
      const running = await retainer('restore', ...place, '--to-volume');
      expect(running).toMatchObject({ code: 1, stderr: expect.stringContaining('"suspend":true') });

      await suspend(true);
      const restored = await retainer('restore', ...place, '--to-volume');
      expect(restored, restored.stderr).toMatchObject({ code: 0 });
      expect(restored.stdout).toContain(`individual ${String(individual)}`);
      expect(restored.stdout).toMatch(/what was there before is in .*before-restore-/);
      await suspend(false);
      await world.condition(namespace, ['agent', PUPPET], { type: 'Ready', status: 'True' });
      await world.apply(namespace, [puppetTask('recall', 'RECALL garden/color')]);
      expect((await world.ended(namespace, 'recall')).status?.['summary']).toContain('turquoise');
      expect((await world.get('agent', PUPPET, namespace)).status?.['individual']).toBe(individual);
    },
    3 * TOLD_MS,
  );
});
