import fc from 'fast-check';
import { stringify } from 'yaml';
import { describe, expect, it } from 'vitest';
import { AgentSandbox } from '@retainer/contract/api/agent-sandbox';
import { SandboxRun } from '@retainer/contract/api/sandbox-run';
import { API_VERSION } from '@retainer/contract/api/names';
import { lintManifests } from '../../../../test/support/manifest-linter/manifest-linter.ts';
import { PUBLIC_KEY, runObject, sandboxSettings, TEAM } from '../../../../test/support/sandbox-world.ts';
import { verifies } from '../../../../test/verifies.ts';
import type { KubeObject } from '@retainer/kube/kube-object';
import { canaryJob, canaryTargets } from './canary-job.ts';
import { isHostAllowed, judgeRun } from './judge-run.ts';
import { agentSandboxPolicies, canaryPolicy, denyAllPolicy } from './network-policies.ts';
import { poolJob } from './pool-job.ts';
import { runJob } from './run-job.ts';
import { sandboxUid } from './sandbox-pod.ts';
import { sandboxResources } from './sandbox-resources.ts';

const owner = { namespace: TEAM, name: 'ada', uid: 'a1' };
const sandboxOf = (fields: object): AgentSandbox => AgentSandbox.parse(fields);
const runOf = (spec: object): SandboxRun['spec'] =>
  SandboxRun.parse({ apiVersion: API_VERSION, kind: 'SandboxRun', ...runObject('one', spec) }).spec;
const ofKind = (kind: string, apiVersion: string, object: KubeObject): KubeObject => ({ apiVersion, kind, ...object });
const job = (object: KubeObject): KubeObject => ofKind('Job', 'batch/v1', object);

function rendered(fields: object, spec: object, settings = sandboxSettings): readonly KubeObject[] {
  const sandbox = sandboxOf(fields);
  const canary = {
    namespace: settings.sandboxNamespace,
    settings,
    targets: TARGETS,
    world: 'w',
    ground: 'g',
    startedAtMs: 0,
  };
  return [
    job(runJob({ owner: { ...owner, name: 'one' }, run: runOf(spec), sandbox, settings, ground: 'g' })),
    job(poolJob({ owner, sandbox, settings, operatorKey: PUBLIC_KEY }, 0)),
    job(canaryJob(canary)),
    ...[
      ...agentSandboxPolicies({ owner, sandbox, settings }),
      canaryPolicy(settings, settings.sandboxNamespace),
      denyAllPolicy(settings.sandboxNamespace),
    ].map((policy) => ofKind('NetworkPolicy', 'networking.k8s.io/v1', policy)),
  ];
}

const TARGETS = canaryTargets({
  apiServers: [{ host: '10.96.0.1', port: 443 }],
  dnsServers: ['10.96.0.10'],
  operatorIp: '10.0.0.5',
  agentIps: ['10.0.0.6'],
});

describe('everything in the namespace of sandboxes', () => {
  verifies('operator-sandbox:pod-rules', 'is what the golden file shows', async () => {
    const objects = rendered(
      { egress: ['*.example.org'], pool: { size: 2, maxConcurrent: 4 } },
      { language: undefined },
    );
    const text = objects.map((object) => stringify(object)).join('---\n');
    await expect(text).toMatchFileSnapshot('../../../../test/golden/operator/sandboxes.yaml');
  });

  const quantity = fc.constantFrom('1', '100m', '64Mi', '0.5', '2Gi', '0', '9999P');
  const amounts = fc.record({ cpu: quantity, memory: quantity, 'ephemeral-storage': quantity }, { requiredKeys: [] });
  const wishes = fc.option(fc.record({ requests: amounts, limits: amounts }, { requiredKeys: [] }), { nil: undefined });
  const hostile = fc.constantFrom('a', 'retainer.dev/network-role', 'x'.repeat(63));
  const fields = fc.record({
    image: fc.constantFrom('example.org/a:1', 'example.org/a@sha256:00', '$(RETAINER_POD_UID):1'),
    scratch: quantity,
    resources: wishes,
    egress: fc.constantFrom([], ['*.example.org']),
    nodeSelector: fc.dictionary(hostile, fc.constantFrom('agent', '$(X)')),
    tolerations: fc.constantFrom([], [{ operator: 'Exists' }]),
    pool: fc.record({ size: fc.nat(2), maxConcurrent: fc.integer({ min: 2, max: 64 }) }),
  });
  const specs = fc.record({
    command: fc.array(fc.string({ maxLength: 20 }), { minLength: 1, maxLength: 3 }),
    resources: wishes,
    mode: fc.constant('Run'),
  });

  verifies('operator-sandbox:pod-rules', 'keeps them whatever is asked for', () => {
    fc.assert(
      fc.property(fields, specs, fc.boolean(), (some, spec, hasUserNamespaces) => {
        expect(lintManifests(rendered(some, spec, { ...sandboxSettings, hasUserNamespaces }))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  verifies(
    'operator-sandbox:pod-rules',
    'keeps them for code that is root, in a user namespace and nowhere else',
    () => {
      for (const hasUserNamespaces of [true, false]) {
        const settings = { ...sandboxSettings, sandboxRootNamespace: 'roots', hasUserNamespaces };
        const [root, pool] = rendered({ root: true, pool: { size: 1, maxConcurrent: 2 } }, { root: true }, settings);
        expect(lintManifests([root, pool])).toEqual([]);
        expect(root?.metadata.namespace).toBe('roots');
        expect(pool?.metadata.namespace).toBe(settings.sandboxNamespace);
      }
    },
  );

  it('holds nothing of the code, and is the same each time', () => {
    const [first] = rendered({}, { command: ['secret-words'] });
    expect(JSON.stringify(first)).not.toContain('secret-words');
    expect(rendered({}, {})).toEqual(rendered({}, {}));
  });

  it('never requests more than its limit', () => {
    fc.assert(
      fc.property(fields, wishes, (some, wish) => {
        const { requests, limits } = sandboxResources(sandboxOf(some), wish);
        expect(Object.keys(requests)).toEqual(Object.keys(limits));
      }),
    );
  });

  it('has a user of its own, within what a user namespace maps', () => {
    fc.assert(
      fc.property(fc.string(), (identity) => {
        expect(sandboxUid(identity, false)).toBeGreaterThanOrEqual(100_000);
        expect(sandboxUid(identity, true)).toBeLessThan(65_536);
        expect(sandboxUid(identity, true)).toBeGreaterThanOrEqual(10_000);
      }),
    );
  });
});

describe('judgeRun', () => {
  const root = { ...sandboxSettings, sandboxRootNamespace: 'roots', hasUserNamespaces: true };
  const noProxy = { ...sandboxSettings, network: { ...sandboxSettings.network, egressProxy: undefined } };
  const gvisor = { ...sandboxSettings, sandboxRuntimeClassName: 'gvisor', sandboxRuntimeClassesAllowed: ['kata'] };
  const script = {
    command: undefined,
    script: { digest: `sha256:${'0'.repeat(64)}`, sizeBytes: 1 },
    language: 'Python',
  };
  const serve = { mode: 'Serve', ports: [{ name: 'web', port: 8080 }] };
  const cases: readonly (readonly [
    string,
    object,
    object,
    string | undefined,
    (typeof root | typeof noProxy | typeof gvisor)?,
  ])[] = [
    ['nothing special', {}, {}, undefined],
    ['a disabled sandbox', { enabled: false }, {}, 'NotAllowed'],
    ['ports where none may be', {}, serve, 'NotAllowed'],
    ['ports where they may be', { serve: true }, serve, undefined],
    ['a language that is not listed', { languages: ['Bash'] }, script, 'NotAllowed'],
    ['a language that is', { languages: ['Python'] }, script, undefined],
    ['more time', { timeout: '10s' }, { timeout: '11s' }, 'NotAllowed'],
    ['as much time', { timeout: '60s' }, { timeout: '1m' }, undefined],
    ['more memory', {}, { resources: { limits: { memory: '1Gi' } } }, 'NotAllowed'],
    ['a host outside', { egress: ['a.org'] }, { egress: ['b.org'] }, 'NotAllowed'],
    ['a host inside', { egress: ['*.a.org'] }, { egress: ['x.a.org'] }, undefined],
    ['egress without a proxy', { egress: ['a.org'] }, { egress: ['a.org'] }, 'NotAllowed', noProxy],
    ['root where none may be', {}, { root: true }, 'NotAllowed', root],
    ['root without user namespaces', { root: true }, { root: true }, 'UserNamespacesUnavailable'],
    ['root with them', { root: true }, { root: true }, undefined, root],
    ['no RuntimeClass where one must be', { requireRuntimeClass: true }, {}, 'RuntimeClassNotFound'],
    ['a weaker RuntimeClass', { runtimeClassName: 'runc' }, {}, 'NotAllowed', gvisor],
    ['an allowed RuntimeClass', { runtimeClassName: 'kata' }, {}, undefined, gvisor],
    ['the RuntimeClass of the installation', { runtimeClassName: 'gvisor' }, {}, undefined, gvisor],
    [
      'no RuntimeClass but the installation’s',
      { requireRuntimeClass: true, runtimeClassName: undefined },
      {},
      undefined,
      gvisor,
    ],
    ['a RuntimeClass', { requireRuntimeClass: true, runtimeClassName: 'gvisor' }, {}, undefined],
  ];
  for (const [name, sandbox, spec, reason, settings = sandboxSettings] of cases)
    verifies('operator-sandbox:run-within-agent', `judges ${name}`, () => {
      expect(judgeRun({ run: runOf(spec), sandbox: sandboxOf(sandbox), settings })?.reason).toBe(reason);
    });

  it.each([
    ['a.org', ['a.org'], true],
    ['x.a.org', ['*.a.org'], true],
    ['*.x.a.org', ['*.a.org'], true],
    ['a.org', ['*.a.org'], false],
    ['*.a.org', ['a.org'], false],
    ['xa.org', ['*.a.org'], false],
    ['a.org.evil', ['a.org'], false],
  ])('%s within %j: %s', (wanted, allowed, isAllowed) => {
    expect(isHostAllowed(wanted, allowed)).toBe(isAllowed);
  });
});
