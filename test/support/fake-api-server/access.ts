/** Who may do what: an authorizer made of the rules of Roles. Source: Kubernetes documentation, RBAC. */

/** What the API server asks its authorizer. */
export interface AccessQuestion {
  readonly user: string;
  /** Of RBAC: `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`. */
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string | undefined;
  /** Empty: all namespaces, or an object of the cluster. */
  readonly namespace: string;
  readonly name: string;
}

export type Authorizer = (question: AccessQuestion) => boolean;

/** As in `rules` of a Role or ClusterRole. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
}

export interface Grant {
  readonly user: string;
  /** Undefined: in all namespaces. */
  readonly namespace: string | undefined;
  readonly rule: PolicyRule;
}

/** One verb on one resource, the smallest thing a rule gives. */
export interface UsedGrant {
  readonly grant: Grant;
  readonly verb: string;
  readonly resource: string;
}

export interface RoleAuthorizer {
  readonly authorize: Authorizer;
  /** What was asked for and refused, in order. */
  readonly refused: readonly AccessQuestion[];
  /** Every verb on every resource that a grant gives and nobody used. */
  unused(): readonly UsedGrant[];
}

/** @param grants  asked again for every question, so that Roles may come later than their users */
export function roleAuthorizer(grants: () => readonly Grant[]): RoleAuthorizer {
  const used = new Set<string>();
  const refused: AccessQuestion[] = [];
  return {
    refused,
    authorize: (question) => {
      const given = grants().filter((grant) => isGiven(grant, question));
      for (const grant of given) used.add(useText({ grant, verb: question.verb, resource: resourceText(question) }));
      if (given.length === 0) refused.push(question);
      return given.length > 0;
    },
    unused: () =>
      grants()
        .flatMap((grant) =>
          grant.rule.resources.flatMap((resource) => grant.rule.verbs.map((verb) => ({ grant, verb, resource }))),
        )
        .filter((use) => !used.has(useText(use))),
  };
}

function resourceText({ resource, subresource }: AccessQuestion): string {
  return subresource === undefined ? resource : `${resource}/${subresource}`;
}

function isGiven({ user, namespace, rule }: Grant, question: AccessQuestion): boolean {
  const has = (list: readonly string[], word: string): boolean => list.includes(word) || list.includes('*');
  return (
    user === question.user &&
    (namespace === undefined || (namespace !== '' && namespace === question.namespace)) &&
    has(rule.verbs, question.verb) &&
    has(rule.apiGroups, question.group) &&
    has(rule.resources, resourceText(question)) &&
    (rule.resourceNames === undefined || rule.resourceNames.includes(question.name))
  );
}

function useText({ grant, verb, resource }: UsedGrant): string {
  return JSON.stringify([grant, verb, resource]);
}
