/** `retainer install` and `retainer doctor` on the real cluster, with the real helm: well, without an operator, and mended. */
import { execFile } from 'node:child_process';
import { delimiter, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject } from 'vitest';
import { toolPath } from '../../scripts/kubernetes-tools.ts';
import { RELEASE } from '../../scripts/render-chart.ts';
import { verifies } from '../verifies.ts';
import { installChart } from './installation.ts';
import { PUPPET, puppetObjects } from './puppet.ts';
import { World } from './world.ts';

const PROGRAM = fileURLToPath(new URL('../support/retainer-main.ts', import.meta.url));
/** An installation that was deleted is back in a tenth of it. */
const COMMAND_TIMEOUT_MS = 240_000;

const world = new World();
const installation = inject('installation');
const inSystem = ['-n', RELEASE.namespace];
let namespace = '';
let path = '';

beforeAll(async () => {
  path = [dirname(await toolPath('helm')), process.env['PATH'] ?? ''].join(delimiter);
  namespace = await world.namespace('doctor');
  await world.apply(namespace, puppetObjects());
  await world.condition(namespace, ['agent', PUPPET], { type: 'Ready', status: 'True' });
  await world.condition(namespace, ['agent', PUPPET], { type: 'NetworkPolicyEnforced', status: 'True' });
});
afterAll(async () => {
  await installChart(installation);
  await world.close();
});

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function retainer(...args: readonly string[]): Promise<Ended> {
  const { kubeconfig } = installation.cluster;
  const env = { ...process.env, PATH: path, KUBECONFIG: kubeconfig, NO_COLOR: '1', FORCE_COLOR: undefined };
  const all = ['--import', 'tsx', '--conditions=source', PROGRAM, ...args];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, all, { env, timeout: COMMAND_TIMEOUT_MS }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}

const doctor = () => retainer('doctor', '-n', namespace);
const install = () => retainer('install', '--tag', installation.tag, '--wait', '3m');

async function operatorIsGone(): Promise<true | undefined> {
  const pods = await world.kubectl.list('pods', ...inSystem, '-l', 'app.kubernetes.io/name=operator');
  return pods.length === 0 ? true : undefined;
}

describe('retainer install and retainer doctor', () => {
  verifies('cli-cluster:install-and-doctor', 'upgrade an installation to what it is, and find it well', async () => {
    const installed = await install();
    expect(installed, installed.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('retainer doctor') });
    const found = await doctor();
    expect(found, found.stdout).toMatchObject({ code: 0, stderr: '' });
    expect(found.stdout).not.toMatch(/^(fail|skip)/m);
    expect(found.stdout).toMatch(/^ok +definitions +5 kinds/m);
    expect(found.stdout).toMatch(/^ok +network-policy +checked /m);
    expect(found.stdout).toMatch(/^ok +signing-key /m);
    expect(found.stdout).toMatch(new RegExp(`^ok +writers +retainer-${PUPPET}-0 writes, epoch `, 'm'));
  });

  verifies('cli-cluster:install-and-doctor', 'name an operator that is scaled to 0', async () => {
    await world.kubectl.run(['scale', 'deployment/retainer-operator', '--replicas=0', ...inSystem]);
    await world.until('the end of the operators', operatorIsGone, 60_000);
    const { code, stdout } = await doctor();
    expect(code, stdout).toBe(4);
    expect(stdout).toMatch(/^fail +operator +retainer-operator is scaled to 0/m);
    expect(stdout).toMatch(/^fail +leader +no leader/m);
    expect(stdout).toContain(`kubectl -n ${RELEASE.namespace} scale deployment retainer-operator --replicas=2`);
    expect(stdout.trimEnd()).toMatch(/begin with operator$/);
  });

  verifies('cli-cluster:install-and-doctor', 'bring back an operator that was deleted, and wait for it', async () => {
    await world.kubectl.run(['delete', 'deployment', 'retainer-operator', ...inSystem, '--wait']);
    expect((await doctor()).stdout).toMatch(/^fail +operator +no Deployment retainer-operator/m);
    const { code, stderr } = await install();
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(/ready +operator: /);
    expect(await doctor()).toMatchObject({ code: 0 });
  });
});
