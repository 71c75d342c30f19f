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
import { GROUP, KINDS, type KindName } from '@retainer/contract/api/names';
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
/** Of all; the gate tries every fortieth. */
const GENERATED_MIN = 500;
const EVERY = bySize({ check: 40, nightly: 1 });

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

interface Stored {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly generation?: number; readonly resourceVersion: string };
}

async function storedVersions(): Promise<readonly string[]> {
  const kinds = [...KINDS.map((kind) => KIND_DEFINITIONS[kind].plural), 'configmaps'].join(',');
  const { items } = JSON.parse(await api.kubectl('get', kinds, '-n', NAMESPACE, '-o', 'json')) as {
    readonly items: readonly Stored[];
  };
  return items.map(({ kind, metadata: it }) => `${kind} ${it.name} ${it.generation ?? 0} ${it.resourceVersion}`);
}

/** The lines of kubectl that are not about something unchanged. */
async function changedBy(...apply: readonly string[]): Promise<readonly string[]> {
  const printed = await api.kubectl('apply', '-n', NAMESPACE, ...apply);
  return printed
    .trim()
    .split('\n')
    .filter((line) => !line.endsWith(' unchanged'));
}

async function expectNoChange(files: readonly string[]): Promise<void> {
  const named = files.flatMap((file) => ['-f', file]);
  await api.kubectl('apply', '-n', NAMESPACE, ...named);
  const before = await storedVersions();
  expect(await changedBy(...named)).toStrictEqual([]);
  expect(await storedVersions()).toStrictEqual(before);
}

describe('applied twice', () => {
  verifies('api:applied-twice-unchanged', 'no example is changed', () => expectNoChange(MANIFESTS));

  verifies(
    'api:applied-twice-unchanged',
    'no object is, whichever field of its spec it sets, in lists too',
    async () => {
      const all = KINDS.flatMap((kind) => objectsOf(kind));
      expect(LISTS.length).toBeGreaterThan(0);
      for (const list of LISTS) expect(JSON.stringify(all)).toContain(`"${list}":[{`);
      const items = all.filter((object, at) => at % EVERY === 0 && isTaken(object));
      expect(items.length).toBeGreaterThanOrEqual(GENERATED_MIN / EVERY);
      writeFileSync(generated, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
      await expectNoChange([generated]);
    },
    limitMs(120_000, 8),
  );

  verifies('api:applied-twice-unchanged', 'nor by whoever applies on the side of the server', async () => {
    const files = [...MANIFESTS.flatMap((it) => ['-f', it]), ...['-f', generated]];
    const apply = ['apply', '-n', NAMESPACE, '--server-side', '--field-manager=git', '--force-conflicts', ...files];
    await api.kubectl(...apply);
    const before = await storedVersions();
    await api.kubectl(...apply);
    expect(await storedVersions()).toStrictEqual(before);
  });
});
