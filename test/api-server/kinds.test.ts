/**
 * The five kinds on a real API server: CRDs, examples, columns, published skills, and every CEL rule with an accepted and a
 * refused object.
 *
 * Starts `test/cluster/cluster up --control-plane` (Linux, root, Go), or uses the cluster that KUBECONFIG names.
 */
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CATEGORY, GROUP, KINDS, VERSION, type KindName } from '@retainer/contract/api/names';
import { KIND_DEFINITIONS, KIND_SCHEMAS } from '@retainer/contract/api/kinds';
import { parseManifests } from '@retainer/contract/manifest/parse-manifests';
import { publishedSkillFiles, skillTitle } from '../support/published-skills.ts';
import { retainer } from '../support/retainer-command.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';
import { startApiServer, type ApiAnswer, type ApiServer } from './api-server.ts';
import { merged, refusals, sample, type CelCase, type Patch } from './cel-case.ts';
import { celCases } from './cel-cases.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const EXAMPLES = ['character', 'skills', 'agent', 'tasks'].map((name) =>
  path.join(ROOT, 'manifests', 'examples', `${name}.yaml`),
);
const NAMESPACE = 'retainer-api-test';

let api: ApiServer;
let crdsBefore: ReadonlySet<string>;

const crdNames = KINDS.map((kind) => `${KIND_DEFINITIONS[kind].plural}.${GROUP}`);

beforeAll(async () => {
  const { KUBECONFIG } = process.env;
  if (KUBECONFIG !== undefined) process.stderr.write(`uses the cluster of KUBECONFIG=${KUBECONFIG}\n`);
  api = await startApiServer(KUBECONFIG);
  crdsBefore = new Set((await api.kubectl('get', 'crd', '-o', 'name')).split('\n'));
  await api.kubectl('apply', '--server-side', '-f', path.join(ROOT, 'crds'));
  await api.kubectl('wait', '--for=condition=Established', '--timeout=30s', 'crd', ...crdNames);
  await api.kubectl('delete', 'namespace', NAMESPACE, '--ignore-not-found', '--timeout=60s');
  await api.kubectl('create', 'namespace', NAMESPACE);
  for (const file of EXAMPLES) await api.kubectl('apply', '-n', NAMESPACE, '-f', file);
});

afterAll(async () => {
  await api.kubectl('delete', 'namespace', NAMESPACE, '--wait=false');
  const ours = crdNames.filter((name) => !crdsBefore.has(`customresourcedefinition.apiextensions.k8s.io/${name}`));
  if (ours.length > 0) await api.kubectl('delete', 'crd', ...ours, '--wait=false');
  await api.stop();
});

function collection(kind: KindName): string {
  return `/apis/${GROUP}/${VERSION}/namespaces/${NAMESPACE}/${KIND_DEFINITIONS[kind].plural}`;
}

function objectIn(kind: KindName, patch: Patch): Patch {
  return merged(sample(kind, patch), { metadata: { namespace: NAMESPACE } });
}

function text(answer: ApiAnswer): string {
  return JSON.stringify(answer.body);
}

describe('names', () => {
  verifies('api:names-are-served', 'serves short names and the category of every kind', async () => {
    const { body } = await api.call('GET', `/apis/${GROUP}/${VERSION}`);
    const { resources } = body as { readonly resources: readonly { readonly kind: string; readonly name: string }[] };
    for (const kind of KINDS) {
      const { plural, shortName } = KIND_DEFINITIONS[kind];
      expect(resources).toContainEqual(
        expect.objectContaining({ kind, name: plural, shortNames: [shortName], categories: [CATEGORY] }),
      );
      expect(resources).toContainEqual(expect.objectContaining({ kind, name: `${plural}/status` }));
    }
  });

  it('lists the examples by category', async () => {
    const names = await api.kubectl('get', CATEGORY, '-n', NAMESPACE, '-o', 'name');
    expect(names).toContain(`agent.${GROUP}/meteorologist`);
    expect(names).toContain(`task.${GROUP}/rewrite-record`);
  });

  it('selects Tasks by their Agent', async () => {
    const tasks = (agent: string) =>
      api.kubectl('get', 'rtask', '-n', NAMESPACE, '--field-selector', `spec.agentRef.name=${agent}`, '-o', 'name');
    expect((await tasks('meteorologist')).trim().split('\n')).toHaveLength(6);
    expect(await tasks('nobody')).toBe('');
  });
});

describe('columns', () => {
  it.each(['Agent', 'Task', 'Skill', 'CharacterSpec'] as const)('shows Ready, Reason and Age of %s', async (kind) => {
    const { shortName, columns } = KIND_DEFINITIONS[kind];
    const [header = ''] = (await api.kubectl('get', shortName, '-n', NAMESPACE, '-o', 'wide')).split('\n');
    expect(header.split(/ {2,}/).map((name) => name.trim())).toStrictEqual([
      'NAME',
      ...columns.map(({ name }) => name.toUpperCase()),
    ]);
  });
});

describe('explain', () => {
  it.each([
    ['agent.spec.models.provider', 'Messages API'],
    ['agent.spec.sandbox.pool.maxConcurrent', 'A change restarts the agent.'],
    ['task.spec.onNoAnswer', 'pause the wall clock'],
    ['skill.spec.configMapRef.digest', 'a text with another digest is not mounted'],
    ['characterspec.spec.authority.never', 'always refused'],
    ['sandboxrun.spec.runnerPublicKey', 'Ed25519'],
  ])('is the manual of %s', async (field, words) => {
    const explained = await api.kubectl('explain', field, `--api-version=${GROUP}/${VERSION}`);
    expect(explained.replaceAll(/\s+/g, ' ')).toContain(words);
  });
});

describe('agreement with the parser of manifests', () => {
  const objects = EXAMPLES.flatMap((file) => {
    const parsed = parseManifests(readFileSync(file, 'utf8'), file);
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
    return parsed.value.flatMap((it) => (it.kind === 'ConfigMap' ? [] : [it]));
  });

  verifies(
    'api:same-defaults-everywhere',
    'stores each example with the very defaults that the parser fills in',
    async () => {
      for (const { kind, object } of objects) {
        const stored = await api.call('GET', `${collection(kind)}/${object.metadata.name}`);
        const parsed = KIND_SCHEMAS[kind].parse(stored.body) as { readonly spec: unknown };
        expect(parsed.spec).toStrictEqual(object.spec);
      }
    },
  );

  it('refuses an unknown field where validation is strict', async () => {
    const answer = await api.call(
      'POST',
      `${collection('Task')}?dryRun=All&fieldValidation=Strict`,
      objectIn('Task', { spec: { intend: 'x' } }),
    );
    expect(answer.status).toBe(400);
    expect(text(answer)).toContain('unknown field \\"spec.intend\\"');
  });
});

describe('a published skill', () => {
  const root = temporaryDirectory();
  const stored = new Set<string>();
  afterAll(() => root.remove());

  for (const file of publishedSkillFiles)
    verifies('api:skill-as-published', `is stored as it is: ${skillTitle(file)}`, async () => {
      const { code, stdout, stderr } = await retainer('skill', 'add', file);
      expect(code, stderr).toBe(0);
      const manifest = path.join(root.path, 'skill.yaml');
      await writeFile(manifest, stdout);
      const name = (await api.kubectl('apply', '-n', NAMESPACE, '-f', manifest, '-o', 'name')).trim();
      expect(stored).not.toContain(name);
      stored.add(name);
      const { spec } = JSON.parse(await api.kubectl('get', name, '-n', NAMESPACE, '-o', 'json')) as { spec: object };
      expect(spec).toMatchObject(wordsOf(readFileSync(file, 'utf8')));
    });
});

/** Read without the code under test. */
function wordsOf(skillFile: string): { readonly description: string; readonly body: string } {
  const [, head = '', body = ''] = /^---\n([^]*?)\n---\n([^]*)$/.exec(skillFile) ?? [];
  const { description } = parse(head) as { readonly description: string };
  return { description: description.trim(), body: body.trim() };
}

/** What the API server says to a new object, or to an update of `before`. Leaves nothing behind. */
async function answerTo({ kind, before }: CelCase, patch: Patch): Promise<ApiAnswer> {
  if (before === undefined) return api.call('POST', `${collection(kind)}?dryRun=All`, objectIn(kind, patch));
  const old = objectIn(kind, before);
  const created = await api.call('POST', collection(kind), old);
  expect(created.status, text(created)).toBe(201);
  const one = `${collection(kind)}/sample`;
  try {
    const isStatus = patch['status'] !== undefined;
    const hadStatus = before['status'] !== undefined;
    const { resourceVersion } = (created.body as { readonly metadata: { readonly resourceVersion: string } }).metadata;
    const first = merged(old, { metadata: { resourceVersion } });
    const stored = hadStatus ? await api.call('PUT', `${one}/status`, first) : created;
    const { metadata } = stored.body as { readonly metadata: { readonly resourceVersion: string } };
    const update = merged(merged(old, patch), { metadata: { resourceVersion: metadata.resourceVersion } });
    return await api.call('PUT', `${one}${isStatus ? '/status' : ''}?dryRun=All`, update);
  } finally {
    await api.call('DELETE', one);
  }
}

/** What a rule says when its evaluation fails, which is how a pattern that is not RE2 is found. */
const EVALUATION_FAILED = 'error parsing regexp';

describe('CEL rules', () => {
  it.each(celCases.map((one) => [`${one.kind} ${one.path}: ${one.message}`, one] as const))('%s', async (_, one) => {
    const accepted = await answerTo(one, one.accepted);
    expect([200, 201], text(accepted)).toContain(accepted.status);
    for (const patch of refusals(one)) {
      const refused = await answerTo(one, patch);
      expect(refused.status, text(refused)).toBe(422);
      const said = (refused.body as { readonly message: string }).message;
      expect(said.includes(one.message) || said.includes(EVALUATION_FAILED), said).toBe(true);
    }
  });
});
