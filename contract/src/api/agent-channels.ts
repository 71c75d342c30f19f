/** The channels between people and the agent. Source: design 3; springdrift 10; reliability-security 5. */
import { z } from 'zod';
import { setList, withRules } from './cel-rule.ts';
import { AddressPattern, ConfigMapKeyRef, DurationText, HostPattern, LocalRef, SecretKeyRef } from './fields.ts';

const ADDRESSES_MAX = 256;
const Port = z.int().min(1).max(65_535);
const Host = z
  .string()
  .min(1)
  .max(253)
  .regex(/^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/);

/** One mailbox, no pattern. */
const Address = z
  .string()
  .max(254)
  .regex(/^[A-Za-z0-9._%+'-]+@[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/);

/** Of one role; few, because the API server limits what a rule over them and all senders may cost: 64 exceed it. */
const NAMED_MAX = 32;

/** Whether the address `a` is one of `allowedSenders` or of a domain there, upper or lower case. An expression in CEL. */
const IS_SENDER =
  "self.allowedSenders.exists(s, s.lowerAscii() == a.lowerAscii() || (s.startsWith('*@') && a.lowerAscii().endsWith(s.substring(1).lowerAscii())))";

const EmailChannel = withRules(
  z
    .object({
      address: Address.describe('Mail address of the agent.'),
      imap: z
        .object({
          host: Host.describe('Host name of the server; TLS is required.'),
          port: Port.default(993).describe('Port.'),
          mailbox: z.string().min(1).max(255).default('INBOX').describe('Mailbox to read.'),
        })
        .describe('Server for incoming mail (IMAP).'),
      smtp: z
        .object({
          host: Host.describe('Host name of the server; TLS is required.'),
          port: Port.default(465).describe('Port.'),
          tls: z.enum(['Implicit', 'StartTls']).default('Implicit').describe('Start of TLS: at once, or by STARTTLS.'),
        })
        .describe('Server for outgoing mail (SMTP).'),
      credentialsSecretRef: LocalRef.describe(
        'Secret with username and password, for both servers; read at each connection. Runs on a local machine take them from RETAINER_MAIL_USERNAME and RETAINER_MAIL_PASSWORD, or from files in RETAINER_MAIL_CREDENTIALS.',
      ),
      caConfigMapRef: ConfigMapKeyRef.optional().describe(
        'Certificates of authorities, PEM, that are trusted beside the usual ones, for mail servers of your own; read at each connection. Runs on a local machine take the ConfigMap of their manifests, and NODE_EXTRA_CA_CERTS.',
      ),
      allowedSenders: setList(z.array(AddressPattern).max(ADDRESSES_MAX))
        .default([])
        .describe(
          'Addresses that may write to the agent; empty for none. The sender must be authenticated for the same domain.',
        ),
      allowedRecipients: setList(z.array(AddressPattern).max(ADDRESSES_MAX))
        .default([])
        .describe('Addresses that the agent may write to; empty for none.'),
      owners: setList(z.array(Address).max(NAMED_MAX))
        .default([])
        .describe(
          'Addresses of people who may read what Tasks left in the memory; anybody else reads only what their own letters left. They must be in allowedSenders.',
        ),
      approvers: setList(z.array(Address).max(NAMED_MAX))
        .default([])
        .describe(
          'Addresses of people who may approve an effect by mail, never one of class 4; empty for none. This bypasses the check of the API server. They must be in allowedSenders.',
        ),
      agentPeers: setList(z.array(Address).max(NAMED_MAX))
        .default([])
        .describe(
          'Addresses of other agents, whose automatic mail is answered within budgets.hopsMax and budgets.pairExchangesMax. They must be in allowedSenders.',
        ),
      trustedAuthenticationService: Host.optional().describe(
        'Service id of the provider whose Authentication-Results header is trusted; absent: the agent verifies DKIM itself.',
      ),
      pollInterval: DurationText.default('60s').describe(
        'Interval between checks for new mail, if the server sends no notifications.',
      ),
      sendsPerHour: z.int().min(0).max(1000).default(20).describe('Maximum number of messages sent in a rolling hour.'),
      repliesPerThreadPerHour: z
        .int()
        .min(0)
        .max(100)
        .default(5)
        .describe('Maximum number of replies in one thread in a rolling hour.'),
      messagesPerCorrespondentPerDay: z
        .int()
        .min(0)
        .max(1000)
        .default(20)
        .describe('Maximum number of messages to one person in a day.'),
      messageBytesMax: z
        .int()
        .min(1024)
        .max(52_428_800)
        .default(10_485_760)
        .describe('Maximum size of a message that the agent reads.'),
      attachmentsMax: z
        .int()
        .min(0)
        .max(100)
        .default(20)
        .describe('Maximum number of attachments that the agent reads of one message.'),
    })
    .describe('Mail.'),
  [
    {
      rule: "duration(self.pollInterval) >= duration('10s') && duration(self.pollInterval) <= duration('24h')",
      message: 'pollInterval must be between 10s and 24h',
      fieldPath: '.pollInterval',
    },
    {
      rule: '!self.allowedSenders.exists(a, a.lowerAscii() == self.address.lowerAscii())',
      message: 'allowedSenders must not contain address: the agent would answer itself',
      fieldPath: '.allowedSenders',
    },
    ...['owners', 'approvers', 'agentPeers'].map((field) => ({
      rule: `self.${field}.all(a, ${IS_SENDER})`,
      message: `${field} must be in allowedSenders, by address or by *@ and the domain`,
      fieldPath: `.${field}`,
    })),
    ...['owners', 'approvers', 'agentPeers'].map((field) => ({
      rule: `!self.${field}.exists(a, a.lowerAscii() == self.address.lowerAscii())`,
      message: `${field} must not contain address, which is the agent’s own`,
      fieldPath: `.${field}`,
    })),
    ...['owners', 'approvers'].map((field) => ({
      rule: `!self.${field}.exists(a, self.agentPeers.exists(p, p.lowerAscii() == a.lowerAscii()))`,
      message: `${field} must not contain an address of agentPeers: it is for people`,
      fieldPath: `.${field}`,
    })),
  ],
);

/** What an Agent may set for mail. */
export const MAIL_FIELDS: readonly string[] = Object.keys(EmailChannel.shape);

export const AgentChannels = z
  .object({
    chat: z
      .object({
        enabled: z.boolean().default(true).describe('Serve the console and chat.'),
        tokenSecretRef: SecretKeyRef.optional().describe(
          'Access token; absent: the agent creates one and keeps it on its volume.',
        ),
        allowedHosts: setList(z.array(HostPattern).max(32))
          .default([])
          .describe('Further host names of the console, besides the service’s own.'),
      })
      .prefault({})
      .describe('Chat and console.'),
    inbox: z
      .object({
        enabled: z.boolean().default(true).describe('Read requests from tasks/inbox.md on the volume.'),
      })
      .prefault({})
      .describe('Requests in a file.'),
    email: EmailChannel.optional(),
  })
  .describe('Channels by which people reach the agent, besides Tasks.');
export type AgentChannels = z.infer<typeof AgentChannels>;
