/* oxlint-disable typescript/no-explicit-any -- rendered objects are read by path, and a wrong path fails the test */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANNOTATIONS, LABELS } from '@retainer/contract/api/names';
import { lintManifests } from '../../../../test/support/manifest-linter/manifest-linter.ts';
import { observedAgent, settings } from '../../../../test/support/observed-agent.ts';
import { bySize } from '../../../../test/support/test-size.ts';
import { verifies } from '../../../../test/verifies.ts';
import type { KubeObject } from '@retainer/kube/kube-object';
import { observeStatefulSet } from '../../observe/observe-agent-pod.ts';
import type { ObservedAgent } from '../../observe/observe-agent.ts';
import { desiredAgent } from './index.ts';

/** As many as the rule names, and a fifth of them while somebody waits. */
const HOSTILE_SPECS = bySize({ quick: 200, check: 1000 });

const fields = (value: unknown): any => value;

function children(observed: ObservedAgent, grant?: string): readonly KubeObject[] {
  const { foundation, statefulSet, claims } = desiredAgent(observed, settings, grant);
  return [...foundation, ...(statefulSet === undefined ? [] : [statefulSet]), ...claims].map(({ object }) => object);
}

function child(kind: string, spec: object = {}, over: Partial<ObservedAgent> = {}): any {
  return fields(children(observedAgent(spec, over)).find((one) => one.kind === kind));
}

const pod = (spec: object = {}, over: Partial<ObservedAgent> = {}) =>
  fields(child('StatefulSet', spec, over)['spec'].template);

/** What a user can say that is worth a try. */
const hostileKeys = fc.constantFrom(
  LABELS.agent,
  LABELS.networkRole,
  LABELS.name,
  LABELS.managedBy,
  ANNOTATIONS.characterDigest,
  ANNOTATIONS.appliedHash,
  'x.retainer.dev/agent',
  'app.kubernetes.io/name',
  'pod-security.kubernetes.io/enforce',
  'container.apparmor.security.beta.kubernetes.io/agent',
  'seccomp.security.alpha.kubernetes.io/pod',
  'k8s.v1.cni.cncf.io/networks',
  'io.kubernetes.cri-o.userns-mode',
  'controller-revision-hash',
  'statefulset.kubernetes.io/pod-name',
  '__proto__',
  'team',
);
const hostileTexts = fc.dictionary(fc.oneof(hostileKeys, fc.string({ maxLength: 40 })), fc.string({ maxLength: 63 }), {
  maxKeys: 12,
});
const amounts = fc.record(
  {
    cpu: fc.constantFrom('1m', '250m', '4', '0.5'),
    memory: fc.constantFrom('64Mi', '1Gi', '8G'),
    'ephemeral-storage': fc.constantFrom('1Mi', '20Gi'),
  },
  { requiredKeys: [] },
);
const hostilePod = fc.record(
  {
    labels: hostileTexts,
    annotations: hostileTexts,
    serviceAccountAnnotations: hostileTexts,
    nodeSelector: hostileTexts,
    tolerations: fc.array(fc.record({ key: fc.string(), operator: fc.constantFrom('Exists', 'Equal') }), {
      maxLength: 3,
    }),
    affinity: fc.constant({ podAffinity: { hostNetwork: true } }),
    resources: fc.record({ requests: amounts, limits: amounts }, { requiredKeys: [] }),
    auditorResources: fc.record({ requests: amounts, limits: amounts }, { requiredKeys: [] }),
    hostUsers: fc.boolean(),
    egressCidrs: fc.constantFrom([], ['10.1.0.0/16'], ['::/0']),
    image: fc.constantFrom('example.org/agent:2', 'example.org/agent@sha256:' + 'a'.repeat(64)),
    terminationGracePeriodSeconds: fc.integer({ min: 5, max: 600 }),
    runtimeClassName: fc.constant('gvisor'),
    priorityClassName: fc.constant('system-node-critical'),
  },
  { requiredKeys: [] },
);
const hostileSpec = fc.record(
  {
    pod: hostilePod,
    suspend: fc.boolean(),
    sandbox: fc.record({ enabled: fc.boolean() }),
    models: fc.constantFrom(
      { provider: 'Anthropic', apiKeySecretRef: { name: 'model.key', key: 'token' } },
      { provider: 'Anthropic', baseURL: 'http://169.254.169.254:80/latest' },
      { provider: 'Anthropic', caBundleRef: { name: 'company.ca', key: 'ca.crt' } },
      { provider: 'Scripted', script: 'a.yaml', scriptConfigMapRef: { name: 'script' } },
    ),
    bus: fc.constantFrom({}, { redis: { urlSecretRef: { name: 'model.key', key: 'url' } } }),
    workspace: fc.constantFrom({}, { seeds: [{ configMapRef: { name: 'files' }, directory: 'data' }] }),
    memory: fc.record({ onDelete: fc.constantFrom('Retain', 'Delete'), storage: fc.constantFrom('1Gi', '2Ti') }),
  },
  { requiredKeys: [] },
);

describe('the children of an Agent', () => {
  it('of the example are as reviewed', async () => {
    const text = `${JSON.stringify(children(observedAgent()), null, 2)}\n`;
    await expect(text).toMatchFileSnapshot('../../../../test/golden/operator/agent-children.json');
  });

  verifies('operator-agent:pod-rules', 'the example meets the control lists as a whole', () => {
    expect(lintManifests(children(observedAgent()), { isComplete: true })).toEqual([]);
  });

  verifies(
    'operator-agent:reserved-keys',
    `${HOSTILE_SPECS} hostile specs are rendered by the same rules, under our own labels`,
    () => {
      const ours = pod().metadata.labels;
      fc.assert(
        fc.property(hostileSpec, (spec) => {
          const observed = observedAgent(spec);
          const rendered = children(observed, 'grant');
          expect(lintManifests(rendered, { isComplete: true })).toEqual([]);
          for (const object of rendered)
            expect(object.metadata.labels).toMatchObject({
              [LABELS.managedBy]: 'retainer',
              [LABELS.agent]: 'meteorologist',
            });
          const template = fields(rendered.find(({ kind }) => kind === 'StatefulSet')).spec.template;
          expect(template.metadata.labels).toMatchObject(ours);
          const foreign = Object.keys(template.metadata.annotations).filter((key) =>
            /apparmor|seccomp|cni\.cncf|cri-o|^x\.retainer/.test(key),
          );
          expect(foreign).toEqual([]);
          const digests = [ANNOTATIONS.characterDigest, ANNOTATIONS.configDigest, ANNOTATIONS.skillsDigest];
          for (const key of digests) expect(template.metadata.annotations[key]).toMatch(/^sha256:[0-9a-f]{64}$/);
        }),
        { numRuns: HOSTILE_SPECS },
      );
    },
  );

  verifies('operator-agent:children-are-deterministic', 'a second look at what was made wants the same', () => {
    fc.assert(
      fc.property(hostileSpec, (spec) => {
        const first = children(observedAgent(spec));
        const set = first.find(({ kind }) => kind === 'StatefulSet');
        const live = observeStatefulSet(JSON.parse(JSON.stringify(set)));
        expect(live).toBeDefined();
        expect(children(observedAgent(spec, { statefulSet: live }))).toEqual(first);
      }),
      { numRuns: 100 },
    );
  });

  it('name every document by its content', () => {
    const names = children(observedAgent()).flatMap((one) => (one.kind === 'ConfigMap' ? [one.metadata.name] : []));
    const other = children(observedAgent({ description: 'another' })).flatMap((one) =>
      one.kind === 'ConfigMap' ? [one.metadata.name] : [],
    );
    expect(names).toHaveLength(5);
    expect(other.filter((name) => !names.includes(name))).toHaveLength(1);
  });

  const MEMORY = { storage: '2Gi', windowDays: 30, gitCommitInterval: '5m' };
  it.each([
    ['suspend', { suspend: true }],
    ['a greater volume', { memory: { storage: '20Gi' } }],
    ['keeping the volume', { memory: { storage: '2Gi', windowDays: 30, gitCommitInterval: '5m', onDelete: 'Delete' } }],
  ])('do not restart the agent for %s', (_, spec) => {
    const before = child('StatefulSet', { memory: MEMORY });
    expect(child('StatefulSet', spec).metadata.annotations).toEqual(before['metadata'].annotations);
  });

  it('do not restart the agent for another number of sandboxes that stand ready', () => {
    const of = (size: number) => child('StatefulSet', { sandbox: { pool: { size } } }).metadata.annotations;
    expect(of(3)).toEqual(of(1));
  });

  it.each([
    ['the Agent', { description: 'another' }, {}],
    ['a wish of a person', {}, { restartRequestedAt: '2026-11-22T10:00:00Z' }],
    ['the image', { pod: { image: 'example.org/other:1' } }, {}],
    ['more code side by side', { sandbox: { pool: { maxConcurrent: 3 } } }, {}],
  ])('restart the agent for %s', (_, spec, over) => {
    expect(child('StatefulSet', spec, over).metadata.annotations).not.toEqual(
      child('StatefulSet')['metadata'].annotations,
    );
  });

  it('leave the StatefulSet alone while a reference is missing', () => {
    const desired = desiredAgent(observedAgent({}, { character: { type: 'Missing' } }), settings, undefined);
    expect(desired.statefulSet).toBeUndefined();
    expect(desired.foundation.map(({ resource }) => resource.kind)).not.toContain('ConfigMap');
  });

  it('hold the Lease only while the agent does not work, or has not told which individual it is', () => {
    const unnamed = observedAgent();
    const named = { ...unnamed.root, status: { individual: '3f0c7a52-1111-4e6a-9b1d-0123456789ab' } };
    const kinds = (isReady: boolean, root: KubeObject) =>
      children(
        observedAgent(
          {},
          {
            root,
            pod: {
              isReady,
              isBeingDeleted: false,
              unreadySinceMs: undefined,
              readySinceMs: undefined,
              scheduling: undefined,
              phase: 'Running',
              reason: undefined,
              containers: [],
              annotations: {},
              revision: undefined,
              configMapNames: [],
            },
          },
        ),
      ).map(({ kind }) => kind);
    const hasLease = (isReady: boolean, root: KubeObject) => kinds(isReady, root).includes('Lease');
    expect([hasLease(false, named), hasLease(true, unnamed.root), hasLease(true, named)]).toEqual([true, true, false]);
  });
});

describe('the rights', () => {
  verifies('operator-agent:rights', 'are those of the agent’s own work', () => {
    const rules = child('Role')['rules'].map((rule: Record<string, unknown>) => [
      rule['resources'],
      rule['verbs'],
      rule['resourceNames'],
    ]);
    expect(rules).toEqual([
      [['tasks'], ['get', 'list', 'watch'], undefined],
      [['tasks/status'], ['patch'], undefined],
      [['sandboxruns'], ['get', 'list', 'watch', 'create', 'delete'], undefined],
      [['leases'], ['get', 'update'], ['retainer-meteorologist']],
      [['events'], ['create'], undefined],
    ]);
  });

  it('have no word of sandboxes where code is off', () => {
    expect(JSON.stringify(child('Role', { sandbox: { enabled: false } })['rules'])).not.toContain('sandboxruns');
  });
});

describe('the network policy', () => {
  const egress = (spec: object): readonly any[] => child('NetworkPolicy', spec)['spec'].egress;
  const publicPorts = (spec: object) =>
    egress(spec)
      .filter((rule) => JSON.stringify(rule['to'] ?? '').includes('10.0.0.0/8'))
      .flatMap((rule) => rule['ports'].map((one: { port: number }) => one.port));
  const mail = {
    address: 'a@example.org',
    imap: { host: 'imap.example.org' },
    smtp: { host: 'smtp.example.org' },
    credentialsSecretRef: { name: 'mail' },
  };

  it.each([
    ['no model to ask', {}, []],
    ['a model', { models: { provider: 'Anthropic' } }, [443]],
    ['a model on a port', { models: { provider: 'Anthropic', baseURL: 'http://models.example.org:8000/v1' } }, [8000]],
    ['mail', { channels: { email: mail } }, [465, 993]],
    ['fetching', { tools: { fetch: { enabled: true, allowedDomains: ['example.org'] } } }, [80, 443]],
    [
      'vectors of a server',
      { memory: { embedding: { provider: 'Http', baseURL: 'http://vectors.example:8080/v1', model: 'm' } } },
      [8080],
    ],
    ['a copy of the record', { memory: { gitRemote: { url: 'git@example.org:me/it.git' } } }, [22]],
    [
      'a tool server',
      { tools: { mcpServers: [{ name: 't', url: 'https://t.example.org', tools: [{ name: 'a', effectClass: 0 }] }] } },
      [443],
    ],
  ])('opens for %s what it needs', (_, spec, ports) => {
    expect(publicPorts(spec)).toEqual(ports);
  });

  verifies('operator-agent:default-deny', 'denies both ways and never reaches what gives out credentials', () => {
    const { policyTypes, podSelector, ingress } = child('NetworkPolicy', { models: { provider: 'Anthropic' } })['spec'];
    expect(policyTypes).toEqual(['Ingress', 'Egress']);
    expect(podSelector.matchLabels).toEqual({ [LABELS.name]: 'agent', [LABELS.agent]: 'meteorologist' });
    expect(ingress.every((rule: { from: readonly unknown[] }) => rule.from.length > 0)).toBe(true);
    const blocks = egress({ models: { provider: 'Anthropic' } }).flatMap((rule) =>
      rule['to'].flatMap((to: any) => to['ipBlock'] ?? []),
    );
    expect(blocks.length).toBeGreaterThan(2);
    for (const { cidr, except } of blocks) expect(except).toContain(cidr === '::/0' ? 'fe80::/10' : '169.254.0.0/16');
  });

  it('goes through the proxy alone where the Agent says so', () => {
    const rules = egress({ models: { provider: 'Anthropic' }, pod: { egressProxy: true } });
    expect(JSON.stringify(rules)).not.toContain('192.168.0.0/16');
    expect(JSON.stringify(rules)).toContain('"retainer.dev/network-role":"egress-proxy"');
  });
});

describe('the way through the proxy', () => {
  it('is in the environment with the operator’s word', () => {
    const { statefulSet } = desiredAgent(observedAgent({ pod: { egressProxy: true } }), settings, 'PAYLOAD.SIGNATURE');
    const env = fields(statefulSet?.object)['spec'].template.spec.containers[0].env;
    expect(env).toContainEqual({ name: 'HTTPS_PROXY', value: 'http://grant:PAYLOAD.SIGNATURE@10.96.0.20:3128' });
    expect(env).toContainEqual({ name: 'NODE_USE_ENV_PROXY', value: '1' });
  });

  describe('of a company', () => {
    const companyProxy = {
      url: 'http://proxy.example.net:3128',
      direct: ['.corp', '10.0.0.0/8'],
      cidrs: ['10.9.0.0/16'],
    };
    const behind = { ...settings, network: { ...settings.network, companyProxy } };
    const partsOf = (spec: object, grant?: string): { env: readonly { readonly name: string }[]; rules: string } => {
      const desired = desiredAgent(observedAgent(spec), behind, grant);
      const policy = desired.foundation.find(({ object }) => object.kind === 'NetworkPolicy');
      return {
        env: fields(desired.statefulSet?.object)['spec'].template.spec.containers[0].env,
        rules: JSON.stringify(fields(policy?.object)['spec'].egress),
      };
    };
    const opened = '{"ports":[{"protocol":"TCP","port":3128}],"to":[{"ipBlock":{"cidr":"10.9.0.0/16"}}]}';

    it('is in the environment, without the cluster’s own names, and reachable', () => {
      const { env, rules } = partsOf({});
      expect(env).toContainEqual({ name: 'HTTPS_PROXY', value: 'http://proxy.example.net:3128' });
      const direct = 'localhost,127.0.0.1,$(KUBERNETES_SERVICE_HOST),.svc,.corp,10.0.0.0/8';
      expect(env).toContainEqual({ name: 'NO_PROXY', value: direct });
      expect(env.map(({ name }) => name)).not.toContain('HTTP_PROXY');
      expect(rules).toContain(opened);
    });

    it('is not the way of an agent behind the egress proxy', () => {
      const { env, rules } = partsOf({ pod: { egressProxy: true } }, 'PAYLOAD.SIGNATURE');
      expect(env).toContainEqual({ name: 'HTTPS_PROXY', value: 'http://grant:PAYLOAD.SIGNATURE@10.96.0.20:3128' });
      expect(rules).not.toContain(opened);
    });
  });

  it.each([
    ['there is none', {}, { ...settings, network: { ...settings.network, egressProxy: undefined } }, /no egress proxy/],
    ['any host is wanted', { tools: { fetch: { enabled: true, allowAnyPublicHost: true } } }, settings, /named hosts/],
  ])('is refused where %s', (_, spec, installed, message) => {
    const desired = desiredAgent(observedAgent({ ...spec, pod: { egressProxy: true } }), installed, 'grant');
    expect(desired.egressFault).toMatch(message);
    expect(desired.statefulSet).toBeUndefined();
  });
});

const COMPANY = { name: 'company', key: 'ca.crt' };
const EMAIL = {
  address: 'ada@example.org',
  imap: { host: 'imap.example.org' },
  smtp: { host: 'smtp.example.org' },
  credentialsSecretRef: { name: 'mail' },
};

describe('the mounts', () => {
  verifies(
    'operator-agent:auditor-mounts',
    'give the auditor the record and the character read-only, its own volume and nothing else',
    () => {
      const [agent, auditor] = pod({ models: { provider: 'Anthropic', apiKeySecretRef: { name: 'k', key: 'k' } } })[
        'spec'
      ].containers;
      expect(auditor.volumeMounts).toEqual([
        { name: 'data', mountPath: '/data', readOnly: true },
        { name: 'audit', mountPath: '/audit' },
        { name: 'boot', mountPath: '/etc/retainer/boot/character.json', subPath: 'character.json', readOnly: true },
      ]);
      expect(agent.volumeMounts).toContainEqual({ name: 'boot', mountPath: '/etc/retainer/boot', readOnly: true });
      expect(auditor.args.join(' ')).toContain('--character /etc/retainer/boot/character.json');
    },
  );

  it('have the authorities of the model read-only for the agent alone, and do not wait for them', () => {
    const models = { provider: 'Anthropic', caBundleRef: { name: 'company', key: 'ca.crt' } };
    const { volumes, containers } = pod({ models })['spec'];
    const configMap = {
      name: 'company',
      optional: true,
      defaultMode: 0o440,
      items: [{ key: 'ca.crt', path: 'ca.crt' }],
    };
    expect(volumes).toContainEqual({ name: 'authorities', configMap });
    const mount = { name: 'authorities', mountPath: '/etc/retainer/config', readOnly: true };
    const mounted = containers.map(({ volumeMounts }: { volumeMounts: readonly object[] }) =>
      volumeMounts.filter((one) => 'name' in one && one.name === 'authorities'),
    );
    expect(mounted).toEqual([[mount], []]);
  });

  it.each([
    ['the remote', 'git', { memory: { gitRemote: { url: 'https://git.example/ada.git', caBundleRef: COMPANY } } }],
    ['mail servers', 'mail', { channels: { email: { ...EMAIL, caConfigMapRef: COMPANY } } }],
  ])('have the authorities of %s read-only for the agent alone, and do not wait for them', (_, name, spec) => {
    const { volumes, containers } = pod(spec)['spec'];
    const volume = `${name}-authorities`;
    const configMap = {
      name: 'company',
      optional: true,
      defaultMode: 0o440,
      items: [{ key: 'ca.crt', path: 'ca.crt' }],
    };
    expect(volumes).toContainEqual({ name: volume, configMap });
    const mount = { name: volume, mountPath: `/etc/retainer/${volume}`, readOnly: true };
    const mounted = containers.map(({ volumeMounts }: { volumeMounts: readonly object[] }) =>
      volumeMounts.filter((one) => 'name' in one && one.name === volume),
    );
    expect(mounted).toEqual([[mount], []]);
  });

  it('have name and password of the mail servers for the agent alone', () => {
    const { volumes, containers } = pod({ channels: { email: EMAIL } })['spec'];
    const items = ['password', 'username'].map((key) => ({ key, path: key }));
    expect(volumes).toContainEqual({
      name: 'secret-0',
      secret: { secretName: 'mail', optional: true, defaultMode: 0o440, items },
    });
    expect(JSON.stringify(containers[0].volumeMounts)).toContain('/etc/retainer/secrets/mail');
    expect(JSON.stringify(containers[1])).not.toContain('/etc/retainer/secrets');
  });

  it('have each secret with the keys that are read, and wait for none', () => {
    const spec = {
      models: { provider: 'Anthropic', apiKeySecretRef: { name: 'shared', key: 'model' } },
      channels: { chat: { tokenSecretRef: { name: 'shared', key: 'chat' } } },
      memory: {
        embedding: {
          provider: 'Http',
          baseURL: 'https://vectors.example/v1',
          model: 'm',
          apiKeySecretRef: { name: 'shared', key: 'vectors' },
        },
      },
    };
    const secrets = pod(spec)['spec'].volumes.filter((volume: object) => 'secret' in volume);
    expect(secrets).toEqual([
      {
        name: 'secret-0',
        secret: {
          secretName: 'shared',
          optional: true,
          defaultMode: 0o440,
          items: [
            { key: 'chat', path: 'chat' },
            { key: 'model', path: 'model' },
            { key: 'vectors', path: 'vectors' },
          ],
        },
      },
    ]);
  });
});

describe('the bus', () => {
  const urlSecretRef = { name: 'redis', key: 'url' };

  it('of the process needs no secret', () => {
    expect(JSON.stringify(pod())).not.toContain('/etc/retainer/bus');
  });

  verifies('operator-agent:redis-by-file', 'on a Redis: both programs read its URL from a file, and only its', () => {
    const spec = {
      bus: { redis: { urlSecretRef } },
      models: { provider: 'Anthropic', apiKeySecretRef: { name: 'redis', key: 'model' } },
    };
    const { containers, volumes } = pod(spec)['spec'];
    const items = [{ key: 'url', path: 'url' }];
    const secret = { secretName: 'redis', optional: true, defaultMode: 0o440, items };
    expect(volumes.filter(({ name }: { name: string }) => name === 'bus')).toEqual([{ name: 'bus', secret }]);
    const mount = { name: 'bus', mountPath: '/etc/retainer/bus/redis', readOnly: true };
    for (const container of containers) expect(container.volumeMounts).toContainEqual(mount);
    const [agent, auditor] = containers;
    expect(auditor.volumeMounts.map(({ name }: { name: string }) => name)).toEqual(['data', 'audit', 'boot', 'bus']);
    expect(auditor.env).toContainEqual({ name: 'RETAINER_REDIS_URL_FILE', value: '/etc/retainer/bus/redis/url' });
    expect(JSON.stringify([agent.env, auditor.env])).not.toMatch(/secretKeyRef|RETAINER_REDIS_URL"/);
    expect(lintManifests(children(observedAgent(spec)), { isComplete: true })).toEqual([]);
  });
});

describe('the claims', () => {
  const claim = (requested: string) => ({
    live: { metadata: { name: 'data-retainer-meteorologist-0', namespace: 'weather' } },
    requested,
    capacity: requested,
    phase: 'Bound',
  });

  it.each([
    ['smaller', '1Gi', '2Gi', ['2Gi']],
    ['equal', '2Gi', '2Gi', []],
    ['equal in other words', '2048Mi', '2Gi', []],
    ['greater', '5Gi', '2Gi', []],
  ])('raise a %s one only', (_, live, wanted, raised) => {
    const observed = observedAgent(
      { memory: { storage: wanted } },
      { claims: { data: claim(live), audit: undefined } },
    );
    const claims = desiredAgent(observed, settings, undefined).claims;
    expect(claims.map(({ object }) => fields(object)['spec'].resources.requests.storage)).toEqual(raised);
    expect(claims.every(({ isKept }) => isKept)).toBe(true);
  });

  it('keep the templates that a StatefulSet has', () => {
    const live = observeStatefulSet(JSON.parse(JSON.stringify(child('StatefulSet', { memory: { storage: '1Gi' } }))));
    const templates = child('StatefulSet', { memory: { storage: '9Gi' } }, { statefulSet: live })['spec']
      .volumeClaimTemplates;
    expect(templates[0].spec.resources.requests.storage).toBe('1Gi');
  });
});
