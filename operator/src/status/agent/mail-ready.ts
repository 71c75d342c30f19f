/**
 * `status.mail` and MailReady: whether the agent reaches its mail servers, as it notes it on its Lease. The condition stands beside
 * Ready, since an agent works without mail. The last word stands while the agent is not at work, where its Lease was not read, and while
 * it connects. Pure.
 */
import type { AgentMail } from '@retainer/contract/api/agent-mail';
import type { Agent } from '@retainer/contract/api/agent';
import { CONDITION_REASONS } from '@retainer/contract/api/conditions';
import { z } from 'zod';
import type { ObservedAgent } from '../../observe/observe-agent.ts';
import type { AgentCondition } from './agent-condition.ts';
import { isAtWork } from './backup-current.ts';

type Verdict = Pick<AgentCondition, 'status' | 'reason' | 'message'>;
type Email = NonNullable<Agent['spec']['channels']['email']>;
type Server = AgentMail['outgoing'];

export interface JudgedMail {
  /** Undefined where the Agent has no mail. */
  readonly condition: AgentCondition | undefined;
  /** The same, and before the agent told anything. */
  readonly mail: AgentMail | undefined;
}

const TYPE = 'MailReady';

const StoredVerdict = z.object({
  status: z.enum(['True', 'False', 'Unknown']),
  reason: z.enum(CONDITION_REASONS.Agent),
  message: z.string(),
});

/** @param note  undefined if there is none, or this pass did not read the Lease */
export function judgeMail(
  observed: Pick<ObservedAgent, 'root' | 'agent' | 'pod'>,
  note: AgentMail | undefined,
): JudgedMail {
  const { email } = observed.agent.spec.channels;
  if (email === undefined) return { condition: undefined, mail: undefined };
  const { mail } = (observed.root['status'] ?? {}) as { readonly mail?: AgentMail };
  const told = isAtWork(observed) ? note : undefined;
  const verdict = (told && verdictOf(email, told)) ?? standingOf(observed.root) ?? UNTOLD;
  return { condition: { type: TYPE, ...verdict }, mail: told ?? mail };
}

function standingOf({ status }: ObservedAgent['root']): Verdict | undefined {
  const { conditions } = (status ?? {}) as { readonly conditions?: readonly { readonly type: string }[] };
  return StoredVerdict.safeParse(conditions?.find((one) => one.type === TYPE)).data;
}

const UNTOLD: Verdict = {
  status: 'Unknown',
  reason: 'MailUntold',
  message: 'the agent has not told yet that it reaches its mail servers',
};

/** A server for outgoing mail is asked when there is a mail: until then it counts as one that is there. */
function verdictOf({ imap, smtp }: Email, { incoming, outgoing }: AgentMail): Verdict | undefined {
  if (isInTheWay(incoming)) return fault('incoming', imap, incoming);
  if (isInTheWay(outgoing)) return fault('outgoing', smtp, outgoing);
  if (incoming.state !== 'Up') return undefined;
  return { status: 'True', reason: 'MailReady', message: 'letters are read, and mails can be sent' };
}

/** A full mailbox is reached, and takes nothing more. */
function isInTheWay({ state, reason }: Server): boolean {
  return state === 'Down' || (state === 'Up' && reason === 'MailboxFull');
}

function fault(which: string, { host, port }: Email['imap'] | Email['smtp'], { reason = '' }: Server): Verdict {
  const known = Object.entries(REMEDIES).find(([word]) => word === reason);
  const [word, remedy] = (known ?? ['MailDown', OTHERWISE]) as [AgentCondition['reason'], string];
  return {
    status: 'False',
    reason: word,
    message: `${which} mail (${host}:${port}): ${remedy}; the agent works on without it and tries again by itself`,
  };
}

const OTHERWISE = 'the server cannot be used; the log of the agent tells why';

/** What to do, by the word of the agent. It ends no sentence and quotes no server. */
const REMEDIES: Readonly<Partial<Record<AgentCondition['reason'], string>>> = {
  CredentialsMissing: 'put username and password into the Secret of spec.channels.email.credentialsSecretRef',
  LoginRefused:
    'the server refuses name or password: correct the Secret of spec.channels.email.credentialsSecretRef; no restart is needed',
  CertificateExpired: 'the certificate of the server is over: whoever runs the server must renew it',
  CertificateNotYetValid:
    'the certificate of the server is not valid yet: compare the clocks of the server and the node',
  CertificateUntrusted:
    'nobody here trusts the authority of its certificate: put that into a ConfigMap, and name it in spec.channels.email.caConfigMapRef',
  NameMismatch: 'its certificate is for another name: write the name of the certificate into the field host',
  NoTls: 'the server does not answer with TLS: compare port and tls with what the provider says',
  UnknownHost: 'no address is known for this host: compare the field host with what the provider says',
  NoConnection:
    'the server cannot be reached: compare host and port; a private address must be in spec.pod.egressCidrs',
  ProxyRefused:
    'the proxy lets nobody through: its ports must have this one (egressProxy.agentPorts of the chart), and a private address belongs into spec.pod.egressCidrs',
  ProxyUnreachable: 'the proxy on the way cannot be reached: see whether it runs',
  MailboxMissing: 'there is no such mailbox: compare spec.channels.email.imap.mailbox with what the provider says',
  MailboxFull: 'the mailbox is full or nearly: delete letters there, or give it more room',
  TooManyConnections: 'the user has too many connections: end other programs that read this mailbox',
  ServerUnavailable: 'the server says that it cannot serve now: where this does not pass, ask the provider',
  ConnectionLost: 'the connection breaks again and again: where this does not pass, ask the provider',
  NoAnswer: 'the server takes the connection and does not answer: compare port and tls with what the provider says',
  UnexpectedAnswer: 'what answers is no mail server: compare host and port with what the provider says',
  AnswerTooLarge: 'the server sends more than it is asked for: ask the provider',
  SenderRefused: 'the server does not let this user send as spec.channels.email.address: allow it there',
};
