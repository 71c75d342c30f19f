/**
 * The operator's Ed25519 key. The first leader makes it and keeps it in a Secret of the operator's namespace; the public half
 * is in a ConfigMap that the egress proxy mounts. Only a leader may call this, before any controller runs.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { FIELD_MANAGERS, LABELS } from '@retainer/contract/api/names';
import type { SigningKey } from '../desired/signing-key.ts';
import { isConflict } from '@retainer/kube/api-error';
import type { KubeClient } from '@retainer/kube/kube-client';
import type { KubeObject } from '@retainer/kube/kube-object';
import type { Resource } from '@retainer/kube/resource';
import { resources } from '@retainer/kube/resources';

export const SIGNING_KEY_SECRET = 'retainer-signing-key';
export const SIGNING_KEY_CONFIG_MAP = 'retainer-signing-key-public';
/** Key of the ConfigMap: 32 bytes, base64. */
const PUBLIC_ENTRY = 'public';
/** Key of the Secret: PKCS #8 in DER. */
const PRIVATE_ENTRY = 'private';

/** Read and made by this name only: the operator lists no Secrets. */
const secrets: Resource = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', isNamespaced: true };

/** Raw Ed25519 keys are the last 32 bytes of their SubjectPublicKeyInfo. Source: RFC 8410. */
const RAW_KEY_BYTES = 32;

/** @throws an error that names the Secret, if it contains no such key */
export async function loadSigningKey(client: KubeClient, namespace: string, signal: AbortSignal): Promise<SigningKey> {
  const key = { namespace, name: SIGNING_KEY_SECRET };
  const secret = (await client.get(secrets, key, { signal })) ?? (await createSecret(client, namespace, signal));
  const signingKey = signingKeyOf(privateKeyOf(secret));
  await publish(client, namespace, { publicKey: signingKey.publicKeyBase64, signal });
  return signingKey;
}

/** @param privateKey  Ed25519 */
export function signingKeyOf(privateKey: KeyObject): SigningKey {
  const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  return {
    publicKeyBase64: spki.subarray(-RAW_KEY_BYTES).toString('base64'),
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString('base64'),
  };
}

async function createSecret(client: KubeClient, namespace: string, signal: AbortSignal): Promise<KubeObject> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const data = privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64');
  const secret: KubeObject = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: SIGNING_KEY_SECRET, namespace, labels },
    type: 'Opaque',
    immutable: true,
    data: { [PRIVATE_ENTRY]: data },
  };
  try {
    return await client.create(secrets, secret, { fieldManager: FIELD_MANAGERS.operatorChildren, signal });
  } catch (error) {
    // Another leader was faster; its key is valid.
    const theirs = isConflict(error)
      ? await client.get(secrets, { namespace, name: SIGNING_KEY_SECRET }, { signal })
      : undefined;
    if (theirs === undefined) throw error;
    return theirs;
  }
}

const labels = {
  [LABELS.name]: 'operator',
  [LABELS.component]: 'signing-key',
  [LABELS.partOf]: 'retainer',
  [LABELS.managedBy]: 'retainer',
};

function privateKeyOf({ data, metadata }: KubeObject): KeyObject {
  const text = (data as Readonly<Record<string, string>> | undefined)?.[PRIVATE_ENTRY] ?? '';
  try {
    const key = createPrivateKey({ key: Buffer.from(text, 'base64'), type: 'pkcs8', format: 'der' });
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // Neither DER nor a key: the error below says so, without the text.
  }
  throw new Error(
    `Secret ${metadata.namespace ?? ''}/${metadata.name} holds no Ed25519 key under ${PRIVATE_ENTRY}; delete it, and the operator creates a new one at its next start`,
  );
}

async function publish(
  client: KubeClient,
  namespace: string,
  { publicKey, signal }: { readonly publicKey: string; readonly signal: AbortSignal },
): Promise<void> {
  const key = { namespace, name: SIGNING_KEY_CONFIG_MAP };
  const live = await client.get(resources.configMaps, key, { signal });
  const stored = (live?.['data'] as Readonly<Record<string, string>> | undefined)?.[PUBLIC_ENTRY];
  if (stored === publicKey) return;
  const object: KubeObject = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { ...key, labels },
    data: { [PUBLIC_ENTRY]: publicKey },
  };
  await client.apply(resources.configMaps, object, {
    fieldManager: FIELD_MANAGERS.operatorChildren,
    force: true,
    signal,
  });
}
