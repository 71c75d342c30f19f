/** From an HTTP request to what it asks for. */
import type { ServedResource } from './served-resource.ts';

export type Verb =
  | 'get'
  | 'list'
  | 'watch'
  | 'create'
  | 'update'
  | 'patch'
  | 'apply'
  | 'delete'
  | 'deletecollection'
  /** An address that belongs to no resource. */
  | 'other';

/** Verbs that change something. */
export const WRITE_VERBS: ReadonlySet<Verb> = new Set([
  'create',
  'update',
  'patch',
  'apply',
  'delete',
  'deletecollection',
]);

export interface ApiRequest {
  /** Place among all requests of this server, from 1. */
  readonly index: number;
  readonly user: string;
  readonly verb: Verb;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Undefined for verb `other`, and for an address that is not served. */
  readonly served: ServedResource | undefined;
  /** Empty: all namespaces, or an object of the cluster. */
  readonly namespace: string;
  /** Empty for a collection. */
  readonly name: string;
  readonly subresource: string | undefined;
  readonly contentType: string;
  readonly userAgent: string;
  /** Parsed; undefined where there was none. */
  readonly body: unknown;
}

export interface RawRequest {
  readonly index: number;
  readonly user: string;
  readonly method: string;
  readonly url: string;
  readonly contentType: string;
  readonly userAgent: string;
  readonly body: unknown;
}

const RESOURCE_PATH =
  /^\/(?:api|apis\/(?<group>[^/]+))\/(?<version>[^/]+)(?:\/namespaces\/(?<namespace>[^/]+)(?=\/[^/]+))?\/(?<plural>[^/]+)(?:\/(?<name>[^/]+))?(?:\/(?<subresource>[^/]+))?$/;

export function parseRequest(raw: RawRequest, table: readonly ServedResource[]): ApiRequest {
  const { pathname, searchParams } = new URL(raw.url, 'http://api');
  const rest = { ...raw, path: pathname, query: searchParams };
  const parts = pathParts(pathname);
  const served = table.find(
    ({ resource }) =>
      resource.plural === parts?.plural && resource.group === parts.group && resource.version === parts.version,
  );
  if (parts === undefined || served === undefined)
    return { ...rest, served: undefined, namespace: '', name: '', subresource: undefined, verb: 'other' };
  const { namespace, name, subresource } = parts;
  return { ...rest, served, namespace, name, subresource, verb: verbOf(raw, searchParams, name !== '') };
}

interface PathParts {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string | undefined;
}

/** `/api/v1/namespaces/NAME/status` is the subresource of a namespace and not an object in it. */
const NAMESPACE_SUBRESOURCES: ReadonlySet<string | undefined> = new Set(['status', 'finalize']);

function pathParts(path: string): PathParts | undefined {
  const found = RESOURCE_PATH.exec(path)?.groups;
  if (found === undefined) return undefined;
  const text = (name: string): string => decodeURIComponent(found[name] ?? '');
  const base = { group: text('group'), version: text('version') };
  if (base.group === '' && found['namespace'] !== undefined && NAMESPACE_SUBRESOURCES.has(found['plural']))
    return { ...base, plural: 'namespaces', namespace: '', name: text('namespace'), subresource: found['plural'] };
  return {
    ...base,
    plural: text('plural'),
    namespace: text('namespace'),
    name: text('name'),
    subresource: found['subresource'],
  };
}

function verbOf({ method, contentType }: RawRequest, query: URLSearchParams, hasName: boolean): Verb {
  switch (method) {
    case 'GET':
      if (hasName) return 'get';
      return ['1', 'true'].includes(query.get('watch') ?? '') ? 'watch' : 'list';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return contentType.startsWith('application/apply-patch') ? 'apply' : 'patch';
    case 'DELETE':
      return hasName ? 'delete' : 'deletecollection';
    default:
      return 'other';
  }
}
