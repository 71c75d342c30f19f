import { AgentMail } from '@retainer/contract/api/agent-mail';
import { CONDITION_MESSAGE_LENGTH_MAX, CONDITION_REASONS } from '@retainer/contract/api/conditions';
import { describe, expect, it } from 'vitest';
import { observedAgent } from '../../../../test/support/observed-agent.ts';
import { verifies } from '../../../../test/verifies.ts';
import type { ObservedAgent } from '../../observe/observe-agent.ts';
import { judgeMail } from './mail-ready.ts';

const email = {
  address: 'ada@example.org',
  imap: { host: 'imap.example.org' },
  smtp: { host: 'smtp.example.org' },
  credentialsSecretRef: { name: 'mail' },
};
const since = '2030-01-01T12:00:00.000Z';
const atWork = { pod: { isReady: true } as ObservedAgent['pod'] };
const counts = { held: 0, unanswered: 0, unknown: 0, tripped: 0 };
const up = { state: 'Up', since } as const;

const noteOf = (incoming: object, outgoing: object = up): AgentMail =>
  AgentMail.parse({ incoming: { ...up, ...incoming }, outgoing: { ...up, ...outgoing }, ...counts });

function judged(note: AgentMail | undefined, { stored = {}, over = atWork, spec = { channels: { email } } } = {}) {
  const observed = observedAgent(spec, over);
  return judgeMail({ ...observed, root: { ...observed.root, status: stored } }, note);
}

const standing = {
  mail: noteOf({ state: 'Down', reason: 'NoTls' }),
  conditions: [{ type: 'MailReady', status: 'False', reason: 'NoTls', message: 'as it was told' }],
};

type Row = readonly [name: string, note: AgentMail | undefined, status: string, reason: string, message: RegExp];

const rows: readonly Row[] = [
  ['nothing', undefined, 'Unknown', 'MailUntold', /not told yet/],
  [
    'a first connection',
    noteOf({ state: 'Connecting' }, { state: 'Untried' }),
    'Unknown',
    'MailUntold',
    /not told yet/,
  ],
  ['both servers', noteOf({ way: 'Idle' }), 'True', 'MailReady', /^letters are read/],
  ['a server without IDLE', noteOf({ way: 'Poll', reason: 'NoIdle' }), 'True', 'MailReady', /^letters are read/],
  ['no mail that was sent yet', noteOf({}, { state: 'Untried' }), 'True', 'MailReady', /^letters are read/],
  [
    'a wrong password',
    noteOf({ state: 'Down', reason: 'LoginRefused' }),
    'False',
    'LoginRefused',
    /^incoming mail \(imap\.example\.org:993\): .*credentialsSecretRef; no restart is needed; the agent works on/,
  ],
  [
    'an outgoing server of a private authority',
    noteOf({}, { state: 'Down', reason: 'CertificateUntrusted' }),
    'False',
    'CertificateUntrusted',
    /^outgoing mail \(smtp\.example\.org:465\): .*spec\.channels\.email\.caConfigMapRef/,
  ],
  [
    'both servers down',
    noteOf({ state: 'Down', reason: 'NoConnection' }, { state: 'Down', reason: 'NoAnswer' }),
    'False',
    'NoConnection',
    /^incoming .*spec\.pod\.egressCidrs/,
  ],
  ['a proxy that refuses', noteOf({ state: 'Down', reason: 'ProxyRefused' }), 'False', 'ProxyRefused', /agentPorts/],
  ['a full mailbox', noteOf({ reason: 'MailboxFull' }), 'False', 'MailboxFull', /delete letters there/],
  ['a word that is not known here', noteOf({ state: 'Down', reason: 'NewWord' }), 'False', 'MailDown', /log of the/],
  ['a word of Ready', noteOf({ state: 'Down', reason: 'AgentReady' }), 'False', 'MailDown', /log of the agent/],
];

describe('MailReady', () => {
  for (const [name, note, status, reason, message] of rows)
    verifies('mail-cluster:condition', `of an agent that tells of ${name}`, () => {
      const { condition, mail } = judged(note);
      expect(condition).toEqual({ type: 'MailReady', status, reason, message: expect.stringMatching(message) });
      expect(CONDITION_REASONS.Agent).toContain(reason);
      expect(mail).toEqual(note);
    });

  verifies('mail-cluster:condition', 'does not exist without mail, whatever was told before', () => {
    const before = { stored: standing, spec: { channels: {} } as never };
    expect(judged(noteOf({}), before)).toEqual({ condition: undefined, mail: undefined });
  });

  verifies('mail-cluster:condition', 'stands as it was while the agent is not at work or connects', () => {
    const [{ type, status, reason, message }] = standing.conditions as [(typeof standing.conditions)[number]];
    const told = { type, status, reason, message };
    const asleep = judged(noteOf({}), { stored: standing, over: { pod: undefined } });
    expect(asleep).toEqual({ condition: told, mail: standing.mail });
    expect(judged(undefined, { stored: standing })).toEqual({ condition: told, mail: standing.mail });
    const connecting = noteOf({ state: 'Connecting' });
    expect(judged(connecting, { stored: standing })).toEqual({ condition: told, mail: connecting });
  });

  it('has a remedy that fits into a message for each word', () => {
    const words = CONDITION_REASONS.Agent.slice(CONDITION_REASONS.Agent.indexOf('CredentialsMissing'));
    for (const reason of words) {
      const { condition } = judged(noteOf({ state: 'Down', reason }));
      expect(condition).toMatchObject({ status: 'False', reason });
      expect(condition?.message.length).toBeLessThan(CONDITION_MESSAGE_LENGTH_MAX);
    }
    expect(words).toContain('SenderRefused');
  });
});
