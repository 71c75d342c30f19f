import { AgentMail } from '@retainer/contract/api/agent-mail';
import { readProxies } from '@retainer/contract/std/proxies';
import type { KeptLetter, KeptOutgoing, Pair } from '@retainer/mind/parts/mail/kept-mail';
import { describe, expect } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import type { MailHealth, ServerHealth } from '../ports/mail.ts';
import { mailProxy } from '../mail/mail-proxy.ts';
import { mailEvent, podMail, type PodMail } from './pod-mail.ts';

const AT_MS = Date.UTC(2030, 0, 1);
const iso = (atMs: number): string => new Date(atMs).toISOString();
const up: ServerHealth = { state: 'Up', sinceMs: AT_MS };

/** A mailbox that was read; letters and mails are as far as figures look at them. */
function stateOf(parts: { letters?: readonly object[]; outgoing?: readonly string[]; pairs?: readonly Pair[] }) {
  return {
    mailboxes: new Map([['INBOX', { uidValidity: '1', uid: 9, sinceMs: 0 }]]),
    letters: new Map((parts.letters ?? []).map((letter, at) => [`m-${at}`, letter as KeptLetter])),
    outgoing: new Map((parts.outgoing ?? []).map((status, at) => [`o-${at}`, { status } as KeptOutgoing])),
    pairs: new Map((parts.pairs ?? []).map((pair, at) => [`bot-${at}@example.org`, pair])),
  };
}

/** As the operator reads it. */
function told(mail: PodMail): AgentMail | undefined {
  const note = mail.note();
  return note === undefined ? undefined : AgentMail.parse(JSON.parse(JSON.stringify(note)));
}

describe('the note on the Lease', () => {
  verifies('mail-cluster:note', 'says nothing where there is no mail, or nothing was tried', () => {
    const known = () => stateOf({});
    const off: ServerHealth = { state: 'Off', sinceMs: 0 };
    const health = (now: MailHealth | undefined) => podMail({ health: () => now, known, begun: () => new Set() });
    expect(health(undefined).note()).toBeUndefined();
    expect(health({ incoming: off, outgoing: off }).note()).toBeUndefined();
    expect(told(health({ incoming: up, outgoing: off }))?.outgoing).toEqual({ state: 'Untried', since: iso(0) });
  });

  verifies('mail-cluster:note', 'counts letters and mails, and has no address and no word of them', () => {
    const words = { head: { from: 'stranger@evil.example', subject: 'SECRET' }, texts: { words: 'SECRET' } };
    const run = (runId: string, isAnswered: boolean) => ({
      status: 'Admitted',
      as: { kind: 'Run', runId },
      isAnswered,
    });
    const state = stateOf({
      letters: [
        { ...words, status: 'Held', isAnswered: false },
        { ...words, ...run('r-1', false) },
        { ...words, ...run('r-2', false) },
        { ...words, ...run('r-3', true) },
        { ...words, status: 'Dropped', isAnswered: false },
      ],
      outgoing: ['Sent', 'Unknown', 'Unknown', 'Failed'],
      pairs: [{ texts: [] }, { texts: [], tripped: { why: 'Alike', atMs: 0, count: 10 } }],
    });
    const health: MailHealth = {
      incoming: { ...up, way: 'Idle' },
      outgoing: { state: 'Down', sinceMs: AT_MS, reason: 'LoginRefused', message: 'SECRET' },
    };
    const mail = podMail({ health: () => health, known: () => state, begun: () => new Set(['r-1', 'r-3']) });
    expect(told(mail)).toEqual({
      incoming: { state: 'Up', since: iso(AT_MS), way: 'Idle' },
      outgoing: { state: 'Down', since: iso(AT_MS), reason: 'LoginRefused' },
      ...{ unread: 1, held: 1, unanswered: 2, unknown: 2, tripped: 1 },
    });
    expect(JSON.stringify(told(mail))).not.toMatch(/SECRET|@/);
  });

  verifies('mail-cluster:note', 'rests while a server stays as it is, whatever the tries come to', () => {
    let incoming: ServerHealth = { state: 'Down', sinceMs: AT_MS, reason: 'NoConnection' };
    const mail = podMail({
      health: () => ({ incoming, outgoing: up }),
      known: () => stateOf({}),
      begun: () => new Set(),
    });
    const first = told(mail);
    expect(told(mail)).toEqual(first);
    incoming = { state: 'Down', sinceMs: AT_MS + 60_000, reason: 'UnknownHost' };
    expect(told(mail)?.incoming).toEqual({ state: 'Down', since: iso(AT_MS), reason: 'UnknownHost' });
    incoming = { state: 'Up', sinceMs: AT_MS + 90_000, way: 'Poll' };
    expect(told(mail)?.incoming).toEqual({ state: 'Up', since: iso(AT_MS + 90_000), way: 'Poll' });
    incoming = { state: 'Down', sinceMs: AT_MS + 95_000, reason: 'UnknownHost' };
    expect(told(mail)?.incoming.since).toBe(iso(AT_MS + 95_000));
  });
});

describe('the way to a mail server', () => {
  const grant = readProxies({ HTTPS_PROXY: 'http://grant:WORD.SIGN@10.96.0.20:3128', NO_PROXY: 'localhost,.svc' });
  const server = { host: 'imap.example.org', port: 993 };
  const way = (addresses: readonly string[], to = server) => mailProxy(grant, to, async () => addresses);

  verifies(
    'mail-cluster:egress',
    'leads through the proxy with the grant to public addresses, on its port',
    async () => {
      const proxy = { host: '10.96.0.20', port: 3128, credentials: { user: 'grant', password: 'WORD.SIGN' } };
      expect(await way(['93.184.216.34'])).toMatchObject(proxy);
      expect(await way([])).toMatchObject(proxy);
      expect(await way(['10.1.2.3', '93.184.216.34'])).toMatchObject(proxy);
    },
  );

  verifies('mail-cluster:egress', 'is direct to a private address and within the cluster', async () => {
    expect(await way(['10.1.2.3', 'fd00::1'])).toBeUndefined();
    expect(await way(['93.184.216.34'], { host: 'mail.tools.svc', port: 993 })).toBeUndefined();
    expect(await mailProxy(readProxies({}), server, async () => ['93.184.216.34'])).toBeUndefined();
    await expect(mailProxy(readProxies({ HTTPS_PROXY: 'ftp://proxy' }), server)).rejects.toThrow(/HTTPS_PROXY/);
  });
});

describe('the Event', () => {
  const agent = { namespace: 'weather', name: 'ada', uid: 'u1' };
  const event = (kind: string, payload: object) => mailEvent(agent, { kind, payload } as never);

  verifies('mail-cluster:events', 'tells of two agents in circles without naming the other one', () => {
    const told = event('MailTripped', { peer: 'bot@example.org', threadId: 't-1', why: 'Hops', count: 10 });
    expect(told).toMatchObject({
      ...{ type: 'Warning', reason: 'MailTripped', about: 't-1' },
      note: expect.stringMatching(/letters of that one wait for a person: retainer mail held -n weather --agent ada$/),
    });
    expect(JSON.stringify(told)).not.toContain('@');
  });

  verifies('mail-cluster:events', 'tells of a mail whose fate is unknown by its id', () => {
    expect(event('MailUnknown', { mailId: 'o-17', reason: 'SECRET' })).toMatchObject({
      ...{ type: 'Warning', reason: 'MailUnknown', about: 'o-17' },
      note: expect.stringMatching(/not sent again: retainer mail show o-17 -n weather --agent ada$/),
    });
    expect(JSON.stringify(event('MailUnknown', { mailId: 'o-17', reason: 'SECRET' }))).not.toContain('SECRET');
    expect(event('MailSent', { mailId: 'o-17' })).toBeUndefined();
  });
});
