/** Reads everything that the doctor judges. Reads only. A forbidden read is a fact, so it does not stop the others. */
import { GROUP, LABELS } from '@retainer/contract/api/names';
import type { Clock } from '@retainer/contract/std/clock';
import { ApiError, ConnectionError } from '@retainer/kube/api-error';
import { METADATA_ONLY, type KubeClient } from '@retainer/kube/kube-client';
import type { KubeObject } from '@retainer/kube/kube-object';
import { pathOf, type Resource } from '@retainer/kube/resource';
import { resources } from '@retainer/kube/resources';
import type { AgentFacts, Facts, SandboxFacts, Scope, Seen, SeenObject, SeenObjects } from './facts.ts';
import { textAt } from './fields.ts';
import { installationOf, NAMES } from './installation.ts';
import { isOverdue } from './leader-lease.ts';

/** Objects of one kind in one place that are read: the number of Tasks in the operator's benchmark. */
const OBJECTS_MAX = 5_000;
const PAGE_OBJECTS = 500;
/** Time until the second look at an overdue Lease: a leader renews every other second. */
const SECOND_LOOK_MS = 6_000;

const ofCluster = (group: string, plural: string, kind: string): Resource => ({
  group,
  version: 'v1',
  plural,
  kind,
  isNamespaced: false,
});
const kinds = {
  ...resources,
  secrets: { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', isNamespaced: true },
  definitions: ofCluster('apiextensions.k8s.io', 'customresourcedefinitions', 'CustomResourceDefinition'),
  policies: ofCluster('admissionregistration.k8s.io', 'validatingadmissionpolicies', 'ValidatingAdmissionPolicy'),
  bindings: ofCluster(
    'admissionregistration.k8s.io',
    'validatingadmissionpolicybindings',
    'ValidatingAdmissionPolicyBinding',
  ),
  storageClasses: ofCluster('storage.k8s.io', 'storageclasses', 'StorageClass'),
} as const satisfies Readonly<Record<string, Resource>>;

export interface ObserveOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly scope: Scope;
  readonly version: string;
  readonly address: string;
  /** `Installation`: without agents, for callers that look again and again. */
  readonly depth: 'Installation' | 'Everything';
}

/** Never rejects because of the API server's answer or silence. */
export async function observeCluster(options: ObserveOptions): Promise<Facts> {
  const { client, clock, scope, version, address, depth } = options;
  const look = new Look(client);
  const namespace = scope.systemNamespace;
  const one = (resource: Resource, name: string): Promise<SeenObject> => look.one(resource, namespace, name);
  const all = (resource: Resource): Promise<SeenObjects> => look.all(resource, {});
  const server = await look.version();
  if (server.type === 'Unreadable') return unreachable({ nowMs: clock.nowMs(), scope, version, address }, server);
  const operator = await one(kinds.deployments, NAMES.operator);
  const { sandboxNamespaces, watchNamespaces, leaseSeconds } = installationOf(valueOf(operator));
  const first = await one(kinds.leases, NAMES.leaderLease);
  const second = async (): Promise<SeenObject | undefined> => {
    if (!isOverdue(valueOf(first), leaseSeconds, clock.nowMs())) return undefined;
    await clock.sleep(SECOND_LOOK_MS);
    return one(kinds.leases, NAMES.leaderLease);
  };
  const [later, definitions, egressProxy, systemPods, signingKey, publicKey, rollout, namespaces, policies, bindings] =
    await Promise.all([
      second(),
      all(kinds.definitions),
      one(kinds.deployments, NAMES.egressProxy),
      look.all(kinds.pods, { namespace, labelSelector: `${LABELS.partOf}=retainer` }),
      look.metadata(kinds.secrets, namespace, NAMES.signingKey),
      one(kinds.configMaps, NAMES.publicKey),
      one(kinds.configMaps, NAMES.rollout),
      all(kinds.namespaces),
      all(kinds.policies),
      all(kinds.bindings),
    ]);
  const places = scope.namespace === undefined ? watchNamespaces : [scope.namespace];
  const [storageClasses, sandboxes, ofAgents] = await Promise.all([
    all(kinds.storageClasses),
    Promise.all(sandboxNamespaces.map((name) => observeSandboxes(look, name, scope))),
    depth === 'Installation' ? NO_AGENTS : observeAgents(look, places, scope),
  ]);
  const isNarrow = watchNamespaces.length > 0;
  const [everyAgent, operators] =
    depth === 'Installation'
      ? [NOTHING, NOTHING]
      : await Promise.all([
          isNarrow ? look.all(kinds.agents, { namespace: scope.namespace }) : NOTHING,
          look.all(kinds.deployments, { labelSelector: OPERATORS }),
        ]);
  const ofGroup = (object: KubeObject): boolean => textAt(object, 'spec.group') === GROUP;
  return {
    nowMs: clock.nowMs(),
    scope,
    version,
    address,
    server,
    definitions: mapped(definitions, (found) => found.filter(ofGroup)),
    operator,
    egressProxy,
    systemPods,
    leader: { first, second: later },
    signingKey,
    publicKey,
    rollout,
    namespaces,
    policies,
    bindings,
    storageClasses,
    sandboxes,
    ofAgents,
    everyAgent,
    operators,
  };
}

/** A server that does not answer gets no further requests: each would wait for its deadline. */
function unreachable(
  known: Pick<Facts, 'nowMs' | 'scope' | 'version' | 'address'>,
  fact: Extract<Seen<never>, { readonly type: 'Unreadable' }>,
): Facts {
  return {
    ...known,
    server: fact,
    definitions: fact,
    operator: fact,
    egressProxy: fact,
    systemPods: fact,
    leader: { first: fact, second: undefined },
    signingKey: fact,
    publicKey: fact,
    rollout: fact,
    namespaces: fact,
    policies: fact,
    bindings: fact,
    storageClasses: fact,
    sandboxes: [],
    ofAgents: sameOfAgents(fact),
    everyAgent: fact,
    operators: fact,
  };
}

function sameOfAgents(fact: SeenObjects): AgentFacts {
  return { agents: fact, tasks: fact, skills: fact, characters: fact, pods: fact, claims: fact, leases: fact };
}

const NOTHING: SeenObjects = { type: 'Seen', value: [] };
const NO_AGENTS = sameOfAgents(NOTHING);
const OPERATORS = `${LABELS.partOf}=retainer,${LABELS.name}=operator`;

async function observeSandboxes(look: Look, namespace: string, scope: Scope): Promise<SandboxFacts> {
  // The canary's proof belongs to no Agent and concerns all.
  const isWanted = ({ metadata: { labels = {} } }: KubeObject): boolean =>
    labels[LABELS.canary] === 'true' ||
    ((scope.agent === undefined || labels[LABELS.agent] === scope.agent) &&
      (scope.namespace === undefined || labels[LABELS.agentNamespace] === scope.namespace));
  const labelSelector = `${LABELS.partOf}=retainer`;
  const [denyAll, jobs, pods] = await Promise.all([
    look.one(kinds.networkPolicies, namespace, NAMES.denyAll),
    look.all(kinds.jobs, { namespace, labelSelector }),
    look.all(kinds.pods, { namespace, labelSelector }),
  ]);
  const wanted = (found: readonly KubeObject[]): readonly KubeObject[] => found.filter(isWanted);
  return { namespace, denyAll, jobs: mapped(jobs, wanted), pods: mapped(pods, wanted) };
}

/** @param places  namespaces to read; empty: all of the cluster */
async function observeAgents(look: Look, places: readonly string[], { agent }: Scope): Promise<AgentFacts> {
  const everywhere = async (resource: Resource, labelSelector?: string): Promise<SeenObjects> => {
    const given = places.length === 0 ? [undefined] : places;
    return joined(await Promise.all(given.map((namespace) => look.all(resource, { namespace, labelSelector }))));
  };
  const children = `${LABELS.partOf}=retainer,${LABELS.name}=agent${agent === undefined ? '' : `,${LABELS.agent}=${agent}`}`;
  const [agents, tasks, skills, characters, pods, claims, leases] = await Promise.all([
    everywhere(kinds.agents),
    everywhere(kinds.tasks),
    everywhere(kinds.skills),
    everywhere(kinds.characterSpecs),
    everywhere(kinds.pods, children),
    everywhere(kinds.claims, children),
    everywhere(kinds.leases, children),
  ]);
  if (agent === undefined) return { agents, tasks, skills, characters, pods, claims, leases };
  const isIt = ({ metadata }: KubeObject): boolean => metadata.name === agent;
  const ofIt = (object: KubeObject): boolean => textAt(object, 'spec.agentRef.name') === agent;
  return {
    agents: mapped(agents, (found) => found.filter(isIt)),
    tasks: mapped(tasks, (found) => found.filter(ofIt)),
    skills,
    characters,
    pods,
    claims,
    leases,
  };
}

interface ListScope {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
}

/** Reads through one client and turns each result into a fact. */
class Look {
  readonly #client: KubeClient;

  constructor(client: KubeClient) {
    this.#client = client;
  }

  version(): Promise<Seen<string>> {
    return seen({ verb: 'get', what: '/version' }, async () =>
      textAt(await this.#client.raw('GET', '/version'), 'gitVersion'),
    );
  }

  one(resource: Resource, namespace: string, name: string): Promise<SeenObject> {
    return seen(rightOf('get', resource, { namespace, name }), () => this.#client.get(resource, { namespace, name }));
  }

  /** As {@link one}; only metadata leaves the server. */
  metadata(resource: Resource, namespace: string, name: string): Promise<SeenObject> {
    const path = pathOf(resource, { namespace, name });
    return seen(rightOf('get', resource, { namespace, name }), async () => {
      try {
        const { metadata } = (await this.#client.raw('GET', path, undefined, { accept: METADATA_ONLY })) as KubeObject;
        return { metadata };
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return undefined;
        throw error;
      }
    });
  }

  all(resource: Resource, place: ListScope): Promise<SeenObjects> {
    return seen(rightOf('list', resource, place), async () => {
      const found: KubeObject[] = [];
      let next: string | undefined;
      do {
        // oxlint-disable-next-line no-await-in-loop -- the next page is named by the one before
        const page = await this.#client.list(resource, { ...place, limit: PAGE_OBJECTS, continue: next });
        found.push(...page.items);
        next = page.continue;
      } while (next !== undefined && found.length < OBJECTS_MAX);
      return found;
    });
  }
}

interface Right {
  readonly verb: string;
  /** As for `kubectl auth can-i`, with its place. */
  readonly what: string;
  readonly kind?: string;
}

function rightOf(verb: string, resource: Resource, place: ListScope & { readonly name?: string }): Right {
  const { group, plural, kind, isNamespaced } = resource;
  const object = `${plural}${group === '' ? '' : `.${group}`}${place.name === undefined ? '' : `/${place.name}`}`;
  const where = !isNamespaced ? '' : place.namespace === undefined ? ' --all-namespaces' : ` -n ${place.namespace}`;
  return { verb, what: `${object}${where}`, kind };
}

async function seen<T>({ verb, what, kind = what }: Right, read: () => Promise<T>): Promise<Seen<T>> {
  try {
    return { type: 'Seen', value: await read() };
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return { type: 'NotAllowed', right: `${verb} ${what}` };
    if (error instanceof ApiError && error.status === 404) return { type: 'NoSuchKind', kind };
    if (error instanceof ApiError || error instanceof ConnectionError)
      return { type: 'Unreadable', message: error.message };
    throw error;
  }
}

function valueOf(fact: SeenObject): KubeObject | undefined {
  return fact.type === 'Seen' ? fact.value : undefined;
}

function mapped<T, U>(fact: Seen<T>, change: (value: T) => U): Seen<U> {
  return fact.type === 'Seen' ? { type: 'Seen', value: change(fact.value) } : fact;
}

/** The objects of several places, or the failure of the first unreadable one. */
function joined(facts: readonly SeenObjects[]): SeenObjects {
  const unseen = facts.find(({ type }) => type !== 'Seen');
  if (unseen !== undefined) return unseen;
  return { type: 'Seen', value: facts.flatMap((fact) => (fact.type === 'Seen' ? fact.value : [])) };
}
