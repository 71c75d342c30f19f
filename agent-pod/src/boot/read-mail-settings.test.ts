/** What the agent reads of its mail servers at each connection: name and password, and authorities. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AgentChannels } from '@retainer/contract/api/agent-channels';
import { afterEach, expect } from 'vitest';
import { makeCertificates } from '../../../test/support/certificates.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { verifies } from '../../../test/verifies.ts';
import { readMailCredentials } from './read-mail-credentials.ts';
import { readMailAuthorities } from './read-mail-settings.ts';
import { mountedSecrets } from './read-secrets.ts';

const root = temporaryDirectory();
const secret = join(root.path, 'mail');
afterEach(() => rmSync(secret, { recursive: true, force: true }));

const channels = (more: object = {}) =>
  AgentChannels.parse({
    email: {
      address: 'ada@example.org',
      imap: { host: 'imap.example.org' },
      smtp: { host: 'smtp.example.org' },
      credentialsSecretRef: { name: 'mail' },
      ...more,
    },
  });

function mount(files: Readonly<Record<string, string>>): void {
  mkdirSync(secret, { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(secret, file), text);
}

const read = () => readMailCredentials(root.path, channels());
const field = 'spec\\.channels\\.email\\.credentialsSecretRef: ';

verifies('mail-cluster:credentials', 'are read anew at each connection', async () => {
  mount({ username: 'ada@example.org\n', password: 'the first one\n' });
  expect(await read()).toEqual({ username: 'ada@example.org', password: 'the first one' });
  mount({ password: 'the second one' });
  expect(await read()).toMatchObject({ password: 'the second one' });
});

verifies(
  'mail-cluster:credentials',
  'that are missing are told by field, Secret and key, without a value',
  async () => {
    await expect(read()).rejects.toMatchObject({
      reason: 'SecretNotFound',
      message: expect.stringMatching(`^${field}no Secret mail with key username: kubectl create secret generic mail`),
    });
    mount({ username: 'ada@example.org' });
    await expect(read()).rejects.toMatchObject({
      reason: 'SecretKeyNotFound',
      message: expect.stringMatching(`^${field}Secret mail has no key password`),
    });
    mount({ username: '', password: 'hidden' });
    const fault = await read().catch((error: unknown) => String(error));
    expect(fault).toMatch(/key username of Secret mail is empty/);
    expect(fault).not.toContain('hidden');
    await expect(readMailCredentials(root.path, AgentChannels.parse({}))).rejects.toThrow(/spec\.channels\.email/);
  },
);

verifies('mail-cluster:credentials', 'keep the password out of the record, and leave the address in it', async () => {
  mount({ username: 'ada@example.org', password: 'long enough' });
  expect(await mountedSecrets(root.path)).toEqual([{ name: 'password', value: 'long enough' }]);
});

verifies(
  'mail-cluster:authorities',
  'are read anew at each connection, and asked for only where they are named',
  async () => {
    const named = channels({ caConfigMapRef: { name: 'company', key: 'ca.crt' } });
    expect(await readMailAuthorities(root.path, channels())).toBeUndefined();
    expect(await readMailAuthorities(root.path, AgentChannels.parse({}))).toBeUndefined();
    const path = join(root.path, 'ca.crt');
    for (const pem of [makeCertificates().ca, makeCertificates().ca]) {
      writeFileSync(path, pem);
      expect(await readMailAuthorities(root.path, named)).toBe(pem.trim());
    }
    writeFileSync(path, 'no certificate');
    await expect(readMailAuthorities(root.path, named)).rejects.toThrow(
      'spec.channels.email.caConfigMapRef: key ca.crt of ConfigMap company must hold certificates in PEM',
    );
    rmSync(path);
    await expect(readMailAuthorities(root.path, named)).rejects.toMatchObject({
      reason: 'ConfigMapNotFound',
      message: expect.stringContaining('kubectl create configmap company --from-file=ca.crt=FILE'),
    });
  },
);
