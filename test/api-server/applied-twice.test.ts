/**
 * What a Git controller does all day: the same manifests applied again. Nothing is written, whoever compares.
 *
 * Starts `test/cluster/cluster up --control-plane` (Linux, root, Go), or uses the cluster that KUBECONFIG names.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { structuralSchema, type StructuralSchema } from '@retainer/contract/api/crd';
import { KIND_DEFINITIONS } from '@retainer/contract/api/kinds';
import { API_VERSION, GROUP, KINDS, type KindName } from '@retainer/contract/api/names';
import { parseManifests } from '@retainer/contract/manifest/parse-manifests';
import { changedSpec, leavesOf, MANNERS } from '../support/operator-world/spec-changes.ts';
import type { Json } from '../support/fake-api-server/json.ts';
import { bySize, limitMs } from '../support/test-size.ts';
import { verifies } from '../verifies.ts';
import { startApiServer, type ApiServer } from './api-server.ts';
import { sample } from './cel-case.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MANIFESTS = ['manifests/examples', 'manifests/characters'].map((it) => path.join(ROOT, it));
const NAMESPACE = 'retainer-applied-twice';
/** Of all, those that the parser takes. */
const GENERATED_MIN = 800;
/** Of each kind from its first object on. */
const EVERY = bySize({ check: 160, nightly: 1 });

const scratch = mkdtempSync(path.join(tmpdir(), 'retainer-applied-twice-'));
const generated = path.join(scratch, 'generated.json');
let api: ApiServer;
let crdsBefore: ReadonlySet<string>;
const crdNames = KINDS.map((kind) => `${KIND_DEFINITIONS[kind].plural}.${GROUP}`);

beforeAll(async () => {
  api = await startApiServer(process.env['KUBECONFIG']);
  crdsBefore = new Set((await api.kubectl('get', 'crd', '-o', 'name')).split('\n'));
  await api.kubectl('apply', '--server-side', '-f', path.join(ROOT, 'crds'));
  await api.kubectl('wait', '--for=condition=Established', '--timeout=30s', 'crd', ...crdNames);
  await api.kubectl('delete', 'namespace', NAMESPACE, '--ignore-not-found', '--timeout=60s');
  await api.kubectl('create', 'namespace', NAMESPACE);
});

afterAll(async () => {
  rmSync(scratch, { recursive: true });
  await api.kubectl('delete', 'namespace', NAMESPACE, '--wait=false');
  const ours = crdNames.filter((name) => !crdsBefore.has(`customresourcedefinition.apiextensions.k8s.io/${name}`));
  if (ours.length > 0) await api.kubectl('delete', 'crd', ...ours, '--wait=false');
  await api.stop();
});

/** Paths of the fields that a reader fills in where an item of a list lacks them: `spec.jobs[].onlyIfChanged`. */
function saidInLists(schema: StructuralSchema, at: string): readonly string[] {
  const children = [
    ...Object.entries(schema.properties ?? {}).map(([name, field]) => [`${at}.${name}`, field] as const),
    ...(schema.items === undefined ? [] : [[`${at}[]`, schema.items] as const]),
  ];
  const here = at.includes('[]') && schema.description?.includes('Absent means') === true ? [at] : [];
  return [...here, ...children.flatMap(([place, child]) => saidInLists(child, place))];
}

/** The lists in whose items something may be left out. */
const LISTS = KINDS.flatMap((kind) => saidInLists(structuralSchema(KIND_DEFINITIONS[kind]), kind)).map((it) =>
  it.replace(/\[\]\.[^[]*$/, '').replace(/^.*\./, ''),
);

/** Each leaf of a kind changed in each manner: a whole item of a list where the leaf is in one. */
function objectsOf(kind: KindName): readonly Json[] {
  const { spec } = sample(kind) as { readonly spec: Json };
  const specs = leavesOf(kind).flatMap((leaf) => MANNERS.map((manner) => changedSpec(spec, leaf, manner)));
  const different = [...new Map(specs.map((it) => [JSON.stringify(it), it])).values()];
  return different.map((it, at) => ({
    ...sample(kind, { metadata: { name: `generated-${at}`, namespace: NAMESPACE } }),
    spec: it,
  }));
}

const isTaken = (object: Json): boolean => parseManifests(JSON.stringify(object), generated).ok;

/** How the examples and the made objects are applied. */
const applying = ['apply', '-n', NAMESPACE, ...[...MANIFESTS, generated].flatMap((file) => ['-f', file])];
const collections = [
  ...KINDS.map((kind) => `/apis/${API_VERSION}/namespaces/${NAMESPACE}/${KIND_DEFINITIONS[kind].plural}`),
  `/api/v1/namespaces/${NAMESPACE}/configmaps`,
];

interface Stored {
  readonly metadata: { readonly name: string; readonly generation?: number; readonly resourceVersion: string };
}

async function storedVersions(): Promise<readonly string[]> {
  const answers = await Promise.all(collections.map((path) => api.call('GET', path)));
  const versions = answers.flatMap(({ body }, at) =>
    (body as { readonly items: readonly Stored[] }).items.map(
      ({ metadata: it }) => `${collections[at]} ${it.name} ${it.generation ?? 0} ${it.resourceVersion}`,
    ),
  );
  expect(versions).not.toEqual([]);
  return versions;
}

/** @returns what kubectl printed the second time */
async function expectNoChange(...manner: readonly string[]): Promise<string> {
  await api.kubectl(...applying, ...manner);
  const before = await storedVersions();
  const printed = await api.kubectl(...applying, ...manner);
  expect(await storedVersions()).toStrictEqual(before);
  return printed;
}

describe('applied twice', () => {
  verifies(
    'api:applied-twice-unchanged',
    'no example is changed, and no object, whichever field of its spec it sets, in lists too',
    async () => {
      const all = KINDS.map((kind) => objectsOf(kind));
      expect(LISTS.length).toBeGreaterThan(0);
      for (const list of LISTS) expect(JSON.stringify(all)).toContain(`"${list}":[{`);
      const sampled = all.flatMap((objects) => objects.filter((_, at) => at % EVERY === 0));
      const items = sampled.filter((object) => isTaken(object));
      expect(items.length).toBeGreaterThanOrEqual(GENERATED_MIN / EVERY);
      expect(new Set(items.map(({ kind }) => kind))).toEqual(new Set(KINDS));
      writeFileSync(generated, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
      const lines = (await expectNoChange()).trim().split('\n');
      expect(lines.filter((line) => !line.endsWith(' unchanged'))).toStrictEqual([]);
    },
    limitMs(120_000, 8),
  );

  verifies('api:applied-twice-unchanged', 'nor by whoever applies on the side of the server', async () => {
    await expectNoChange('--server-side', '--field-manager=git', '--force-conflicts');
  });
});
