import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import { verifies } from '../../test/verifies.ts';
import { gitSecretsIn, readGitCredentials } from './git-credentials.ts';

const root = temporaryDirectory();
afterAll(() => root.remove());

function directory(name: string, files: Readonly<Record<string, string>>): string {
  const path = join(root.path, name);
  mkdirSync(path);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text);
  return path;
}

const none = { gitCredentials: undefined, gitCredentialsDirectory: undefined };
const said = { username: 'ada', password: 'out-of-the-environment' };

verifies('backup:local-credentials', 'of the environment, of files, or of neither', async () => {
  expect(await readGitCredentials(none)).toEqual({ ok: true, value: undefined });
  expect(await readGitCredentials({ ...none, gitCredentials: said })).toEqual({
    ok: true,
    value: { kind: 'Password', ...said },
  });
  const password = directory('password', { username: 'ada\n', password: 'out-of-a-file\n' });
  expect(await readGitCredentials({ ...none, gitCredentialsDirectory: password })).toEqual({
    ok: true,
    value: { kind: 'Password', username: 'ada', password: 'out-of-a-file' },
  });
  const key = directory('key', { 'ssh-privatekey': 'the key\n' });
  expect(await readGitCredentials({ ...none, gitCredentialsDirectory: key })).toEqual({
    ok: true,
    value: { kind: 'Key', key: 'the key' },
  });
});

verifies('backup:local-credentials', 'that are said twice or lack a file are an error that names both', async () => {
  const half = directory('half', { username: 'ada' });
  expect(await readGitCredentials({ ...none, gitCredentialsDirectory: half })).toEqual({
    ok: false,
    error: `RETAINER_GIT_CREDENTIALS: ${half} has neither the files username and password nor the file ssh-privatekey`,
  });
  const whole = directory('whole', { username: 'ada', password: 'out-of-a-file' });
  expect(await readGitCredentials({ gitCredentials: said, gitCredentialsDirectory: whole })).toEqual({
    ok: false,
    error: 'RETAINER_GIT_CREDENTIALS and RETAINER_GIT_PASSWORD are both set: take one of them away',
  });
});

it('has the password and the key as secrets, and not the name', () => {
  const all = directory('all', { username: 'ada', password: 'out-of-a-file\n', 'ssh-privatekey': 'the key\n' });
  expect(gitSecretsIn(all)).toEqual([
    { name: 'git-ssh-privatekey', value: 'the key' },
    { name: 'git-password', value: 'out-of-a-file' },
  ]);
  expect(gitSecretsIn(join(root.path, 'nowhere'))).toEqual([]);
});
