import { afterEach, beforeEach, describe, expect } from 'vitest';
import { startFakeApiServer, type FakeApiServer } from '../../../test/support/fake-api-server/fake-api-server.ts';
import { fakeKubeClient } from '../../../test/support/fake-api-server/fake-kube-client.ts';
import { verifies } from '../../../test/verifies.ts';
import type { HttpsClient } from '@retainer/kube/https-client';
import { resources } from '@retainer/kube/resources';
import { loadSigningKey, SIGNING_KEY_CONFIG_MAP, SIGNING_KEY_SECRET } from './load-signing-key.ts';

const signal = new AbortController().signal;
const namespace = 'retainer-system';

let server: FakeApiServer;
let client: HttpsClient;

beforeEach(async () => {
  server = await startFakeApiServer();
  client = fakeKubeClient(server, { user: 'operator' });
});
afterEach(async () => {
  client.close();
  await server.stop();
});

describe('loadSigningKey', () => {
  verifies('operator-sandbox:signing-key', 'makes one key, once, and publishes its public half', async () => {
    const [first, second] = await Promise.all([
      loadSigningKey(client, namespace, signal),
      loadSigningKey(client, namespace, signal),
    ]);
    const writes = server.audit.filter(({ isChange }) => isChange).length;
    const again = await loadSigningKey(client, namespace, signal);
    expect(new Set([first, second, again].map(({ publicKeyBase64 }) => publicKeyBase64)).size).toBe(1);
    expect(again.sign('a')).toBe(first.sign('a'));
    expect(again.publicKeyBase64).toMatch(/^[A-Za-z0-9+/]{43}=$/);
    expect(again.sign('a')).toMatch(/^[A-Za-z0-9+/]{86}==$/);
    const published = server.get(resources.configMaps, { namespace, name: SIGNING_KEY_CONFIG_MAP });
    expect(published?.['data']).toEqual({ public: again.publicKeyBase64 });
    expect(server.audit.filter(({ isChange }) => isChange)).toHaveLength(writes);
  });

  verifies('operator-sandbox:signing-key', 'names the Secret that holds no key, and not what it holds', async () => {
    await client.create(
      { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', isNamespaced: true },
      { metadata: { name: SIGNING_KEY_SECRET, namespace }, data: { private: 'c2VjcmV0LXdvcmRz' } },
    );
    const refusal = await loadSigningKey(client, namespace, signal).catch((error: unknown) => String(error));
    expect(refusal).toContain(SIGNING_KEY_SECRET);
    expect(refusal).not.toContain('secret-words');
  });
});
