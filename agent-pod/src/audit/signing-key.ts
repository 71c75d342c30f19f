/** The auditor's Ed25519 key, created once in a directory that no agent can read. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify, type KeyObject } from 'node:crypto';
import { open, readFile, rename, stat } from 'node:fs/promises';
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import { isMissing } from './journal-directory.ts';

export interface SigningKey {
  /** SPKI, PEM, for those who check the heads. */
  readonly publicKeyPem: string;
  /** Base64 signature of the value's canonical JSON after {@link SIGNATURE_TAG}. */
  sign(value: unknown): string;
  isSigned(value: unknown, signature: string): boolean;
}

/** Makes the signatures invalid in any other use. */
const SIGNATURE_TAG = 'retainer.auditor.1\n';
const keyMode = 0o600;
const othersBits = 0o077;

/** Creates a missing key. Refuses a key that others can read, because its signatures prove nothing. */
export async function openSigningKey(path: string): Promise<SigningKey> {
  const privateKey = (await readKey(path)) ?? (await makeKey(path));
  const publicKey = createPublicKey(privateKey);
  return {
    publicKeyPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    sign: (value) => sign(null, signedBytes(value), privateKey).toString('base64'),
    isSigned: (value, signature) => verify(null, signedBytes(value), publicKey, Buffer.from(signature, 'base64')),
  };
}

async function readKey(path: string): Promise<KeyObject | undefined> {
  try {
    const { mode } = await stat(path);
    if ((mode & othersBits) !== 0)
      throw new Error(
        `${path} can be read by others (mode ${(mode & 0o777).toString(8)}): delete it and create a new one`,
      );
    return createPrivateKey(await readFile(path));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function makeKey(path: string): Promise<KeyObject> {
  const { privateKey } = generateKeyPairSync('ed25519');
  // A crash in between leaves no half key under the real name.
  const file = await open(`${path}.tmp`, 'w', keyMode);
  try {
    await file.writeFile(privateKey.export({ type: 'pkcs8', format: 'pem' }));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.tmp`, path);
  return privateKey;
}

function signedBytes(value: unknown): Buffer {
  return Buffer.from(`${SIGNATURE_TAG}${canonicalJson(value)}`);
}
