/** What is foreign steers no commit and no push: of the machine, the person, the environment, the repository and the workspace. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { push } from '@retainer/agent-pod/backup/push';
import { readRepository } from '@retainer/agent-pod/backup/repository';
import { restore } from '@retainer/agent-pod/backup/restore';
import { BackupProcess } from '../support/backup-process.ts';
import { gitSays, openDataDirectory } from '../support/backups.ts';
import { type GitServer, initRemote, startGitServer, tipOf } from '../support/git-server.ts';
import { hostileGit } from '../support/hostile-git.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const credentials = { kind: 'Password', username: 'ada', password: 'a password of a remote' } as const;
const root = temporaryDirectory();
let server: GitServer;
beforeAll(async () => {
  mkdirSync(join(root.path, 'remotes'));
  server = await startGitServer(join(root.path, 'remotes'), credentials.username, credentials.password);
});
afterAll(async () => {
  await server.close();
  await root.remove();
});

interface Remote {
  readonly remote: { readonly url: string; readonly branch: string; readonly credentials: typeof credentials };
  readonly tip: () => string;
}

function newRemote(name: string): Remote {
  const path = join(root.path, 'remotes', name);
  initRemote(path);
  return {
    remote: { url: `${server.url}/${name}`, branch: 'main', credentials },
    tip: () => tipOf(path),
  };
}

const noOverlay =
  spawnSync('unshare', ['--map-root-user', '--mount', 'true']).status === 0 ? undefined : 'no namespace';

describe.skipIf(noOverlay !== undefined)(noOverlay ?? 'of machine, person and environment', () => {
  verifies('backup:nothing-foreign', 'steers a commit and a push: the same objects, and nothing else ran', async () => {
    const data = await openDataDirectory(join(root.path, 'data'));
    const { remote, tip } = newRemote('environment.git');
    const hostile = hostileGit(join(root.path, 'hostile'), remote.url);
    await data.append(20);
    data.writeFile('.gitattributes', '* filter=hostile text eol=crlf\n');
    data.writeFile('lines.txt', 'one\ntwo $Id$\n');
    cpSync(data.path, `${data.path}-control`, { recursive: true });
    const child = await new BackupProcess(data.path, hostile.prefix, hostile.environment).ready();
    const [, commit] = (await child.ask({ do: 'commit' }))?.split(' ') ?? [];
    expect(await child.ask({ do: 'push', remote })).toBe('done ');
    expect(tip()).toBe(commit);
    await data.append(20);
    await child.ask({ do: 'commit' });
    expect(await child.ask({ do: 'push', remote })).toBe('done ');
    await child.close();
    expect(hostile.traces()).toEqual([]);
    expect(gitSays(data.path, 'cat-file', '-p', commit ?? '')).not.toContain('Mallory');
    expect(readdirSync(join(data.path, 'git')).filter((name) => name === 'hooks')).toEqual([]);
    gitSays(data.path, 'fsck', '--strict', '--full');
    const control = await new BackupProcess(`${data.path}-control`).ready();
    await control.ask({ do: 'commit' });
    await control.close();
    expect(gitSays(data.path, 'rev-parse', 'main~1^{tree}')).toBe(
      gitSays(`${data.path}-control`, 'rev-parse', 'main^{tree}'),
    );
    await data.journal.close();
  });

  verifies('backup:nothing-foreign', 'would be obeyed by a git that is started without care', () => {
    const { remote } = newRemote('control.git');
    const hostile = hostileGit(join(root.path, 'hostile-control'), remote.url);
    const place = join(root.path, 'control');
    const { HOME, GIT_EXEC_PATH: _, ...environment } = hostile.environment;
    const careless = (env: Readonly<Record<string, string>>, ...args: readonly string[]): void =>
      void spawnSync('/usr/bin/git', args, { env, stdio: 'ignore' });
    const home = { HOME: HOME ?? '', PATH: '/usr/bin:/bin' };
    careless({ PATH: '/usr/bin:/bin' }, 'init', '--quiet', place);
    careless(home, '-C', place, 'status');
    const ofPerson = hostile.traces().length;
    expect(ofPerson).toBeGreaterThan(0);
    careless(environment, 'version');
    expect(hostile.traces().length).toBeGreaterThan(ofPerson);
    const program = [...hostile.prefix, '/usr/bin/git', 'config', '--system', 'user.name'];
    const [name = '', ...args] = program;
    expect(spawnSync(name, args, { encoding: 'utf8' }).stdout).toBe('Mallory\n');
  });
});

describe('of the repository', () => {
  verifies('backup:nothing-foreign', 'steers no push, even what came after the commit', async () => {
    const data = await openDataDirectory(join(root.path, 'planted'));
    const { remote, tip } = newRemote('planted.git');
    const hostile = hostileGit(join(root.path, 'hostile-planted'), remote.url);
    await data.append(20);
    const { commit } = await data.backup.commit();
    const git = data.backup.directory;
    cpSync(hostile.hooks, join(git, 'hooks'), { recursive: true });
    writeFileSync(join(git, 'config'), hostile.configuration);
    for (const name of ['info', 'objects/info', 'refs/replace']) mkdirSync(join(git, name), { recursive: true });
    writeFileSync(join(git, 'info/attributes'), '* filter=hostile\n');
    writeFileSync(join(git, 'objects/info/alternates'), `${join(root.path, 'remotes', 'planted.git', 'objects')}\n`);
    writeFileSync(join(git, 'refs/replace', commit), `${'0'.repeat(39)}1\n`);
    writeFileSync(join(git, 'info/grafts'), `${commit} ${'0'.repeat(39)}1\n`);
    const notices = await push(git, remote);
    expect(notices.join('\n')).toMatch(/hooks was removed[^]*alternates was removed[^]*config was written again/);
    expect(tip()).toBe(commit);
    expect(hostile.traces()).toEqual([]);
    await data.append(20);
    const next = await data.backup.commit();
    await push(git, remote);
    expect(tip()).toBe(next.commit);
    expect(hostile.traces()).toEqual([]);
    await data.journal.close();
  });
});

describe('of the workspace', () => {
  verifies('backup:nothing-foreign', 'steers nothing, and comes back as it was: repositories of its own', async () => {
    const data = await openDataDirectory(join(root.path, 'nested'));
    const { remote, tip } = newRemote('nested.git');
    const hostile = hostileGit(join(root.path, 'hostile-nested'), remote.url);
    const workspace = join(data.path, 'workspace');
    const env = { PATH: process.env['PATH'], HOME: root.path, GIT_CONFIG_NOSYSTEM: '1' };
    const git = (...args: readonly string[]): void => void execFileSync('git', args, { env, stdio: 'ignore' });
    // The workspace itself is a repository, with a submodule, and with one that has no objects of its own.
    const inner = join(root.path, 'inner');
    for (const place of [inner, workspace]) {
      git('init', '--quiet', place);
      writeFileSync(join(place, 'file.txt'), 'of the repository\n');
      writeFileSync(join(place, '.gitattributes'), '* filter=hostile text eol=crlf export-ignore\n');
      git('-C', place, 'add', '.');
      git('-C', place, '-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '-m', 'first');
    }
    git('-C', workspace, '-c', 'protocol.file.allow=always', 'submodule', 'add', inner, 'sub');
    git('clone', '--shared', inner, join(workspace, 'shared'));
    git('clone', '--bare', inner, join(workspace, 'bare.git'));
    for (const directory of ['.git', '.git/modules/sub', 'shared/.git', 'bare.git']) {
      writeFileSync(join(workspace, directory, 'config'), hostile.configuration);
      rmSync(join(workspace, directory, 'hooks'), { recursive: true, force: true });
      cpSync(hostile.hooks, join(workspace, directory, 'hooks'), { recursive: true });
    }
    await data.append(20);
    const { commit } = await data.backup.commit();
    await push(data.backup.directory, remote);
    expect(tip()).toBe(commit);
    expect(hostile.traces()).toEqual([]);
    gitSays(data.path, 'fsck', '--strict', '--full');
    const to = join(root.path, 'nested-restored');
    const repository = await readRepository(data.backup.directory);
    if (repository === undefined) throw new Error('no repository');
    await restore({ repository, commit, to, isGood: () => Promise.resolve(true) });
    expect(contentsOf(join(to, 'workspace'))).toEqual(contentsOf(workspace));
    expect(contentsOf(workspace).get('.git/modules/sub/config')).toBe(hostile.configuration);
    // For git, none of them is a repository, a submodule or an attribute.
    const names = gitSays(data.path, 'ls-tree', '-r', '--format=%(objecttype) %(path)', 'main').trimEnd().split('\n');
    expect(names.filter((name) => !name.startsWith('blob '))).toEqual([]);
    expect(names.filter((name) => /\/\.git/.test(name))).toEqual([]);
    await data.journal.close();
  });
});

function contentsOf(directory: string): ReadonlyMap<string, string> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name));
  return new Map(paths.toSorted().map((path) => [path.slice(directory.length + 1), readFileSync(path, 'latin1')]));
}
