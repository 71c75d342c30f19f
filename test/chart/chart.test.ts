import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../../operator/src/config.ts';
import { readProxyConfig } from '../../operator/src/egress-proxy/config.ts';
import { CONNECTIONS_PER_ADDRESS_MAX } from '../../operator/src/egress-proxy/proxy-limits.ts';
import { chartValues, withValuesTable } from '../../scripts/chart-readme.ts';
import { helm, runTool } from '../../scripts/kubernetes-tools.ts';
import {
  chartDirectory,
  parseObjects,
  releaseNamespace,
  renderChart,
  type RenderedObject,
} from '../../scripts/render-chart.ts';
import { podOf } from '../support/manifest-linter/manifest.ts';
import { lintManifests } from '../support/manifest-linter/manifest-linter.ts';
import { repositoryRoot } from '../support/repository-files.ts';
import { verifies } from '../verifies.ts';

const read = (path: string) => readFileSync(join(repositoryRoot, path), 'utf8');
const nameOf = ({ kind, metadata }: RenderedObject) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`;
const byName = (objects: readonly RenderedObject[]) =>
  Object.fromEntries(objects.map((object) => [nameOf(object), object]));
const ofKind = (objects: readonly RenderedObject[], kind: string) => objects.filter((object) => object.kind === kind);

const installations = {
  'as it comes': {},
  'for two namespaces only': { watchNamespaces: ['team-a', 'team-b'] },
  'with everything': {
    userNamespaces: true,
    'sandbox.root.enabled': true,
    'sandbox.runtimeClassName': 'gvisor',
    'sandbox.runtimeClassesAllowed': ['kata'],
    'sandbox.requireRuntimeClass': true,
    'network.metricsNamespace': 'monitoring',
    'network.apiServer.cidrs': ['192.0.2.1/32'],
    'network.proxy.https': 'http://proxy.example.net:3128',
    'network.proxy.direct': ['.corp', '10.0.0.0/8'],
    'network.proxy.cidrs': ['10.9.0.0/16'],
    'image.pullSecrets': ['pull'],
    'operator.priorityClassName': 'high',
    'operator.podLabels': { team: 'a' },
    'metrics.serviceMonitor.enabled': true,
    'metrics.prometheusRule.enabled': true,
    'metrics.dashboards.enabled': true,
  },
  'without the proxy': { 'egressProxy.enabled': false },
} as const;

const sandboxesOf = (values: object): readonly string[] =>
  'sandbox.root.enabled' in values ? ['retainer-sandboxes', 'retainer-sandboxes-root'] : ['retainer-sandboxes'];

describe.each(Object.entries(installations))('the chart, %s', (name, values) => {
  let objects: readonly RenderedObject[] = [];
  beforeAll(async () => {
    objects = await renderChart(values);
  });

  verifies('security:chart-linted', 'breaks no rule of the linter', () => {
    expect(objects.length).toBeGreaterThan(20);
    expect(lintManifests([releaseNamespace, ...objects], { isComplete: true })).toEqual([]);
  });

  it('gives the operator an environment that it takes', () => {
    const [operator] = ofKind(objects, 'Deployment').filter(({ metadata }) => metadata.name === 'retainer-operator');
    const env = podOf(operator as never)?.containers[0]?.env ?? [];
    const given = Object.fromEntries(env.map(({ name: key, value }) => [key, value ?? 'from-the-pod']));
    expect(Object.keys(given).filter((key) => !read('operator/src/config.ts').includes(key))).toEqual(['NODE_OPTIONS']);
    expect(parseConfig(given)).toMatchObject({ ok: true });
  });

  verifies('packaging:crds-kept', 'never deletes a CustomResourceDefinition', () => {
    const crds = ofKind(objects, 'CustomResourceDefinition');
    expect(crds).toHaveLength(5);
    for (const { metadata } of crds) expect(metadata.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' });
  });

  verifies('packaging:namespaced-install', 'has rights in all namespaces only where no namespaces are named', () => {
    const isNarrow = 'watchNamespaces' in values;
    const bindings = ofKind(objects, 'ClusterRoleBinding').map(({ metadata }) => metadata.name);
    const labels = isNarrow ? 'retainer-system-retainer-sandbox-labels' : 'retainer-sandbox-labels';
    expect(bindings).toEqual(isNarrow ? [labels] : ['retainer-operator', labels]);
    // A namespace lies in none: a right to it alone is one of the cluster.
    const places = ofKind(objects, 'ClusterRole').find(({ metadata }) => metadata.name === labels);
    const resourceNames = sandboxesOf(values);
    expect(places?.['rules']).toEqual([
      { apiGroups: [''], resources: ['namespaces'], resourceNames, verbs: ['list', 'watch'] },
    ]);
    // Of several releases in a cluster, no two have an object in common.
    const shared = objects
      .filter(
        ({ kind, metadata }) =>
          metadata.namespace === undefined && !['CustomResourceDefinition', 'Namespace'].includes(kind),
      )
      .filter(({ metadata }) => isNarrow && !metadata.name.startsWith('retainer-system-retainer-'));
    expect(shared.map(nameOf)).toEqual([]);
    const roles = ofKind(objects, 'Role').filter(({ metadata }) => metadata.name === 'retainer-operator-agents');
    expect(roles.map(({ metadata }) => metadata.namespace)).toEqual(
      'watchNamespaces' in values ? values.watchNamespaces : [],
    );
    expect(name).toBeTruthy();
  });

  it('takes no weaker RuntimeClass than its own for sandboxes', () => {
    const [policy] = ofKind(objects, 'ValidatingAdmissionPolicy').filter((it) =>
      it.metadata.name.endsWith('sandboxes'),
    );
    const rule = "has(variables.spec.runtimeClassName) && variables.spec.runtimeClassName in ['gvisor','kata']";
    expect(JSON.stringify(policy).includes(rule)).toBe('sandbox.runtimeClassName' in values);
  });

  it('lets the operator end a sandbox that stood ready', () => {
    const roles = ofKind(objects, 'Role').filter(({ metadata }) =>
      String(metadata.namespace).startsWith('retainer-sandboxes'),
    );
    expect(roles.length).toBeGreaterThan(0);
    for (const { rules } of roles)
      expect(rules).toContainEqual({ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch', 'delete'] });
  });
});

describe('the egress proxy', () => {
  it('is told its ports, which are those that its policy lets out, and its limits', async () => {
    const objects = await renderChart({
      'egressProxy.ports': [443, 8443],
      'egressProxy.agentPorts': [993, 8443],
      'egressProxy.connectionsPerAddress': 512,
      'egressProxy.bindsGrants': false,
    });
    const [proxy] = ofKind(objects, 'Deployment').filter(({ metadata }) => metadata.name === 'retainer-egress-proxy');
    const env = podOf(proxy as never)?.containers[0]?.env ?? [];
    const config = readProxyConfig(Object.fromEntries(env.map(({ name, value }) => [name, value])));
    expect(config).toMatchObject({
      ok: true,
      value: { ports: [443, 8443], agentPorts: [993, 8443], connectionsPerAddress: 512, bindsGrants: false },
    });
    const policy = JSON.stringify(
      ofKind(objects, 'NetworkPolicy').find(({ metadata }) => metadata.name === 'retainer-egress-proxy'),
    );
    const ports = [...policy.matchAll(/"port":(\d+)/g)].map(([, port]) => Number(port));
    expect(ports.filter((port) => [443, 993, 8443].includes(port))).toEqual([443, 8443, 993]);
  });

  it('has the same limits in the chart as without one', () => {
    const values = chartValues(read('charts/retainer/values.yaml'));
    const preset = values.find(({ path }) => path === 'egressProxy.connectionsPerAddress')?.preset;
    expect(Number(preset)).toBe(CONNECTIONS_PER_ADDRESS_MAX);
  });
});

describe('values.schema.json', () => {
  it.each([
    { name: 'a misspelt value', values: { 'operator.replicsa': 2 }, message: 'replicsa' },
    { name: 'a wrong type', values: { 'operator.replicas': 'two' }, message: 'replicas' },
    { name: 'a tag that moves', values: { 'image.operator.tag': 'latest' }, message: 'tag' },
    { name: 'no limit of scratch', values: { 'operator.resources.limits': null }, message: 'limits' },
    { name: 'root code without user namespaces', values: { 'sandbox.root.enabled': true }, message: 'userNamespaces' },
    {
      name: 'a label of ours',
      values: { 'operator.podLabels': { 'retainer.dev/agent': 'x' } },
      message: 'retainer.dev/agent',
    },
    {
      name: 'more connections than the proxy takes',
      values: { 'egressProxy.connectionsPerAddress': 9999 },
      message: "at '/egressProxy/connectionsPerAddress'",
    },
    { name: 'an amount that is none', values: { 'operator.resources.limits.memory': 'lots' }, message: 'memory' },
    {
      name: 'a Lease that is renewed too late',
      values: { 'operator.lease.renewSeconds': 20 },
      message: 'operator.lease.renewSeconds is 20: it must be below operator.lease.durationSeconds, which is 15',
    },
    {
      name: 'tries that are rarer than renewals',
      values: { 'operator.lease.retrySeconds': 10 },
      message: 'operator.lease.retrySeconds is 10: it must be below operator.lease.renewSeconds, which is 10',
    },
    {
      name: 'more heap than memory',
      values: { 'operator.heapMebibytes': 2000 },
      message: 'operator.heapMebibytes is 2000: it must be at least 128 below operator.resources.limits.memory',
    },
    { name: 'a range that is none', values: { 'network.apiServer.cidrs': ['here'] }, message: 'cidrs' },
  ])('refuses $name', async ({ values, message }) => {
    await expect(renderChart(values)).rejects.toThrow(message);
  });

  // The heap is 256 MiB, so that 384 MiB are needed: 402,653,184 bytes. In every unit that the schema takes.
  const decimal = ['402653183', 402_653_183, '402653k', '402M', '0.402G', '0.0004T', '0.0000004P', '0.0000000004E'];
  const binary = ['393215Ki', '383Mi', '0.374Gi', '0.0003Ti', '0.0000003Pi', '0.0000000003Ei'];
  const tooFew = ['402653183000m', ...decimal, ...binary];
  const enough = ['403M', '0.375Gi', 402_653_184];
  const limitedTo = (memory: string | number) => renderChart({ 'operator.resources.limits.memory': memory });

  for (const memory of tooFew)
    verifies('packaging:values-documented', `refuse the heap in a memory of ${JSON.stringify(memory)}`, async () => {
      const message = 'operator.heapMebibytes is 256: it must be at least 128 below operator.resources.limits.memory';
      await expect(limitedTo(memory)).rejects.toThrow(message);
    });

  for (const memory of enough)
    verifies('packaging:values-documented', `take the heap in a memory of ${JSON.stringify(memory)}`, async () => {
      expect((await limitedTo(memory)).length).toBeGreaterThan(20);
    });

  it('knows every value of values.yaml', async () => {
    await helm('lint', '--strict', chartDirectory);
  });
});

describe('the files of the chart', () => {
  verifies('packaging:values-documented', 'hold a line of README.md for every value', () => {
    const values = chartValues(read('charts/retainer/values.yaml'));
    expect(values.length).toBeGreaterThan(40);
    const readme = read('charts/retainer/README.md');
    expect(withValuesTable(readme, values), 'run npm run gen').toBe(readme);
  });

  it('fails over a value without a description', () => {
    expect(() => chartValues('operator:\n  # more\n  replicas: 2\n')).toThrow('operator.replicas');
  });

  it('hold the CustomResourceDefinitions as they are generated', () => {
    const names = readdirSync(join(repositoryRoot, 'crds')).filter((file) => file.endsWith('.retainer.dev.yaml'));
    expect(readdirSync(join(chartDirectory, 'files/crds'))).toEqual(names);
    for (const name of names) expect(read(`charts/retainer/files/crds/${name}`)).toBe(read(`crds/${name}`));
  });

  verifies('packaging:manifests-equal-chart', 'render to what manifests/base holds', async () => {
    const { stdout } = await runTool('kubectl', ['kustomize', join(repositoryRoot, 'manifests/base')]);
    const withoutMarks = (object: RenderedObject) =>
      object.kind === 'CustomResourceDefinition' ? { ...object, metadata: { name: object.metadata.name } } : object;
    const rendered = [releaseNamespace, ...(await renderChart())].map(withoutMarks);
    expect(byName(parseObjects(stdout).map(withoutMarks)), 'run npm run manifests').toEqual(byName(rendered));
  });
});
