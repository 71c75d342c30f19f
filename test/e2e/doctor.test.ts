/**
 * `retainer install` and `retainer doctor` on the real cluster, with the real helm: well, without an operator, mended, and taken away
 * altogether.
 */
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject } from 'vitest';
import { toolPath } from '../../scripts/kubernetes-tools.ts';
import { RELEASE, releaseNamespace } from '../../scripts/render-chart.ts';
import { repositoryRoot } from '../support/repository-files.ts';
import { typeInto } from '../support/typed-command.ts';
import { verifies } from '../verifies.ts';
import { config } from './config.ts';
import { installChart } from './installation.ts';
import { PUPPET, puppetObjects, puppetTask } from './puppet.ts';
import { retainer } from './retainer-program.ts';
import { SANDBOX_NAMESPACE, World } from './world.ts';

const world = new World();
const installation = inject('installation');
const inSystem = ['-n', RELEASE.namespace];
/** A namespace that goes away takes a tenth of it. */
const COMMAND_TIMEOUT_MS = 180_000;
/** Of nine commands. */
const TAKE_AWAY_TIMEOUT_MS = 600_000;
let namespace = '';

beforeAll(async () => {
  namespace = await world.namespace('doctor');
  await world.apply(namespace, puppetObjects());
  await world.condition(namespace, ['agent', PUPPET], { type: 'Ready', status: 'True' });
  await world.condition(namespace, ['agent', PUPPET], { type: 'NetworkPolicyEnforced', status: 'True' });
  await world.apply(namespace, [puppetTask('asks', 'ASK which colour; then remember it')]);
  await world.condition(namespace, ['task', 'asks'], { type: 'AwaitingAnswer', status: 'True' });
});
afterAll(async () => {
  await world.kubectl.apply([releaseNamespace]);
  await installChart(installation);
  await world.close();
});

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
    // Who waits for a person is no fault.
    expect(found.stdout).toMatch(/^warn +tasks +1 of /m);
    expect(found.stdout).toMatch(new RegExp(`^ok +writers +retainer-${PUPPET}-0 writes, epoch `, 'm'));
  });

  verifies(
    'e2e:documented-commands',
    'find a new signing key well, after the commands of docs/operations.md',
    async () => {
      const before = await world.get('secret', 'retainer-signing-key', RELEASE.namespace);
      await world.kubectl.run([...inSystem, 'delete', 'secret', 'retainer-signing-key']);
      await world.kubectl.run([...inSystem, 'rollout', 'restart', 'deployment', 'retainer-operator']);
      await world.kubectl.run([...inSystem, 'rollout', 'status', 'deployment', 'retainer-operator', '--timeout=120s']);
      const isWell = async () => ((await doctor()).code === 0 ? true : undefined);
      await world.until('a healthy installation', isWell, 120_000);
      const after = await world.get('secret', 'retainer-signing-key', RELEASE.namespace);
      expect(after.metadata.uid).not.toBe(before.metadata.uid);
    },
  );

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

// Its commands delete every agent with its record and the kinds themselves, those of others as well: never in a cluster that is somebody's.
describe.skipIf(installation.cluster.kind === 'Given')('an installation', () => {
  verifies(
    'e2e:documented-commands',
    'is taken away for good and installed anew, by the commands of the pages',
    async () => {
      const { metadata, status } = await world.get('agent', PUPPET, namespace);
      await typed('kubectl delete agents --all --all-namespaces');
      await typed('helm uninstall retainer --namespace retainer-system --wait');
      await typed('kubectl delete crd -l app.kubernetes.io/part-of=retainer');
      const labels = 'app.kubernetes.io/part-of=retainer,app.kubernetes.io/name=agent';
      expect(await world.kubectl.list('pvc', '-A', '-l', labels)).not.toEqual([]);
      await typed(
        'kubectl delete pvc --all-namespaces -l app.kubernetes.io/part-of=retainer,app.kubernetes.io/name=agent',
      );
      await typed('kubectl delete namespace retainer-system');
      const left = await world.kubectl.run([
        'get',
        'crd,clusterrole,clusterrolebinding,validatingadmissionpolicy',
        '-o',
        'name',
      ]);
      expect(left).not.toMatch(/retainer/);

      // Without helm. Its images are a release's, which no registry has either.
      await typed('kubectl apply --server-side -k crds');
      await typed('kubectl apply --server-side -k manifests/base');
      await world.get('deployment', 'retainer-operator', RELEASE.namespace);
      // Only the operator may delete a policy of the sandboxes; those go with their namespace.
      await world.kubectl.run(['delete', 'namespace', RELEASE.namespace, SANDBOX_NAMESPACE]);
      await world.kubectl.run(['delete', '-k', join(repositoryRoot, 'manifests/base'), '--ignore-not-found']);

      const install = 'helm install retainer charts/retainer --namespace retainer-system --create-namespace --wait';
      // The images of this tree, which no registry has.
      await typed(`${install} ${['operator', 'agent', 'sandbox'].map(imageOf).join(' ')}`);
      await world.apply(namespace, puppetObjects());
      const born = await world.condition(namespace, ['agent', PUPPET], { type: 'Ready', status: 'True' });
      expect(born.metadata.uid).not.toBe(metadata.uid);
      expect(born.status?.['individual']).toMatch(/^[0-9a-f]{8}-/);
      expect(born.status?.['individual']).not.toBe(status?.['individual']);
    },
    TAKE_AWAY_TIMEOUT_MS,
  );
});

const imageOf = (image: string): string => `--set image.${image}.tag=${installation.tag}`;

async function typed(command: string): Promise<void> {
  const programs = await Promise.all([toolPath('helm'), toolPath('kubectl')]);
  const PATH = [...programs.map((program) => dirname(program)), config.environment['PATH'] ?? ''].join(delimiter);
  const env = { ...config.environment, PATH, KUBECONFIG: installation.cluster.kubeconfig };
  const ended = await typeInto({ cwd: repositoryRoot, env, timeoutMs: COMMAND_TIMEOUT_MS }, command);
  expect(ended, `$ ${command}\n${ended.stderr}`).toMatchObject({ code: 0 });
}
