/**
 * Row 21: the whole life cycle, and what else the operator does, under exactly the rights that an installation ships. Nothing may
 * be refused, nothing may stay unused; what the operator holds only to hand it on to agents counts as used.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '@retainer/kube/kube-object';
import { resources } from '@retainer/kube/resources';
import { roleAuthorizer } from '../support/fake-api-server/access.ts';
import type { AccessQuestion, Grant, PolicyRule, RoleAuthorizer } from '../support/fake-api-server/access.ts';
import { LIFE_CYCLE } from '../support/operator-world/life-cycle.ts';
import { OperatorWorld, SECRETS } from '../support/operator-world/operator-world.ts';
import { agent, NAMESPACE, OPERATOR_NAMESPACE, sandboxRun, task } from '../support/operator-world/world-objects.ts';
import { verifies } from '../verifies.ts';

const INSTALLATION = fileURLToPath(new URL('../../manifests/base/retainer.yaml', import.meta.url));
const OPERATOR = `system:serviceaccount:${OPERATOR_NAMESPACE}:retainer-operator`;
const STEP_MS_MAX = 120_000;
const MINUTE_MS = 60_000;
/** Finished runs are kept for an hour. */
const HISTORY_MS = 70 * MINUTE_MS;

interface Binding extends KubeObject {
  readonly roleRef: { readonly kind: string; readonly name: string };
  readonly subjects: readonly { readonly kind: string; readonly name: string; readonly namespace?: string }[];
}

/** What the bindings of a set of manifests give to service accounts. */
function grantsOf(objects: readonly KubeObject[]): readonly Grant[] {
  const bindings = objects.filter(({ kind }) => kind === 'RoleBinding' || kind === 'ClusterRoleBinding') as Binding[];
  return bindings.flatMap(({ kind, metadata, roleRef, subjects }) => {
    const namespace = kind === 'RoleBinding' ? metadata.namespace : undefined;
    const role = objects.find(
      (object) =>
        object.kind === roleRef.kind &&
        object.metadata.name === roleRef.name &&
        (roleRef.kind === 'ClusterRole' || object.metadata.namespace === namespace),
    );
    const rules = (role?.['rules'] ?? []) as readonly PolicyRule[];
    return subjects.flatMap((subject) =>
      rules.map((rule) => ({
        user: `system:serviceaccount:${subject.namespace ?? ''}:${subject.name}`,
        namespace,
        rule,
      })),
    );
  });
}

/** Of objects that lie in no namespace. */
function isOfCluster({ rule }: Grant): boolean {
  return rule.resources.includes('namespaces');
}

/** The API server lets nobody grant what he does not have: each right of a Role that the operator made is asked for. */
function askForGranted({ server }: OperatorWorld, { authorize }: RoleAuthorizer): void {
  for (const { metadata, rules } of server.list(resources.roles))
    for (const question of ((rules ?? []) as readonly PolicyRule[]).flatMap(questionsOf))
      authorize({ ...question, user: OPERATOR, namespace: metadata.namespace ?? '', name: '' });
}

function questionsOf(rule: PolicyRule): readonly Omit<AccessQuestion, 'user' | 'namespace' | 'name'>[] {
  return rule.apiGroups.flatMap((group) =>
    rule.resources.flatMap((text) => {
      const [resource = '', subresource] = text.split('/');
      return rule.verbs.map((verb) => ({ group, resource, subresource, verb }));
    }),
  );
}

/** What the life cycle does not come to: schedules, a volume that grows, code that still runs when nobody wants it any more. */
async function doTheRest(world: OperatorWorld): Promise<void> {
  const [first] = LIFE_CYCLE;
  if (first === undefined) return;
  first.act(world);
  await world.until(() => first.isDone(world), STEP_MS_MAX);
  world.put(resources.tasks, task('scheduled', { schedule: { cron: '* * * * *' } }));
  world.put(resources.tasks, task('short', { ttlSecondsAfterFinished: 60 }));
  world.put(resources.agents, agent({ memory: { storage: '20Gi' }, sandbox: { pool: { size: 1, maxConcurrent: 2 } } }));
  await world.pass(4 * MINUTE_MS);
  world.remove(resources.tasks, { namespace: NAMESPACE, name: 'scheduled' });
  world.put(resources.sandboxRuns, sandboxRun('long-1'));
  await world.pass(MINUTE_MS);
  world.remove(resources.sandboxRuns, { namespace: NAMESPACE, name: 'long-1' });
  world.put(resources.sandboxRuns, sandboxRun('run-3'));
  await world.pass(HISTORY_MS, MINUTE_MS);
}

describe('an operator with the rights that are shipped', () => {
  verifies('operator:least-privilege', 'is refused nothing and leaves nothing unused', async () => {
    const objects = parseAllDocuments(readFileSync(INSTALLATION, 'utf8')).map(
      (document) => document.toJS() as KubeObject,
    );
    // With its agents in one namespace each right is needed for itself, and none because another one covers it.
    const grants = grantsOf(objects)
      .filter(({ user }) => user === OPERATOR)
      .map((grant) => ({ ...grant, namespace: grant.namespace ?? (isOfCluster(grant) ? undefined : NAMESPACE) }));
    const access = roleAuthorizer(() => grants);
    const authorize: RoleAuthorizer['authorize'] = (question) =>
      access.authorize(question.user.startsWith('operator-') ? { ...question, user: OPERATOR } : question);
    const world = new OperatorWorld({ authorize, settings: { watchNamespaces: [NAMESPACE] } });
    world.remove(SECRETS, { namespace: OPERATOR_NAMESPACE, name: 'retainer-signing-key' });
    world.put(resources.deployments, {
      metadata: { name: 'retainer-operator', namespace: OPERATOR_NAMESPACE },
      spec: {},
    });
    await world.open();
    world.startOperator();
    await world.untilLeading();
    for (const { act, isDone } of LIFE_CYCLE) {
      act(world);
      await world.until(() => isDone(world), STEP_MS_MAX);
      askForGranted(world, access);
    }
    await doTheRest(world);
    await world.close();
    const refused = access.refused.map(({ verb, resource, subresource, namespace }) =>
      [verb, resource, subresource ?? '', namespace].join(' '),
    );
    expect([...new Set(refused)]).toEqual([]);
    const unused = access.unused().map(({ grant, verb, resource }) => `${grant.namespace}: ${verb} ${resource}`);
    expect(unused).toEqual([]);
    expect(JSON.stringify(grants)).not.toContain('"*"');
  });
});
