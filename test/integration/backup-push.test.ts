/** Commits at a remote: a real one over HTTP, with a password. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { push } from '@retainer/agent-pod/backup/push';
import { withAccessTo } from '@retainer/agent-pod/backup/remote-access';
import { readRepository } from '@retainer/agent-pod/backup/repository';
import { restore } from '@retainer/agent-pod/backup/restore';
import { BackupWatch } from '@retainer/agent-pod/upkeep/backup-watch';
import { systemClock } from '@retainer/contract/std/system-clock';
import { BackupProcess } from '../support/backup-process.ts';
import { gitSays, openDataDirectory } from '../support/backups.ts';
import { manualClock } from '../support/manual-clock.ts';
import { type GitServer, initRemote, startGitServer, tipOf } from '../support/git-server.ts';
import { startSshServer, whyNoSshServer } from '../support/ssh-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { tracedCalls } from '../support/traced-calls.ts';
import { verifies } from '../verifies.ts';

const USER = 'ada';
/** Of this process alone: the test looks for it in every process of the machine. */
const PASSWORD = `p@ss/wörd:never told ${process.pid}`;
const credentials = { kind: 'Password', username: USER, password: PASSWORD } as const;

const root = temporaryDirectory();
let server: GitServer;
let directories = 0;

beforeAll(async () => {
  mkdirSync(join(root.path, 'remotes'));
  server = await startGitServer(join(root.path, 'remotes'), USER, PASSWORD);
});
afterAll(async () => {
  await server.close();
  await root.remove();
});

/** A new empty repository at the server. */
function remote(name: string): { readonly path: string; readonly url: string } {
  const path = join(root.path, 'remotes', name);
  initRemote(path);
  return { path, url: `${server.url}/${name}` };
}

function place(): string {
  directories += 1;
  return join(root.path, `data-${directories}`);
}

/** Every form in which a password would be seen. */
const FORMS = [PASSWORD, encodeURIComponent(PASSWORD), Buffer.from(`${USER}:${PASSWORD}`).toString('base64')];

/** Looks at arguments and environments of all processes until it is told to stop. @returns which showed it */
function watchProcesses(forms: readonly string[] = FORMS): () => readonly string[] {
  const found = new Set<string>();
  const look = (): void => {
    const others = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
    for (const path of others.flatMap((pid) => [`/proc/${pid}/cmdline`, `/proc/${pid}/environ`])) {
      const text = textOf(path);
      if (forms.some((form) => text.includes(form))) found.add(`${path}: ${text.replaceAll('\0', ' ')}`);
    }
  };
  const timer = setInterval(look, 1);
  return () => {
    clearInterval(timer);
    return [...found];
  };
}

/** Empty where the process has ended. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

const pushDirectories = (): readonly string[] =>
  [tmpdir(), '/dev/shm'].flatMap((place) => readdirSync(place).filter((name) => name.startsWith('retainer-push-')));

describe('a push', () => {
  verifies('backup:pushed', 'brings the commits to the remote, and shows its password nowhere', async () => {
    const data = await openDataDirectory(place());
    await data.append(20);
    const { commit } = await data.backup.commit();
    const { path, url } = remote('one.git');
    const seen = watchProcesses();
    await push(data.backup.directory, { url, branch: 'main', credentials });
    await data.append(20);
    const second = await data.backup.commit();
    await push(data.backup.directory, { url, branch: 'main', credentials });
    expect(seen()).toEqual([]);
    expect(tipOf(path)).toBe(second.commit);
    expect(execFileSync('git', ['-C', path, 'rev-parse', 'main~1'], { encoding: 'utf8' }).trim()).toBe(commit);
    execFileSync('git', ['-C', path, 'fsck', '--strict']);
    expect(pushDirectories()).toEqual([]);
    const files = readdirSync(join(data.path, 'git'), { recursive: true, withFileTypes: true }).filter((it) =>
      it.isFile(),
    );
    for (const { parentPath, name } of files)
      for (const form of FORMS) expect(readFileSync(join(parentPath, name)).includes(form)).toBe(false);
    await data.journal.close();
  });

  verifies('backup:pushed', 'is refused by name: wrong password, other history, nobody there', async () => {
    const data = await openDataDirectory(place());
    await data.append(20);
    await data.backup.commit();
    const { path, url } = remote('two.git');
    const wrong = { ...credentials, password: 'wrong-and-told-nobody' };
    const told = (more: Partial<Parameters<typeof push>[1]>): Promise<string> =>
      push(data.backup.directory, { url, branch: 'main', credentials, ...more }).then(
        () => 'done',
        (error: Error) => error.message,
      );
    const refused = await told({ credentials: wrong });
    expect(refused).toMatch(/did not take branch main: it refuses the credentials/);
    expect(refused).not.toContain(wrong.password);
    expect(await told({ url: 'http://127.0.0.1:9/none.git' })).toMatch(/it cannot be reached/);
    expect(await told({ url: 'ext::sh -c "touch /tmp/owned"' })).toMatch(/did not take branch main|reached by ssh/);
    expect(await told({ url: 'git@example.org:me/it.git' })).toMatch(/needs a Secret with ssh-privatekey/);
    expect(await told({ credentials: { kind: 'Key', key: 'none' } })).toMatch(
      /needs a Secret with username and password/,
    );
    expect(await told({})).toBe('done');
    const other = await openDataDirectory(place());
    await other.append(1);
    await other.backup.commit();
    const before = tipOf(path);
    await expect(push(other.backup.directory, { url, branch: 'main', credentials })).rejects.toMatchObject({
      ...{ failure: 'Diverged', message: expect.stringMatching(/another history/) },
    });
    expect(tipOf(path)).toBe(before);
    await Promise.all([data.journal.close(), other.journal.close()]);
  });
});

describe('a remote with a hook', () => {
  verifies('backup:pushed', 'that turns a push away is told with its words, and is no other history', async () => {
    const data = await openDataDirectory(place());
    await data.append(5);
    await data.backup.commit();
    const { path, url } = remote('hooked.git');
    mkdirSync(join(path, 'hooks'), { recursive: true });
    const hook = join(path, 'hooks/pre-receive');
    writeFileSync(hook, '#!/bin/sh\necho no pushes on Sunday >&2\nexit 1\n', { mode: 0o755 });
    const to = { url, branch: 'main', credentials };
    await expect(data.backup.push(to)).rejects.toMatchObject({
      ...{ failure: 'Failed', message: expect.stringMatching(/remote: no pushes on Sunday/) },
    });
    rmSync(hook);
    const { commit } = await data.backup.push(to);
    expect(tipOf(path)).toBe(commit);
    await data.journal.close();
  });
});

/** Each kind of call that holds one of the texts. @param trace  of strace */
function callsWith(trace: string, texts: readonly string[]): readonly string[] {
  const calls = tracedCalls(trace).filter(({ line }) => texts.some((text) => line.includes(text)));
  return [...new Set(calls.map(({ program, name, descriptor }) => `${program} ${name} ${descriptor}`))].toSorted();
}

describe('the password', () => {
  verifies(
    'backup:password-on-a-pipe',
    'goes from this process to the program that asks, and through no other',
    async () => {
      const data = await openDataDirectory(place());
      await data.append(20);
      await data.backup.commit();
      const { path, url } = remote('watched.git');
      const trace = join(root.path, 'trace');
      const calls = 'execve,read,write,readv,writev,pread64,pwrite64,recvfrom,sendto,recvmsg,sendmsg';
      const child = new BackupProcess(data.path, [
        'strace',
        '-f',
        '-y',
        '-s',
        '4096',
        '-e',
        `trace=${calls}`,
        '-o',
        trace,
      ]);
      await child.ready();
      const made = await child.ask({ do: 'push', remote: { url, branch: 'main', credentials } });
      await child.close();
      expect(made).toBe('done ');
      expect(tipOf(path)).toBe(gitSays(data.path, 'rev-parse', 'main').trim());
      const basic = Buffer.from(`${USER}:${PASSWORD}`).toString('base64');
      expect(callsWith(readFileSync(trace, 'utf8'), ['never told', basic])).toEqual([
        'cat read socket',
        'cat write pipe',
        'git-remote-http read pipe',
        // To the server; and to the helper, which is told that it was right and does not listen.
        'git-remote-http sendto socket',
        'git-remote-http write pipe',
        // The request of this test, and what is handed on.
        'node read socket',
        'node write socket',
      ]);
      await data.journal.close();
    },
  );

  verifies('backup:password-on-a-pipe', 'that is wrong is sent once, and the push ends', async () => {
    const data = await openDataDirectory(place());
    await data.append(20);
    await data.backup.commit();
    const { url } = remote('once.git');
    const before = server.refused().length;
    const wrong = { ...credentials, password: 'wrong' };
    const pushed = push(
      data.backup.directory,
      { url, branch: 'main', credentials: wrong },
      AbortSignal.timeout(30_000),
    );
    await expect(pushed).rejects.toThrow(/did not take branch main: it refuses the credentials$/);
    const sent = `Basic ${Buffer.from(`${USER}:wrong`).toString('base64')}`;
    expect(server.refused().slice(before)).toEqual([undefined, sent]);
    const split = { ...credentials, password: 'one\nhost=example.org' };
    const told = await push(data.backup.directory, { url, branch: 'main', credentials: split }).catch(String);
    expect(told).toMatch(/a name or a password has more than one line/);
    expect(told).not.toContain('one\n');
    await data.journal.close();
  });

  verifies('backup:password-on-a-pipe', 'is no answer to a proxy that asks for one', async () => {
    const data = await openDataDirectory(place());
    await data.append(20);
    await data.backup.commit();
    const asked: (string | undefined)[] = [];
    const proxy = createServer().on('connect', (request, socket) => {
      asked.push(request.headers['proxy-authorization']);
      socket.end('HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm="proxy"\r\nContent-Length: 0\r\n\r\n');
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const away = { url: 'https://git.example.org/one.git', branch: 'main', credentials, proxyUrl };
    await expect(push(data.backup.directory, away)).rejects.toThrow(/did not take branch main/);
    expect(new Set(asked)).toEqual(new Set([undefined]));
    proxy.close();
    await data.journal.close();
  });
});

describe('the key of ssh', () => {
  verifies(
    'backup:pushed',
    'is in a file of memory where there is one, which only this user reads, until the end',
    async () => {
      const credentials = { kind: 'Key', key: 'none' } as const;
      const known = join(root.path, 'keys');
      const file = await withAccessTo({ url: 'ssh://git@127.0.0.1/it.git', credentials }, known, ({ environment }) => {
        const [, path = ''] = /-i '?([^' ]+)'? /.exec(environment['GIT_SSH_COMMAND'] ?? '') ?? [];
        expect(readFileSync(path, 'utf8')).toBe('none\n');
        expect(statSync(path).mode & 0o777).toBe(0o600);
        return Promise.resolve(path);
      });
      expect(file.startsWith(existsSync('/dev/shm') ? '/dev/shm/' : tmpdir())).toBe(true);
      expect(existsSync(file)).toBe(false);
      expect(pushDirectories()).toEqual([]);
    },
  );
});

const noServer = whyNoSshServer();

describe.skipIf(noServer !== undefined)(noServer ?? 'a push by ssh', () => {
  verifies('backup:pushed', 'believes the key of the first server, and shows its own nowhere', async () => {
    const data = await openDataDirectory(place());
    await data.append(20);
    await data.backup.commit();
    const { path } = remote('ssh.git');
    const ssh = await startSshServer(join(root.path, 'ssh'));
    const url = `${ssh.url}${path}`;
    const lines = ssh.privateKey.split('\n').filter((line) => line !== '' && !line.startsWith('-----'));
    const seen = watchProcesses(lines);
    await push(data.backup.directory, { url, branch: 'main', credentials: { kind: 'Key', key: ssh.privateKey } });
    expect(seen()).toEqual([]);
    expect(tipOf(path)).toBe(gitSays(data.path, 'rev-parse', 'main').trim());
    expect(readFileSync(`${data.backup.directory}.known-hosts`, 'utf8')).toContain('127.0.0.1');
    expect(pushDirectories()).toEqual([]);
    await ssh.changeKey();
    await data.append(20);
    await data.backup.commit();
    const before = tipOf(path);
    await expect(
      push(data.backup.directory, { url, branch: 'main', credentials: { kind: 'Key', key: ssh.privateKey } }),
    ).rejects.toThrow(/did not take branch main: its server shows another key/);
    expect(tipOf(path)).toBe(before);
    await ssh.close();
    await data.journal.close();
  });
});

describe('a remote that says nothing', () => {
  const silent = async (use: (url: string, asked: Promise<void>) => Promise<void>): Promise<void> => {
    let begin = (): void => undefined;
    const asked = new Promise<void>((resolve) => (begin = resolve));
    const listening = createServer(() => begin());
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
    await use(`http://127.0.0.1:${(listening.address() as AddressInfo).port}/ada.git`, asked);
    listening.closeAllConnections();
    await new Promise((resolve) => listening.close(resolve));
  };

  verifies('backup:not-in-the-way', 'is left at once by a push that must end, with all that git started', async () => {
    const data = await openDataDirectory(place());
    await data.append(5);
    await data.backup.commit();
    await silent(async (url, asked) => {
      const stop = new AbortController();
      const pushing = data.backup.push({ url, branch: 'main' }, stop.signal);
      await asked;
      stop.abort();
      await expect(pushing).rejects.toMatchObject({ name: 'GitFailedError' });
      await expect(data.backup.push({ url, branch: 'main' }, AbortSignal.abort())).rejects.toMatchObject({
        name: 'GitFailedError',
      });
    });
    await data.journal.close();
  });

  verifies('backup:not-in-the-way', 'keeps no commit waiting, and no stop', async () => {
    const data = await openDataDirectory(place());
    await data.append(5);
    const clock = manualClock();
    await silent(async (url, asked) => {
      const gitRemote = { url, branch: 'main', pushInterval: '15m' };
      const watch = new BackupWatch({
        ...{ dataDirectory: data.path, memory: { gitCommitInterval: '5m', gitRemote }, clock, closingMs: 60_000 },
        holdsSecret: () => false,
      });
      const ending = new AbortController();
      const running = watch.component().run(ending.signal);
      await clock.untilSleeping(10_000);
      clock.advance(10_000);
      await asked;
      await data.append(5);
      await clock.untilSleeping(300_000);
      clock.advance(300_000);
      await expect.poll(() => gitSays(data.path, 'rev-list', '--count', 'main').trim()).toBe('2');
      ending.abort();
      await running;
    });
    await data.journal.close();
  });
});

describe('the backup beside the work', () => {
  verifies('backup:not-in-the-way', 'tells a remote that is away once, goes on, and tells its return', async () => {
    const data = await openDataDirectory(place());
    await data.append(5);
    const { path } = remote('three.git');
    const notices: string[] = [];
    const gitRemote = { url: 'http://127.0.0.1:9/three.git', branch: 'main', pushInterval: '1s' };
    const watch = new BackupWatch({
      dataDirectory: data.path,
      memory: { gitCommitInterval: '1s', gitRemote },
      holdsSecret: () => false,
      clock: systemClock,
      closingMs: 60_000,
      credentials: () => Promise.resolve(credentials),
      onNotice: (notice) => notices.push(notice),
    });
    await watch.close();
    await watch.close();
    expect(notices).toEqual([
      expect.stringMatching(/^the push of the backup failed and is tried again: .*cannot be reached/),
    ]);
    expect(watch.figures()).toMatchObject({ failures: 2 });
    Object.assign(gitRemote, { url: `${server.url}/three.git` });
    await watch.close();
    expect(notices.at(-1)).toBe('the push of the backup works again');
    expect(tipOf(path)).toBe(gitSays(data.path, 'rev-parse', 'main').trim());
    await data.journal.close();
  });

  verifies('backup:in-time', 'tries a push again by its own time, without another commit', async () => {
    const data = await openDataDirectory(place());
    await data.append(5);
    const { path } = remote('four.git');
    const clock = manualClock();
    const gitRemote = { url: 'http://127.0.0.1:9/four.git', branch: 'main', pushInterval: '15m' };
    const watch = new BackupWatch({
      ...{ dataDirectory: data.path, memory: { gitCommitInterval: '1h', gitRemote } },
      ...{ holdsSecret: () => false, clock, closingMs: 60_000, credentials: () => Promise.resolve(credentials) },
    });
    watch.see({ kind: 'Noted', timeMs: clock.nowMs() });
    const ending = new AbortController();
    const running = watch.component().run(ending.signal);
    for (const waitsMs of [10_000, 5_000, 10_000]) {
      await clock.untilSleeping(waitsMs);
      clock.advance(waitsMs);
    }
    await clock.untilSleeping(20_000);
    expect(watch.figures()).toMatchObject({ failures: 3, push: { lagMs: 25_000, intervalMs: 3_600_000 } });
    Object.assign(gitRemote, { url: `${server.url}/four.git` });
    clock.advance(20_000);
    await expect.poll(() => watch.figures().push?.lagMs).toBe(0);
    await clock.untilSleeping(3_565_000);
    expect(tipOf(path)).toBe(gitSays(data.path, 'rev-parse', 'main').trim());
    expect(gitSays(data.path, 'rev-list', '--count', 'main').trim()).toBe('1');
    expect(watch.figures().push).toMatchObject({ lagMs: 0, unsavedSinceMs: undefined, changedMs: clock.nowMs() });
    ending.abort();
    await running;
    await data.journal.close();
  });

  verifies('backup:lag', 'knows of a record that it came after what was pushed', async () => {
    const data = await openDataDirectory(place());
    await data.append(5);
    data.writeFile('note.md', 'It is looked at while the commit is under way.');
    const clock = manualClock();
    const gitRemote = { url: `${server.url}/five.git`, branch: 'main', pushInterval: '15m' };
    remote('five.git');
    let comes = true;
    const watch: BackupWatch = new BackupWatch({
      ...{ dataDirectory: data.path, memory: { gitCommitInterval: '5m', gitRemote } },
      ...{ clock, closingMs: 60_000, credentials: () => Promise.resolve(credentials) },
      holdsSecret: () => {
        if (comes) watch.see({ kind: 'Noted', timeMs: clock.nowMs() });
        comes = false;
        return false;
      },
    });
    watch.see({ kind: 'Noted', timeMs: clock.nowMs() });
    clock.advance(1_000);
    const cameMs = clock.nowMs();
    await watch.close();
    expect(watch.figures()).toMatchObject({ commit: { unsavedSinceMs: cameMs }, push: { unsavedSinceMs: cameMs } });
    // The next commit finds nothing new, so what is pushed has it, too.
    await watch.close();
    expect(watch.figures()).toMatchObject({ commit: { lagMs: 0 }, push: { unsavedSinceMs: undefined, lagMs: 0 } });
    await data.journal.close();
  });
});

describe('a second life of one individual', () => {
  const watching = (dataDirectory: string, url: string, branch = 'main') => {
    const notices: string[] = [];
    const watch = new BackupWatch({
      ...{ dataDirectory, holdsSecret: () => false, clock: systemClock, closingMs: 60_000 },
      memory: { gitCommitInterval: '5m', gitRemote: { url, branch, pushInterval: '15m' } },
      credentials: () => Promise.resolve(credentials),
      onNotice: (notice) => notices.push(notice),
    });
    return { watch, notices };
  };
  verifies(
    'backup:diverged',
    'is told of a record as of an older commit, too, whose new branch has it all',
    async () => {
      const data = await openDataDirectory(place());
      const { path, url } = remote('older.git');
      const at = { url, branch: 'main', credentials };
      await data.append(5);
      const { commit } = await data.backup.commit();
      await data.append(5);
      await data.backup.commit();
      await data.backup.push(at);
      await data.journal.close();
      const repository = await readRepository(data.backup.directory);
      if (repository === undefined) throw new Error('the repository is there');
      const to = place();
      await restore({ repository, commit, to, isGood: () => Promise.resolve(true) });
      const restored = await openDataDirectory(to);
      await restored.append(1);
      await restored.backup.commit();
      const tip = tipOf(path);
      await expect(restored.backup.push(at)).rejects.toMatchObject({
        ...{ failure: 'Diverged', message: expect.stringMatching(/restored as of an older commit.*name a new branch/) },
      });
      await restored.backup.push({ ...at, branch: 'after' });
      expect([tipOf(path), tipOf(path, 'after')]).toEqual([tip, gitSays(to, 'rev-parse', 'main').trim()]);
      expect(gitSays(to, 'rev-list', '--count', 'main').trim()).toBe('2');
      await restored.journal.close();
    },
  );

  const seen = (kind = 'Noted') => ({ kind, timeMs: systemClock.nowMs() });
  const commitsOf = (directory: string): number => Number(gitSays(directory, 'rev-list', '--count', 'main'));

  verifies('backup:diverged', 'makes the one that pushes second stop, and costs it no commit', async () => {
    const first = await openDataDirectory(place());
    await first.append(5);
    const { path, url } = remote('lives.git');
    const one = watching(first.path, url);
    await one.watch.close();
    expect(one.watch.figures().push).toMatchObject({ trouble: undefined });

    // The same directory on another machine, where it goes on.
    await first.journal.close();
    const elsewhere = place();
    cpSync(first.path, elsewhere, { recursive: true });
    const second = await openDataDirectory(elsewhere);
    await second.append(5);
    const two = watching(elsewhere, url);
    await two.watch.close();
    const tip = tipOf(path);
    expect(tip).toBe(gitSays(elsewhere, 'rev-parse', 'main').trim());
    expect(two.notices).toEqual([]);

    const here = await openDataDirectory(first.path);
    await here.append(5);
    one.watch.see(seen());
    await one.watch.close();
    const admitted = server.admitted();
    for (let commits = 0; commits < 2; commits += 1) {
      await here.append(5);
      one.watch.see(seen());
      await one.watch.close();
    }
    expect(one.notices).toEqual([
      expect.stringMatching(
        /^the push of the backup has stopped until the program starts again: .*lives\.git did not take branch main: .*second life.*spec\.memory\.gitRemote\.branch/,
      ),
    ]);
    expect([server.admitted(), tipOf(path), commitsOf(first.path)]).toEqual([admitted, tip, 4]);
    expect(one.watch.figures()).toMatchObject({
      commit: { trouble: undefined, unsavedSinceMs: undefined },
      push: { trouble: 'Diverged', unsavedSinceMs: expect.any(Number) },
      failures: 1,
    });

    // The next start looks again; a branch of its own takes what it has.
    const again = watching(first.path, url);
    again.watch.takeUp({
      known: { commit: undefined, push: { why: 'Diverged', sinceMs: 1000 } },
      write: () => Promise.resolve(),
    });
    expect(again.watch.figures().push).toMatchObject({ trouble: 'Diverged', unsavedSinceMs: 1000 });
    await again.watch.close();
    expect(again.notices).toHaveLength(1);
    const renamed = watching(first.path, url, 'first');
    await renamed.watch.close();
    expect(renamed.notices).toEqual([]);
    expect([tipOf(path), tipOf(path, 'first')]).toEqual([tip, gitSays(first.path, 'rev-parse', 'main').trim()]);
    await Promise.all([second.journal.close(), here.journal.close()]);
  });
});
