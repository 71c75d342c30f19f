import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fencedClient } from '@retainer/operator/apply/fenced-client';
import type { HttpsClient } from '@retainer/kube/https-client';
import type { KubeClient } from '@retainer/kube/kube-client';
import type { KubeObject } from '@retainer/kube/kube-object';
import { resources } from '@retainer/kube/resources';
import { startFakeApiServer } from '../../support/fake-api-server/fake-api-server.ts';
import { fakeKubeClient } from '../../support/fake-api-server/fake-kube-client.ts';

type Server = Awaited<ReturnType<typeof startFakeApiServer>>;

const { configMaps } = resources;
const key = { namespace: 'a', name: 'one' };
const object: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: key };
const PATH = '/api/v1/namespaces/a/configmaps';
let server: Server;
let open: HttpsClient;
let client: KubeClient;
let isHeld: boolean;

beforeEach(async () => {
  server = await startFakeApiServer();
  isHeld = true;
  open = fakeKubeClient(server);
  client = fencedClient(open, () => isHeld);
});

afterEach(() => {
  open.close();
  return server.stop();
});

const writes: readonly (readonly [name: string, write: () => Promise<unknown>])[] = [
  ['create', () => client.create(configMaps, object)],
  ['apply', () => client.apply(configMaps, object, { fieldManager: 'test', force: true })],
  ['mergePatch', () => client.mergePatch(configMaps, key, { data: { a: '1' } })],
  ['replace', () => client.replace(configMaps, server.get(configMaps, key) ?? object)],
  ['delete', () => client.delete(configMaps, key, { uid: server.get(configMaps, key)?.metadata.uid ?? '' })],
  ['raw POST', () => client.raw('POST', PATH, object)],
];

const reads: readonly (readonly [name: string, read: () => Promise<unknown>])[] = [
  ['get', () => client.get(configMaps, key)],
  ['list', () => client.list(configMaps, { namespace: 'a' })],
  ['raw GET', () => client.raw('GET', `${PATH}/one`)],
];

describe('fencedClient', () => {
  it.each(writes)('sends no %s without the Lease', async (name, write) => {
    const isNew = name === 'create' || name === 'raw POST';
    if (!isNew) server.put(configMaps, object);
    isHeld = false;
    await expect(write()).rejects.toThrow('does not hold the Lease');
    expect(server.audit.filter(({ isChange }) => isChange)).toEqual([]);
    isHeld = true;
    await write();
  });

  it.each(writes)('sends no %s whose connection came after the end of the Lease', async (name, write) => {
    const isNew = name === 'create' || name === 'raw POST';
    if (!isNew) server.put(configMaps, object);
    const written = write();
    isHeld = false;
    await expect(written).rejects.toThrow('does not hold the Lease');
    expect(server.audit).toEqual([]);
  });

  it.each(reads)('answers a %s without it', async (_, read) => {
    server.put(configMaps, object);
    isHeld = false;
    expect(JSON.stringify(await read())).toContain('"one"');
  });
});
