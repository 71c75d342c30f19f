/** `retainer restore --to-volume`: the real program against an API server, with a real directory as the volume. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest';
import { resources } from '@retainer/kube/resources';
import { gitSays, nameIndividual, openDataDirectory, recordBytes } from '../support/backups.ts';
import { serveExec } from '../support/exec-endpoint.ts';
import { FakeApiServer } from '../support/fake-api-server/fake-api-server.ts';
import { manualClock } from '../support/manual-clock.ts';
import { endAll, programPath, retainer, startRetainer, type Ended } from '../support/retainer-command.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const NAMESPACE = 'weather';
const USER = 'ada@example.com';
const AGENT = `${NAMESPACE}/ada`;
const ADA = '11111111-1111-4111-8111-111111111111';
const OTHER = '22222222-2222-4222-8222-222222222222';
const POD = { namespace: NAMESPACE, name: 'retainer-ada-0' };

const root = temporaryDirectory();
const data = join(root.path, 'data');
const clone = join(root.path, 'clone.git');
const volume = join(root.path, 'volume');
let first = '';
let bytesOfFirst: ReadonlyMap<string, string>;
let server: FakeApiServer;
let kubelet: NodeJS.Timeout;

beforeAll(async () => {
  mkdirSync(join(data, 'journal'), { recursive: true });
  await nameIndividual(data, AGENT, ADA);
  const written = await openDataDirectory(data, { agent: AGENT });
  await written.append(10);
  written.writeFile('a.txt', 'a');
  bytesOfFirst = recordBytes(data);
  first = (await written.backup.commit()).commit;
  await written.append(8);
  written.writeFile('b.txt', 'b');
  await written.backup.commit();
  await written.journal.close();
  gitSays(data, 'clone', '--quiet', '--bare', join(data, 'git'), clone);
  writeFileSync(join(data, 'git.known-hosts'), 'a key\n');
  server = new FakeApiServer({ clock: manualClock() });
  await server.start();
  server.onUpgrade((message, socket) =>
    serveExec(message, socket, { refusal: () => undefined, program: (command) => inVolume(command) }),
  );
  writeFileSync(join(root.path, 'kubeconfig'), kubeconfig(server.url));
  const container = { name: 'agent', image: 'agent:1', securityContext: {} };
  const template = { spec: { securityContext: {}, containers: [container] } };
  server.put(resources.statefulSets, {
    ...{ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'retainer-ada', namespace: NAMESPACE } },
    spec: { template },
  });
  // Starts the pods of commands.
  kubelet = setInterval(() => {
    for (const pod of server.list(resources.pods))
      if (pod.metadata.name.includes('-record-') && pod['status'] === undefined)
        server.putStatus(resources.pods, { ...pod, status: { phase: 'Running' } });
  }, 20);
});
afterAll(async () => {
  clearInterval(kubelet);
  endAll();
  await server.stop();
  await root.remove();
});
beforeEach(() => {
  rmSync(volume, { recursive: true, force: true });
  cpSync(data, volume, { recursive: true });
});

/** The program in the pod, with `volume` for `/data`. */
function inVolume(command: readonly string[]): readonly string[] {
  const at = command.indexOf('retainer');
  const args = command.slice(at + 1).map((word) => (word === '/data' ? volume : word));
  return [...command.slice(0, at), process.execPath, programPath, ...args];
}

function kubeconfig(address: string): string {
  const named = (kind: string, value: object) => [{ name: 'prod', [kind]: value }];
  return JSON.stringify({
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'prod' },
    clusters: named('cluster', { server: address, 'insecure-skip-tls-verify': true }),
    users: named('user', { token: USER }),
    contexts: named('context', { cluster: 'prod', user: 'prod', namespace: NAMESPACE }),
  });
}

function restore(...args: readonly string[]): Promise<Ended> {
  const variables = { KUBECONFIG: join(root.path, 'kubeconfig') };
  return startRetainer(['restore', ...args], { variables }).ended;
}

const IN_PLACE = ['-n', NAMESPACE, '--agent', 'ada', '--to-volume'] as const;

/** The volume is as of the first commit, and what was there before stands beside it. */
async function expectInPlace(): Promise<void> {
  const restored = recordBytes(volume);
  for (const [path, was] of bytesOfFirst)
    if (!path.startsWith('checkpoints/')) expect(restored.get(path)?.startsWith(was), path).toBe(true);
  expect(readdirSync(join(volume, 'workspace'))).toEqual(['a.txt']);
  const [aside = '', ...others] = readdirSync(volume).filter((name) => name.startsWith('before-restore-'));
  expect(others).toEqual([]);
  expect(recordBytes(join(volume, aside))).toEqual(recordBytes(data));
  expect(readdirSync(join(volume, aside, 'workspace'))).toEqual(['a.txt', 'b.txt']);
  expect(readdirSync(volume).filter((name) => name.startsWith('restore'))).toEqual([]);
  expect(readFileSync(join(volume, 'git.known-hosts'), 'utf8')).toBe('a key\n');
  expect((await retainer('journal', 'verify', volume)).code).toBe(0);
}

/** Each object becomes a file of its own. */
function unpack(repository: string): void {
  const packs = join(repository, 'objects/pack');
  for (const name of readdirSync(packs).filter((file) => file.endsWith('.pack'))) {
    const bytes = readFileSync(join(packs, name));
    for (const file of readdirSync(packs).filter((each) => each.startsWith(name.replace('.pack', ''))))
      rmSync(join(packs, file));
    execFileSync('git', ['-C', repository, 'unpack-objects', '-q'], { input: bytes });
  }
}

describe('retainer restore --to-volume', () => {
  verifies('backup:in-place', 'takes the volume back to a commit of its own repository', async () => {
    const ended = await restore('--at', first, ...IN_PLACE);
    expect(ended, ended.stderr).toMatchObject({ code: 0 });
    expect(ended.stdout).toContain(`it is agent ${AGENT}, individual ${ADA}\n`);
    expect(ended.stdout).toMatch(/^what was there before is in .*before-restore-\d{8}T\d{6}Z$/m);
    await expectInPlace();
    const { stdout } = await retainer('journal', 'show', volume, '--kind', 'Restored', '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject({ principal: `human:${USER}`, payload: { from: first, by: USER } });
    expect(server.list(resources.pods)).toEqual([]);
  });

  verifies('backup:in-place', 'brings a commit from elsewhere to a volume that lost its own', async () => {
    rmSync(join(volume, 'git'), { recursive: true });
    const ended = await restore('--from', clone, '--at', first, ...IN_PLACE, '-o', 'json');
    expect(ended, ended.stderr).toMatchObject({ code: 0 });
    expect(JSON.parse(ended.stdout)).toMatchObject({ commit: first, agent: AGENT, individual: ADA, heldBack: [] });
    await expectInPlace();
  });

  verifies('backup:in-place', 'says why no whole commit comes from a clone that lacks an object', async () => {
    const lacking = join(root.path, 'lacking.git');
    cpSync(clone, lacking, { recursive: true });
    unpack(lacking);
    const blobId = gitSays(data, 'rev-parse', `${first}:workspace/a.txt`).trim();
    rmSync(join(lacking, 'objects', blobId.slice(0, 2), blobId.slice(2)));
    const ended = await restore('--from', lacking, ...IN_PLACE);
    expect(ended.code, ended.stderr).toBe(4);
    expect(ended.stderr).toMatch(new RegExp(`^git pack-objects failed: .*${blobId}`, 'm'));
    expect(recordBytes(volume)).toEqual(recordBytes(data));
    expect(readdirSync(volume).toSorted()).toEqual(readdirSync(data).toSorted());
  });

  verifies('backup:in-place', 'brings a commit to an empty volume', async () => {
    rmSync(volume, { recursive: true });
    mkdirSync(volume);
    const ended = await restore('--from', clone, '--at', first, ...IN_PLACE);
    expect(ended, ended.stderr).toMatchObject({ code: 0 });
    const restored = recordBytes(volume);
    for (const [path, was] of bytesOfFirst)
      if (!path.startsWith('checkpoints/')) expect(restored.get(path)?.startsWith(was), path).toBe(true);
  });

  verifies(
    'backup:in-place',
    'refuses while the agent runs, without an agent, and what it cannot compare',
    async () => {
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata: POD, spec: {} };
      server.put(resources.pods, pod);
      const running = await restore('--at', first, ...IN_PLACE);
      server.remove(resources.pods, POD);
      expect(running).toMatchObject({ code: 1, stderr: expect.stringMatching(/Suspend the agent, and wait/) });
      const rows = [
        [['--to-volume'], /takes an agent on a cluster: -n NAMESPACE --agent NAME/],
        [['--data', data, '--to-volume'], /takes an agent on a cluster/],
        [['--from', clone], /name where to: --to NEWDIR here, or --to-volume/],
        [[...IN_PLACE, '--to', join(root.path, 'both')], /name where to/],
        [['--individual', ADA, '--to', join(root.path, 'one')], /give --to-volume, too/],
        [[...IN_PLACE, '--heads', data], /compare them first, with retainer backup verify/],
        [[...IN_PLACE, '--at', 'abcdef12'], /no commit is "abcdef12"/],
      ] as const;
      for (const [args, says] of rows)
        expect(await restore(...args)).toMatchObject({ code: 1, stderr: expect.stringMatching(says) });
      expect(recordBytes(volume)).toEqual(recordBytes(data));
      expect(readdirSync(volume).toSorted()).toEqual(readdirSync(data).toSorted());
    },
  );
});

/** A repository of a record with one commit. */
async function repositoryOf(name: string, agent: string, individual: string): Promise<string> {
  const path = join(root.path, name);
  mkdirSync(join(path, 'journal'), { recursive: true });
  await nameIndividual(path, agent, individual);
  const written = await openDataDirectory(path, { agent });
  await written.append(4);
  await written.backup.commit();
  await written.journal.close();
  return path;
}

describe('retainer restore --to-volume of somebody else', () => {
  const files = (): readonly string[] => readdirSync(volume).filter((name) => name !== 'git.lock');

  verifies('backup:in-place-whose', 'refuses a commit of another agent, by both names', async () => {
    const bob = await repositoryOf('bob', `${NAMESPACE}/bob`, OTHER);
    const before = files();
    const ended = await restore('--from', bob, ...IN_PLACE);
    expect(ended).toMatchObject({ code: 1 });
    expect(ended.stderr).toMatch(/is of agent weather\/bob, individual 2222\S+, and the volume of agent weather\/ada/);
    expect(recordBytes(volume)).toEqual(recordBytes(data));
    expect(files()).toEqual(before);
  });

  verifies('backup:in-place-whose', 'refuses another individual of the same name, until you name it', async () => {
    const reborn = await repositoryOf('reborn', AGENT, OTHER);
    const before = files();
    for (const more of [[], ['--individual', ADA]]) {
      const ended = await restore('--from', reborn, ...IN_PLACE, ...more);
      expect(ended, ended.stderr).toMatchObject({ code: 1 });
      expect(ended.stderr).toContain(`is of agent ${AGENT}, individual ${OTHER}`);
      expect(ended.stderr).toContain(ADA);
      expect(recordBytes(volume)).toEqual(recordBytes(data));
      expect(files()).toEqual(before);
    }
    const meant = await restore('--from', reborn, ...IN_PLACE, '--individual', OTHER);
    expect(meant, meant.stderr).toMatchObject({ code: 0 });
    expect(meant.stdout).toContain(`it is agent ${AGENT}, individual ${OTHER}\n`);
  });
});
