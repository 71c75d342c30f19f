/** Commits at a remote over HTTPS: whose certificates are trusted. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { readGitAuthorities } from '@retainer/agent-pod/boot/read-git-authorities';
import { push } from '@retainer/agent-pod/backup/push';
import { BackupWatch } from '@retainer/agent-pod/upkeep/backup-watch';
import { systemClock } from '@retainer/contract/std/system-clock';
import { gitSays, openDataDirectory } from '../support/backups.ts';
import { makeCertificates } from '../support/certificates.ts';
import { type GitServer, initRemote, startGitServer, tipOf } from '../support/git-server.ts';
import { endAll, startRetainer, type Ended } from '../support/retainer-command.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const credentials = { kind: 'Password', username: 'ada', password: 'never told' } as const;
const certificates = makeCertificates();
const root = temporaryDirectory();
let server: GitServer;
let directories = 0;

beforeAll(async () => {
  mkdirSync(join(root.path, 'remotes'));
  const { username, password } = credentials;
  server = await startGitServer(join(root.path, 'remotes'), username, password, certificates.signed);
});
afterAll(async () => {
  endAll();
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

describe('a run on a machine', () => {
  /** Refuses every key, so that a run ends soon; the record of that is copied. */
  const model = createServer((request, response) => {
    request.resume();
    const error = { type: 'authentication_error', message: 'invalid x-api-key' };
    response.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify({ type: 'error', error }));
  });
  beforeAll(() => new Promise<void>((resolve) => void model.listen(0, '127.0.0.1', resolve)));
  afterAll(() => {
    model.closeAllConnections();
    model.close();
  });

  async function run(url: string, variables: Readonly<Record<string, string>>): Promise<Ended> {
    const file = join(root.path, 'manifests.yaml');
    const honest = { id: 'honest', description: 'Be honest.', level: 'IntellectualHonesty', operator: 'Required' };
    const memory = { gitRemote: { url } };
    const objects = [
      { kind: 'CharacterSpec', name: 'plain', spec: { persona: 'A friend.', highestEndeavour: [honest] } },
      { kind: 'Agent', name: 'ada', spec: { characterRef: { name: 'plain' }, memory } },
      { kind: 'Task', name: 'greet', spec: { agentRef: { name: 'ada' }, intent: 'Say hello.' } },
    ];
    const texts = objects.map(({ kind, name, spec }) =>
      JSON.stringify({ apiVersion: 'retainer.dev/v1alpha1', kind, metadata: { name }, spec }),
    );
    writeFileSync(file, texts.join('\n---\n'));
    const { port } = model.address() as AddressInfo;
    const claude = { ANTHROPIC_API_KEY: 'sk-ant-refused', ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}` };
    const { username, password } = credentials;
    const account = { RETAINER_GIT_USERNAME: username, RETAINER_GIT_PASSWORD: password };
    const args = ['run', '-f', file, '--data', place(), '--model', 'claude'];
    return startRetainer(args, { variables: { ...claude, ...account, ...variables } }).ended;
  }

  verifies('backup:authorities', 'trusts those of NODE_EXTRA_CA_CERTS, and names it where it is missing', async () => {
    const { path, url } = remote('machine.git');
    const { stderr } = await run(url, { NODE_EXTRA_CA_CERTS: '' });
    expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(
      /certificate is of an authority that nobody here knows.*NODE_EXTRA_CA_CERTS/,
    );
    expect(server.admitted()).toBe(0);
    const authorities = join(root.path, 'authorities.pem');
    writeFileSync(authorities, certificates.ca);
    await run(url, { NODE_EXTRA_CA_CERTS: authorities });
    expect(tipOf(path)).toMatch(/^[0-9a-f]{40}$/);
  });
});

describe('a push over HTTPS', () => {
  verifies('backup:authorities', 'trusts the authority that is named, and says which is not known', async () => {
    const data = await openDataDirectory(place());
    await data.append(20);
    const { commit } = await data.backup.commit();
    const { path, url } = remote('secure.git');
    const before = server.admitted();
    const to = { url, branch: 'main', credentials };
    const unknown = /certificate is of an authority that nobody here knows: .*gitRemote\.caBundleRef/;
    await expect(push(data.backup.directory, to)).rejects.toThrow(unknown);
    const other = certificates.selfSigned.cert;
    await expect(push(data.backup.directory, { ...to, authorities: other })).rejects.toThrow(unknown);
    expect(server.admitted()).toBe(before);
    await push(data.backup.directory, { ...to, authorities: certificates.ca });
    expect(tipOf(path)).toBe(commit);
    const trusted = readFileSync(`${data.backup.directory}.authorities`, 'utf8');
    for (const known of rootCertificates) expect(trusted).toContain(known);
    await data.journal.close();
  });

  verifies(
    'backup:authorities',
    'reads them for each push, and tells a ConfigMap that is not there by its field',
    async () => {
      const data = await openDataDirectory(place());
      await data.append(5);
      const { path, url } = remote('mounted.git');
      const mount = place();
      const caBundleRef = { name: 'company', key: 'ca.crt' };
      const memory = {
        gitCommitInterval: '1s',
        gitRemote: { url, branch: 'main', pushInterval: '1s', caBundleRef },
      };
      const notices: string[] = [];
      const watch = new BackupWatch({
        ...{ dataDirectory: data.path, memory, clock: systemClock, closingMs: 60_000 },
        holdsSecret: () => false,
        credentials: () => Promise.resolve(credentials),
        authorities: () => readGitAuthorities(mount, memory),
        onNotice: (notice) => notices.push(notice),
      });
      await watch.close();
      expect(notices).toEqual([
        expect.stringMatching(
          /gitRemote\.caBundleRef: ConfigMap company has no key ca\.crt, or does not exist: kubectl create/,
        ),
      ]);
      mkdirSync(mount);
      writeFileSync(join(mount, 'ca.crt'), 'no certificate');
      await watch.close();
      expect(notices.at(-1)).toMatch(/key ca\.crt of ConfigMap company must hold certificates in PEM$/);
      writeFileSync(join(mount, 'ca.crt'), certificates.ca);
      await watch.close();
      expect(notices.at(-1)).toBe('the push of the backup works again');
      expect(tipOf(path)).toBe(gitSays(data.path, 'rev-parse', 'main').trim());
      await data.journal.close();
    },
  );
});
