import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import { verifies } from '../../test/verifies.ts';
import { mailSecretIn, readMailCredentials } from './mail-credentials.ts';

const root = temporaryDirectory();
afterAll(() => root.remove());

function directory(name: string, files: Readonly<Record<string, string>>): string {
  const path = join(root.path, name);
  mkdirSync(path);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text);
  return path;
}

const none = { mailCredentials: undefined, mailCredentialsDirectory: undefined };
const address = 'ada@example.org';

verifies(
  'mail-cluster:local-credentials',
  'come from the environment, by default with the address as name',
  async () => {
    const said = { username: 'ada', password: 'out-of-the-environment' };
    expect(await readMailCredentials({ ...none, mailCredentials: said }, address)).toEqual({ ok: true, value: said });
    const nameless = { ...said, username: undefined };
    expect(await readMailCredentials({ ...none, mailCredentials: nameless }, address)).toEqual({
      ok: true,
      value: { username: address, password: 'out-of-the-environment' },
    });
  },
);

verifies('mail-cluster:local-credentials', 'come from files, read anew each time', async () => {
  const files = directory('files', { username: 'ada\n', password: 'first\n' });
  const read = () => readMailCredentials({ ...none, mailCredentialsDirectory: files }, address);
  expect(await read()).toEqual({ ok: true, value: { username: 'ada', password: 'first' } });
  writeFileSync(join(files, 'password'), 'second');
  expect(await read()).toMatchObject({ value: { password: 'second' } });
});

verifies(
  'mail-cluster:local-credentials',
  'that are missing, halved or said twice are an error that says what to set',
  async () => {
    expect(await readMailCredentials(none, address)).toEqual({
      ok: false,
      error:
        'spec.channels.email needs a password: set RETAINER_MAIL_USERNAME and RETAINER_MAIL_PASSWORD, or RETAINER_MAIL_CREDENTIALS to a directory with the files username and password',
    });
    const half = directory('half', { username: 'ada' });
    expect(await readMailCredentials({ ...none, mailCredentialsDirectory: half }, address)).toEqual({
      ok: false,
      error: `RETAINER_MAIL_CREDENTIALS: ${half} has not both of the files username and password`,
    });
    const twice = { mailCredentials: { username: 'ada', password: 'x' }, mailCredentialsDirectory: half };
    expect(await readMailCredentials(twice, address)).toEqual({
      ok: false,
      error: 'RETAINER_MAIL_CREDENTIALS and RETAINER_MAIL_PASSWORD are both set: take one of them away',
    });
  },
);

verifies('mail-cluster:local-credentials', 'keep the password of a file out of the record', () => {
  const files = directory('secret', { username: 'ada', password: 'out-of-a-file\n' });
  expect(mailSecretIn(files)).toEqual([{ name: 'mail-password', value: 'out-of-a-file' }]);
  expect(mailSecretIn(join(root.path, 'nowhere'))).toEqual([]);
});
