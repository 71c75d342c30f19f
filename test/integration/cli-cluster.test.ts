/** The real program against an API server: what doctor and install print, and how they end. helm is a script that says what it was told. */
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROLLOUT_CONFIG_MAP, ROLLOUT_ENTRIES, type RolloutState } from '@retainer/contract/wire/rollout';
import { resources } from '@retainer/kube/resources';
import { installedCluster, rolloutDone, type InstalledCluster } from '../support/installed-cluster.ts';
import { manualClock } from '../support/manual-clock.ts';
import { endAll, startRetainer, type Ended } from '../support/retainer-command.ts';
import { verifies } from '../verifies.ts';

let directory = '';
let cluster: InstalledCluster;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'retainer-cluster-'));
  cluster = await installedCluster(manualClock());
  await writeFile(join(directory, 'kubeconfig'), kubeconfig(cluster.server.url));
  await mkdir(join(directory, 'bin'));
  await writeFile(join(directory, 'bin/helm'), HELM);
  await chmod(join(directory, 'bin/helm'), 0o755);
});
afterEach(async () => {
  await cluster.server.stop();
  await rm(directory, { recursive: true });
});
afterAll(endAll);

const HELM = `#!/bin/sh
if [ "$1" = version ]; then echo v3.17.0; exit 0; fi
echo "helm $*"
echo 'helm warns' >&2
case "$*" in *broken*) exit 1;; esac
`;

function kubeconfig(server: string): string {
  const named = (kind: string, value: object) => [{ name: 'prod', [kind]: value }];
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: named('cluster', { server, 'insecure-skip-tls-verify': true }),
    users: named('user', { token: 'engineer' }),
    contexts: named('context', { cluster: 'prod', user: 'prod' }),
    'current-context': 'prod',
  });
}

function run(...args: readonly string[]): Promise<Ended> {
  const variables = { KUBECONFIG: join(directory, 'kubeconfig'), PATH: join(directory, 'bin') };
  return startRetainer(args, { variables }).ended;
}

const scaleToZero = (): void =>
  cluster.change('Deployment', 'retainer-operator', (one) => ({ ...one, status: { readyReplicas: 0 } }));

describe('retainer doctor', () => {
  verifies('cli-cluster:doctor-well', 'ends with 0 and the sum', async () => {
    const { code, stdout, stderr } = await run('doctor');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('healthy: 28 checks passed');
  });

  verifies('cli-cluster:doctor-says-what-to-do', 'ends with 4, and tells programs as well', async () => {
    scaleToZero();
    const { code, stdout } = await run('doctor', '--context', 'prod', '-o', 'json');
    expect(code).toBe(4);
    const told = JSON.parse(stdout) as { readonly findings: readonly { readonly check: string }[] };
    expect(told).toMatchObject({ status: 'fail', counts: { ok: 26, fail: 1 } });
    expect(told.findings.find(({ check }) => check === 'operator')).toMatchObject({
      status: 'fail',
      seen: '0 of 2 pods of retainer-operator are Ready',
      fix: [expect.stringMatching(/^kubectl --context prod -n retainer-system describe/), expect.any(String)],
    });
  });

  it('is turned away without a kubeconfig', async () => {
    const { code, stderr } = await run('doctor', '--kubeconfig', join(directory, 'none'));
    expect(code).toBe(1);
    expect(stderr).toContain('none cannot be used: ENOENT');
  });
});

describe('retainer rollout', () => {
  const rolloutIs = (state: RolloutState): void =>
    cluster.change('ConfigMap', ROLLOUT_CONFIG_MAP, (one) => ({
      ...one,
      data: { [ROLLOUT_ENTRIES.state]: JSON.stringify(state) },
    }));
  const halted: RolloutState = {
    ...rolloutDone,
    phase: 'Halted',
    wave: 1,
    agents: 3,
    ready: 0,
    halted: {
      agent: 'weather/meteorologist',
      reason: 'ImagePullFailed',
      message: 'no such image',
      returnsTo: 'agent:1',
    },
  };

  verifies('cli-cluster:rollout', 'tells where a release stands, and exits with 4 where it is halted', async () => {
    expect(await run('rollout', 'status')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^done: /) as string,
    });
    rolloutIs(halted);
    const { code, stdout } = await run('rollout', 'status');
    expect(code).toBe(4);
    expect(stdout).toMatch(
      /^halted: Agent weather\/meteorologist did not .*\n {2}ImagePullFailed: no such image\n {2}it returns to agent:1\n {2}wave 1 of 4: 0 of 3 /,
    );
    expect(JSON.parse((await run('rollout', 'status', '-o', 'json')).stdout)).toEqual(halted);
    const doctor = await run('doctor');
    expect(doctor.stdout).toMatch(/^fail {2}rollout .*halted: Agent weather\/meteorologist/m);
  });

  verifies('cli-cluster:rollout', 'resumes the halt that it read, and nothing where none is', async () => {
    const data = () => {
      const key = { namespace: 'retainer-system', name: ROLLOUT_CONFIG_MAP };
      return cluster.server.get(resources.configMaps, key)?.['data'];
    };
    const before = data();
    expect((await run('rollout', 'resume')).stdout).toContain('no rollout is halted');
    expect(data()).toEqual(before);
    rolloutIs(halted);
    expect(await run('rollout', 'resume')).toMatchObject({ code: 0 });
    expect(data()).toMatchObject({ [ROLLOUT_ENTRIES.resume]: halted.changedAt });
  });
});

describe('retainer install', () => {
  verifies(
    'cli-cluster:install-arguments',
    'tells helm what it was told, waits, and says what comes next',
    async () => {
      const { code, stdout, stderr } = await run('install', '--tag', '1.30', '--set', 'a=b', '--set', 'c=d');
      expect(code, stderr).toBe(0);
      const [first = ''] = stdout.split('\n');
      expect(first).toMatch(/^helm upgrade --install retainer \S+\/charts\/retainer --namespace retainer-system /);
      expect(first).toMatch(/ --set-json image\.sandbox\.tag="1\.30" --set a=b --set c=d$/);
      expect(stdout).toContain('Next:\n  kubectl apply -f manifests/examples');
      expect(stderr).toContain('helm warns');
    },
  );

  verifies('cli-cluster:narrowed', 'tells each Agent that it leaves without an operator', async () => {
    cluster.change('Deployment', 'retainer-operator', (one) => {
      const text = JSON.stringify(one);
      const narrow = text.replace(
        '"RETAINER_WATCH_NAMESPACES","value":""',
        '"RETAINER_WATCH_NAMESPACES","value":"other"',
      );
      expect(narrow).not.toBe(text);
      return JSON.parse(narrow) as typeof one;
    });
    const { code, stderr } = await run('install');
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('1 Agent without an operator now; their condition Ready says so');
    const [agent] = cluster.server.list(resources.agents);
    const told = [expect.objectContaining({ type: 'Ready', status: 'Unknown', reason: 'NotTended' })];
    expect(agent?.['status']).toMatchObject({ conditions: told });
    const found = await run('doctor');
    expect(found.code).toBe(4);
    expect(found.stdout).toMatch(/^fail +tended +1 Agent without an operator/m);
  });

  it('ends with 4 where it is not ready in time, and says why', async () => {
    scaleToZero();
    const { code, stdout, stderr } = await run('install', '--wait', '1s');
    expect(code).toBe(4);
    expect(stderr).toContain('waits  operator: 0 of 2 pods of retainer-operator are Ready');
    expect(stderr).toContain('not ready after 1 s');
    expect(stdout).toMatch(/^fail +operator /m);
  });

  it('ends with 4 where helm fails, and waits for nothing', async () => {
    const { code, stdout } = await run('install', '--release', 'broken');
    expect(code).toBe(4);
    expect(stdout).not.toContain('Next:');
    expect(cluster.server.audit.filter(({ user }) => user === 'engineer')).toEqual([]);
  });

  verifies('cli-cluster:install-renders', 'asks no cluster for a dry run', async () => {
    const { code, stdout } = await run('install', '--dry-run', '--kubeconfig', 'nowhere');
    expect([code, stdout.slice(0, 22)]).toEqual([0, 'helm template retainer']);
  });

  verifies('cli-cluster:install-without-helm', 'changes nothing without helm', async () => {
    await rm(join(directory, 'bin/helm'));
    const { code, stderr } = await run('install');
    expect(code).toBe(1);
    expect(stderr).toContain('helm is not on the PATH');
  });
});
