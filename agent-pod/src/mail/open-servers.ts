/** The two servers of an Agent's mail, joined to what reads and builds letters. */
import type { Agent } from '@retainer/contract/api/agent';
import { durationMs } from '@retainer/contract/api/fields';
import type { Proxy } from '@retainer/contract/std/proxies';
import type { Clock } from '@retainer/contract/std/clock';
import type { MailServers } from '../ports/mail.ts';
import type { ServerAccess } from './connect.ts';
import type { DnsResolver } from './letter/limits.ts';
import { readHead, readLetter } from './letter/read-letter.ts';
import { ImapMailbox, type MailboxSettings } from './mailbox.ts';
import { SmtpSender } from './sender.ts';

export interface MailAccess extends Pick<ServerAccess, 'credentials' | 'authorities'> {
  /** The way to a server. Undefined: it is reached directly. */
  readonly proxy: (server: { readonly host: string; readonly port: number }) => Promise<Proxy | undefined>;
  readonly clock: Clock;
  /** 0 to 1; for pauses between tries. */
  readonly random: () => number;
  /** For keys of signatures. */
  readonly resolve: DnsResolver;
  /** Absent: as a server on the internet wants it. */
  readonly pauses?: MailboxSettings['pauses'];
}

type Email = NonNullable<Agent['spec']['channels']['email']>;

export function openServers(email: Email, access: MailAccess): MailServers {
  const { clock, random, credentials, authorities, pauses } = access;
  const shared = { clock, random, credentials, authorities, ...(pauses === undefined ? {} : { pauses }) };
  const { imap, smtp, address, trustedAuthenticationService, messageBytesMax, attachmentsMax } = email;
  const letters = {
    ...{ ownAddress: address, messageBytesMax, attachmentsMax, resolve: access.resolve },
    ...(trustedAuthenticationService === undefined ? {} : { trustedAuthenticationService }),
  };
  return {
    mailbox: new ImapMailbox({
      ...{ ...shared, ...imap, proxy: () => access.proxy(imap), messageBytesMax },
      pollIntervalMs: durationMs(email.pollInterval),
      readLetter: (source, about) => readLetter(source, about, letters),
      readHead: (head, about) => readHead(head, about, letters),
    }),
    sender: new SmtpSender({ ...shared, ...smtp, proxy: () => access.proxy(smtp), address }),
  };
}
