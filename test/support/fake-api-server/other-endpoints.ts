/** Addresses that belong to no resource: health, version, discovery, reviews of access. */
import { apiVersionOf } from '@retainer/kube/resource';
import type { Authorizer } from './access.ts';
import type { ApiRequest } from './api-request.ts';
import { textAt, type Json } from './json.ts';
import { refusals } from './refusal.ts';
import type { ServedResource } from './served-resource.ts';
import type { Answer } from './writes.ts';

const HEALTH_PATHS: ReadonlySet<string> = new Set(['/healthz', '/livez', '/readyz']);
const REVIEWS = '/apis/authorization.k8s.io/v1/';

export interface OtherWorld {
  readonly table: readonly ServedResource[];
  readonly authorize: Authorizer;
}

export function answerOther(request: ApiRequest, { table, authorize }: OtherWorld): Answer {
  const { path, method } = request;
  if (HEALTH_PATHS.has(path)) return { status: 200, body: 'ok' };
  if (path === '/version')
    return { status: 200, body: { major: '1', minor: '34', gitVersion: 'v1.34.0', platform: 'linux/amd64' } };
  if (path === '/apis' && method === 'GET') return { status: 200, body: groupList(table) };
  if (method === 'POST' && path === `${REVIEWS}selfsubjectaccessreviews`)
    return { status: 201, body: accessReview(request, authorize) };
  if (method === 'POST' && path === '/apis/authentication.k8s.io/v1/selfsubjectreviews')
    return { status: 201, body: { ...(request.body as Json), status: { userInfo: { username: request.user } } } };
  const listed = table.filter(({ resource }) => path === groupPath(resource.group, resource.version));
  if (method === 'GET' && listed.length > 0) return { status: 200, body: resourceList(listed) };
  throw refusals.noPath();
}

function groupPath(group: string, version: string): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
}

function groupList(table: readonly ServedResource[]): Json {
  const groups = [...new Set(table.map(({ resource }) => apiVersionOf(resource)))]
    .filter((text) => text.includes('/'))
    .map((groupVersion) => {
      const [name = '', version = ''] = groupVersion.split('/');
      return { name, versions: [{ groupVersion, version }], preferredVersion: { groupVersion, version } };
    });
  return { kind: 'APIGroupList', apiVersion: 'v1', groups };
}

function resourceList(listed: readonly ServedResource[]): Json {
  const [first] = listed;
  const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: first === undefined ? '' : apiVersionOf(first.resource),
    resources: listed.flatMap(({ resource: { plural, kind, isNamespaced }, hasStatus }) => [
      { name: plural, singularName: kind.toLowerCase(), namespaced: isNamespaced, kind, verbs },
      ...(hasStatus
        ? [
            {
              name: `${plural}/status`,
              singularName: '',
              namespaced: isNamespaced,
              kind,
              verbs: ['get', 'patch', 'update'],
            },
          ]
        : []),
    ]),
  };
}

function accessReview(request: ApiRequest, authorize: Authorizer): Json {
  const text = (name: string): string => textAt(request.body, `spec.resourceAttributes.${name}`);
  const subresource = text('subresource');
  const allowed = authorize({
    user: request.user,
    verb: text('verb'),
    group: text('group'),
    resource: text('resource'),
    subresource: subresource === '' ? undefined : subresource,
    namespace: text('namespace'),
    name: text('name'),
  });
  return { ...(request.body as Json), status: { allowed } };
}
