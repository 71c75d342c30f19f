/** `retainer mail check` against a real mail server, with the faults that people meet first. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { tryServers, type Names, type TriedServers, type TrialResult } from '@retainer/agent-pod/mail/try-servers';
import { systemClock } from '@retainer/contract/std/system-clock';
import { characterManifest, writeManifests } from '../support/asking-manifests.ts';
import { agentWithMail, authorityManifest, credentialVariables } from '../support/mail-manifests.ts';
import { AGENT, noMailServer, startMailServer, type MailServer } from '../support/mail-server.ts';
import { endAll, startRetainer, type Ended } from '../support/retainer-command.ts';
import { verifies } from '../verifies.ts';

/** Of a domain with keys and a policy, as a name server tells it. */
const wellNamed: Names = {
  lookup: () => Promise.resolve([{ address: '127.0.0.1' }]),
  resolveTxt: (name) =>
    name.startsWith('_dmarc.') ? Promise.resolve([['v=DMARC1; p=reject']]) : Promise.reject(dnsError('ENODATA')),
};

const dnsError = (code: string): Error => Object.assign(new Error(`queryTxt ${code}`), { code });

describe.skipIf(noMailServer !== undefined)(noMailServer ?? 'retainer mail check', () => {
  let server: MailServer;
  let directory = '';
  beforeAll(async () => {
    server = await startMailServer();
    directory = await mkdtemp(join(tmpdir(), 'retainer-mail-'));
    await write('well', agentWithMail(server));
  });
  afterAll(async () => {
    endAll();
    await server.remove();
    await rm(directory, { recursive: true });
  });

  const write = (name: string, agent: string): Promise<string> =>
    writeManifests(
      join(directory, name),
      [characterManifest(), agent, authorityManifest(server)].join('---'),
      'version: 1\nrules: []\n',
    );

  const check = (name: string, variables: Readonly<Record<string, string>>): Promise<Ended> =>
    startRetainer(['mail', 'check', '-f', join(directory, name)], { variables }).ended;

  const servers = (): TriedServers => {
    const { address: user, password } = AGENT;
    const { host, ca, imapPort, smtpPort } = server;
    const access = {
      host,
      credentials: () => Promise.resolve({ user, password }),
      authorities: () => Promise.resolve([ca]),
    };
    return {
      incoming: { ...access, port: imapPort, mailbox: 'INBOX' },
      outgoing: { ...access, port: smtpPort, tls: 'Implicit', address: AGENT.address },
      egressCidrs: undefined,
    };
  };
  const tried = (changed: Partial<TriedServers> = {}, names = wellNamed): Promise<readonly TrialResult[]> =>
    tryServers({ ...servers(), ...changed }, { names, clock: systemClock, signal: AbortSignal.timeout(60_000) });
  const statuses = (results: readonly TrialResult[]) =>
    Object.fromEntries(results.map(({ trial, status }) => [trial, status]));
  const seenOf = (results: readonly TrialResult[], wanted: string): string =>
    results.find(({ trial }) => trial === wanted)?.seen ?? '';

  verifies(
    'cli-mail:check',
    'has one line for each trial, takes the credentials from the environment, prints none',
    async () => {
      const { stdout, stderr, code } = await check('well', credentialVariables);
      for (const line of [
        /^ok {4}incoming-name +localhost is /m,
        /^ok {4}incoming-tls +the certificate is for localhost, .* valid until \d{4}-\d\d-\d\d$/m,
        /^ok {4}incoming-login +logs in, and opens INBOX$/m,
        /^ok {4}incoming-idle +tells of new mail by itself$/m,
        /^ok {4}outgoing-login +logs in$/m,
        // Whether names of the world can be looked up depends on where the test runs.
        /^(?:warn|fail) {2}signatures +(?:look-ups work; retainer\.example has no|TXT records cannot be looked up)/m,
      ])
        expect(stdout, stderr).toMatch(line);
      expect(stdout + stderr).not.toContain(AGENT.password);
      expect([0, 4]).toContain(code);
    },
  );

  verifies('cli-mail:check', 'says what to set where there are no credentials, no mail or no place', async () => {
    expect(await check('well', {})).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('set RETAINER_MAIL_USERNAME and RETAINER_MAIL_PASSWORD'),
    });
    const wrong = await check('well', { ...credentialVariables, RETAINER_MAIL_PASSWORD: 'another-secret' });
    expect(wrong.code).toBe(4);
    expect(wrong.stdout).toMatch(/^fail {2}incoming-login +localhost:\d+ refuses the user name or the password: put/m);
    expect(wrong.stdout).toMatch(/^skip {2}incoming-idle +not tried, because of the fault above$/m);
    expect(wrong.stdout + wrong.stderr).not.toContain('another-secret');
    const bare = await startRetainer(['mail', 'check', '--data', directory]).ended;
    expect(bare).toMatchObject({ code: 1, stderr: expect.stringContaining('say which agent: -f with its manifests') });
  });

  verifies('cli-mail:check', 'tells each fault of the servers with its fix, and skips what it hinders', async () => {
    const { host, startTlsPort } = server;
    const [untrusted, unknown, noIdle, expired, startTls] = [
      await tried({ incoming: { ...servers().incoming, authorities: () => Promise.resolve([]) } }),
      await tried({}, { ...wellNamed, lookup: () => Promise.reject(dnsError('ENOTFOUND')) }),
      await changedTo({ hasIdle: false }),
      await changedTo({ certificate: 'expired' }),
      await tried({ outgoing: { ...servers().outgoing, port: startTlsPort, tls: 'StartTls' } }),
    ];
    await server.changeImap({});
    expect(statuses(untrusted)).toMatchObject({
      'incoming-tls': 'fail',
      'incoming-login': 'skip',
      'outgoing-login': 'ok',
    });
    expect(seenOf(untrusted, 'incoming-tls')).toContain('caConfigMapRef');
    expect(statuses(unknown)).toMatchObject({
      'incoming-name': 'fail',
      'incoming-tls': 'skip',
      'outgoing-name': 'fail',
    });
    expect(seenOf(unknown, 'incoming-name')).toContain(`no address is known for ${host}:`);
    expect(statuses(noIdle)).toMatchObject({ 'incoming-login': 'ok', 'incoming-idle': 'warn' });
    expect(seenOf(noIdle, 'incoming-idle')).toContain('pollInterval');
    expect(seenOf(expired, 'incoming-tls')).toMatch(
      /^the certificate of \S+ is over: whoever runs the server must renew it/,
    );
    expect(statuses(startTls)).toMatchObject({ 'outgoing-tls': 'ok', 'outgoing-login': 'ok' });
  });

  const changedTo = async (options: Parameters<MailServer['changeImap']>[0]) => {
    await server.changeImap(options);
    return tried();
  };

  verifies('cli-mail:check', 'names the field that lets an agent reach a private address', async () => {
    const names = { ...wellNamed, lookup: () => Promise.resolve([{ address: '10.1.2.3' }]) };
    const closed = await tried({ egressCidrs: ['192.168.0.0/16'] }, names);
    expect(seenOf(closed, 'incoming-name')).toMatch(
      /private address 10\.1\.2\.3.*spec\.pod\.egressCidrs.*10\.1\.2\.3\/32$/,
    );
    expect(statuses(await tried({ egressCidrs: ['10.0.0.0/8'] }, names))).toMatchObject({ 'incoming-name': 'ok' });
  });

  verifies('cli-mail:check', 'tells a domain without keys from a look-up that does not work', async () => {
    const of = async (resolveTxt: Names['resolveTxt']) => {
      const results = await tried({}, { ...wellNamed, resolveTxt });
      return results.find(({ trial }) => trial === 'signatures');
    };
    expect(await of(wellNamed.resolveTxt)).toMatchObject({ status: 'ok' });
    expect(await of(() => Promise.reject(dnsError('ENOTFOUND')))).toMatchObject({
      status: 'warn',
      seen: expect.stringContaining('retainer.example has no DKIM key and no DMARC record'),
    });
    expect(await of(() => Promise.reject(dnsError('ECONNREFUSED')))).toMatchObject({
      status: 'fail',
      seen: expect.stringContaining('trustedAuthenticationService'),
    });
  });
});
