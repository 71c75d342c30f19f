/** `retainer restore --from URL`: real remotes over HTTP with a password, by ssh, and of a file address. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { gitSays, openDataDirectory, recordBytes } from '../support/backups.ts';
import { makeCertificates } from '../support/certificates.ts';
import { freePort } from '../support/free-port.ts';
import { startGitServer, type GitServer } from '../support/git-server.ts';
import { endAll, startRetainer, type Ended } from '../support/retainer-command.ts';
import { startSshServer, whyNoSshServer } from '../support/ssh-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const USER = 'ada';
/** Of this process alone: tests beside it look for theirs in every process of the machine. */
const PASSWORD = `p@ss/wörd:never told ${process.pid}`;
const PLAIN = { RETAINER_GIT_USERNAME: USER, RETAINER_GIT_PASSWORD: PASSWORD };
/** Every form in which a password would be seen. */
const FORMS = [PASSWORD, encodeURIComponent(PASSWORD), Buffer.from(`${USER}:${PASSWORD}`).toString('base64')];

const root = temporaryDirectory();
const data = join(root.path, 'data');
const remotes = join(root.path, 'remotes');
const path = join(remotes, 'ada.git');
let server: GitServer;
let bytes: ReadonlyMap<string, string>;

beforeAll(async () => {
  mkdirSync(remotes);
  mkdirSync(temporary);
  server = await startGitServer(remotes, USER, PASSWORD);
  const written = await openDataDirectory(data);
  await written.append(40);
  bytes = recordBytes(data);
  await written.backup.commit();
  await written.journal.close();
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', path]);
  gitSays(data, 'push', '--quiet', path, 'main:agents/ada');
  gitSays(data, 'push', '--quiet', path, 'main:agents/bob');
});
afterAll(async () => {
  endAll();
  await server.close();
  await root.remove();
});

/** Of the commands of this file alone. */
const temporary = join(root.path, 'temporary');
const fetched = (): readonly string[] => readdirSync(temporary);

function restore(
  name: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = PLAIN,
): Promise<Ended> {
  return startRetainer(['restore', ...args, '--to', join(root.path, name)], {
    variables: { ...variables, TMPDIR: temporary },
  }).ended;
}

function expectRestored(name: string, ended: Ended): void {
  expect(ended.code, ended.stderr).toBe(0);
  const restored = recordBytes(join(root.path, name));
  for (const [file, was] of bytes)
    if (!file.startsWith('checkpoints/')) expect(restored.get(file)?.startsWith(was), file).toBe(true);
  expect(fetched()).toEqual([]);
}

/** Looks at arguments and environments of git and its children until it is told to stop. @returns which showed the password */
function watchGit(): () => { readonly seen: number; readonly shown: readonly string[] } {
  const shown = new Set<string>();
  let seen = 0;
  const look = (): void => {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      const command = textOf(`/proc/${pid}/cmdline`);
      if (!/^(?:\S*\/)?git(?:-remote-\w+)?\0/.test(command)) continue;
      seen += 1;
      const text = `${command}${textOf(`/proc/${pid}/environ`)}`;
      if (FORMS.some((form) => text.includes(form))) shown.add(text.replaceAll('\0', ' '));
    }
  };
  const timer = setInterval(look, 1);
  return () => {
    clearInterval(timer);
    return { seen, shown: [...shown] };
  };
}

/** Empty where the process has ended. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

describe('retainer restore from a remote', () => {
  verifies('backup:fetched', 'over HTTP, with a password that nobody is shown', async () => {
    const stop = watchGit();
    const ended = await restore('http', ['--from', `${server.url}/ada.git`, '--branch', 'agents/ada']);
    const { seen, shown } = stop();
    expect(seen).toBeGreaterThan(0);
    expect(shown).toEqual([]);
    expectRestored('http', ended);
    const url = server.url.replace('http', 'HTTP');
    expectRestored('large', await restore('large', ['--from', `${url}/ada.git`, '--branch', 'agents/ada']));
    for (const form of FORMS) expect(`${ended.stdout}${ended.stderr}`).not.toContain(form);
    const files = readdirSync(join(root.path, 'http/git'), { recursive: true, withFileTypes: true });
    for (const { parentPath, name } of files.filter((it) => it.isFile()))
      expect(FORMS.some((form) => readFileSync(join(parentPath, name)).includes(form))).toBe(false);
  });

  verifies('backup:fetched', 'over HTTPS, from a server that an authority of yours vouches for', async () => {
    const { signed, ca } = makeCertificates();
    const secure = await startGitServer(remotes, USER, PASSWORD, signed);
    const authority = join(root.path, 'ca.crt');
    writeFileSync(authority, ca);
    const args = ['--from', `${secure.url}/ada.git`, '--branch', 'agents/ada'];
    const unknown = await restore('unknown', args);
    expect(unknown).toMatchObject({ code: 4, stderr: expect.stringMatching(/authority that nobody here knows/) });
    expect(secure.admitted()).toBe(0);
    expectRestored('https', await restore('https', args, { ...PLAIN, NODE_EXTRA_CA_CERTS: authority }));
    await secure.close();
  });

  verifies('backup:fetched', 'of a file address, at a commit', async () => {
    const commit = gitSays(data, 'rev-parse', 'main').trim();
    const args = (scheme: string) => ['--from', `${scheme}://${path}`, '--branch', 'agents/bob', '--at', commit];
    expectRestored('file', await restore('file', args('file')));
    expectRestored('capitals', await restore('capitals', args('FILE')));
  });

  verifies('backup:fetched', 'and says what stands in the way, and leaves nothing behind', async () => {
    const url = `${server.url}/ada.git`;
    const away = `http://127.0.0.1:${await freePort()}/ada.git`;
    execFileSync('git', ['init', '--quiet', '--bare', join(remotes, 'new.git')]);
    const wrong = { ...PLAIN, RETAINER_GIT_PASSWORD: 'wrong-and-told-nobody' };
    const none = { RETAINER_GIT_USERNAME: '', RETAINER_GIT_PASSWORD: '' };
    const rows = [
      [url, PLAIN, 4, /shows no branch first: name one with --branch: agents\/ada, agents\/bob/],
      [away, PLAIN, 4, /it cannot be reached/],
      [url, wrong, 4, /it refuses the credentials/],
      [url, none, 4, /it asks for a name and a password: set RETAINER_GIT_USERNAME and RETAINER_GIT_PASSWORD/],
      [`${server.url}/new.git`, PLAIN, 4, /is empty: nothing was pushed to it/],
      [`${server.url}/none.git`, PLAIN, 4, /there is no repository, or these credentials may not see it/],
      [`file://${root.path}/none`, PLAIN, 4, /there is no repository/],
      [
        'ssh://git@127.0.0.1/ada.git',
        PLAIN,
        1,
        /is reached by ssh: let RETAINER_GIT_CREDENTIALS name a directory with the file ssh-privatekey/,
      ],
      [url.replace('://', `://${USER}:secret@`), PLAIN, 1, /others see what is typed/],
      [`${url} `, PLAIN, 1, /is no address/],
    ] as const;
    for (const [from, variables, code, says] of rows) {
      const ended = await restore('refused', ['--from', from], variables);
      expect(ended, `${from}: ${ended.stderr}`).toMatchObject({ code, stderr: expect.stringMatching(says) });
      expect(ended.stderr).not.toMatch(/wrong-and-told-nobody|:secret@/);
    }
    const lacks = await restore('refused', ['--from', url, '--branch', 'agents/eve']);
    expect(lacks).toMatchObject({ code: 4, stderr: expect.stringMatching(/has no branch agents\/eve: name one/) });
    expect(existsSync(join(root.path, 'refused'))).toBe(false);
    expect(readdirSync(root.path).filter((name) => name.endsWith('.restoring'))).toEqual([]);
    expect(fetched()).toEqual([]);
  });
});

/** The directories with a key for ssh that hold this one. */
function directoriesWith(key: string): readonly string[] {
  return ['/dev/shm', temporary].flatMap((place) =>
    readdirSync(place)
      .filter((name) => name.startsWith('retainer-push-') && textOf(join(place, name, 'key')).includes(key))
      .map((name) => join(place, name)),
  );
}

describe('retainer restore by ssh that is ended', () => {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

  verifies('backup:fetched', 'in the middle of the fetch, and leaves neither key nor repository', async () => {
    const key = `a key of the test ${process.pid}`;
    const secret = join(root.path, 'key-alone');
    mkdirSync(secret);
    writeFileSync(join(secret, 'ssh-privatekey'), key, { mode: 0o600 });
    // Takes the call of ssh and never says a word.
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    for (const signal of signals) {
      const called = once(silent, 'connection') as Promise<[Socket]>;
      const started = startRetainer(
        ['restore', '--from', `ssh://git@127.0.0.1:${port}/ada.git`, '--to', join(root.path, 'ended')],
        { variables: { RETAINER_GIT_CREDENTIALS: secret, TMPDIR: temporary } },
      );
      const [socket] = await Promise.race([called, started.ended.then(({ stderr }) => expect.fail(stderr))]);
      expect(directoriesWith(key)).toHaveLength(1);
      expect(fetched()).not.toEqual([]);
      const ended = once(started.child, 'exit');
      started.child.kill(signal);
      expect(await ended).toEqual([null, signal]);
      expect(directoriesWith(key)).toEqual([]);
      expect(fetched()).toEqual([]);
      socket.destroy();
    }
    silent.close();
  });
});

const noServer = whyNoSshServer();

describe.skipIf(noServer !== undefined)(noServer ?? 'retainer restore by ssh', () => {
  verifies('backup:fetched', 'with the key in a directory that the environment names', async () => {
    const ssh = await startSshServer(join(root.path, 'ssh'));
    const secret = join(root.path, 'secret');
    mkdirSync(secret);
    writeFileSync(join(secret, 'ssh-privatekey'), ssh.privateKey, { mode: 0o600 });
    const args = ['--from', `${ssh.url}${path}`, '--branch', 'agents/ada'];
    expectRestored('ssh', await restore('ssh', args, { RETAINER_GIT_CREDENTIALS: secret }));
    const missing = await restore('none', args, { RETAINER_GIT_CREDENTIALS: root.path });
    expect(missing).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/neither the files username and password/),
    });
    const plain = await restore('none', ['--from', `${server.url}/ada.git`], { RETAINER_GIT_CREDENTIALS: secret });
    expect(plain).toMatchObject({ code: 1, stderr: expect.stringMatching(/is reached over HTTP: let RETAINER_GIT_/) });
    await ssh.close();
  });
});
