/** The channels between people and the agent. Source: design 3; springdrift 10; reliability-security 5. */
import { z } from 'zod';
import { setList, withRules } from './cel-rule.ts';
import { AddressPattern, DurationText, HostPattern, LocalRef, SecretKeyRef } from './fields.ts';

const ADDRESSES_MAX = 256;
const Port = z.int().min(1).max(65_535);
const Host = z
  .string()
  .min(1)
  .max(253)
  .regex(/^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/);

const EmailChannel = withRules(
  z
    .object({
      address: z
        .string()
        .max(254)
        .regex(/^[A-Za-z0-9._%+'-]+@[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/)
        .describe('The agent’s own address.'),
      imap: z
        .object({
          host: Host.describe('Server; TLS is required.'),
          port: Port.default(993).describe('Port.'),
          mailbox: z.string().min(1).max(255).default('INBOX').describe('Mailbox that is read.'),
        })
        .describe('Where mail comes from.'),
      smtp: z
        .object({
          host: Host.describe('Server; TLS is required.'),
          port: Port.default(465).describe('Port.'),
          tls: z.enum(['Implicit', 'StartTls']).default('Implicit').describe('How TLS begins.'),
        })
        .describe('Where mail goes.'),
      credentialsSecretRef: LocalRef.describe('Secret with username and password.'),
      allowedSenders: setList(z.array(AddressPattern).max(ADDRESSES_MAX))
        .default([])
        .describe('Who may write to the agent; empty for nobody. Checked with aligned authentication.'),
      allowedRecipients: setList(z.array(AddressPattern).max(ADDRESSES_MAX))
        .default([])
        .describe('Whom the agent may write to; empty for nobody.'),
      trustedAuthenticationService: Host.optional().describe(
        'Service id of the provider whose Authentication-Results header is believed; DKIM is verified here where absent.',
      ),
      pollInterval: DurationText.default('60s').describe(
        'How often mail is looked for where the server cannot notify.',
      ),
      sendsPerHour: z.int().min(0).max(1000).default(20).describe('Messages sent in a rolling hour.'),
      repliesPerThreadPerHour: z.int().min(0).max(100).default(5).describe('Replies in one thread in a rolling hour.'),
      messagesPerCorrespondentPerDay: z.int().min(0).max(1000).default(20).describe('Messages to one person in a day.'),
      messageBytesMax: z.int().min(1024).max(52_428_800).default(10_485_760).describe('Largest message that is read.'),
      attachmentsMax: z.int().min(0).max(100).default(20).describe('Attachments of one message that are read.'),
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
      message: 'the agent’s own address must not be an allowed sender: it would answer itself',
      fieldPath: '.allowedSenders',
    },
  ],
);

export const AgentChannels = z
  .object({
    chat: z
      .object({
        enabled: z.boolean().default(true).describe('Serve the console and chat.'),
        tokenSecretRef: SecretKeyRef.optional().describe(
          'Access token; one is made and kept on the volume where absent.',
        ),
        allowedHosts: setList(z.array(HostPattern).max(32))
          .default([])
          .describe('Host names under which the console is reached, besides the service’s own.'),
      })
      .prefault({})
      .describe('Chat and console.'),
    inbox: z
      .object({
        enabled: z.boolean().default(true).describe('Take requests from tasks/inbox.md on the volume.'),
      })
      .prefault({})
      .describe('Requests written into a file.'),
    email: EmailChannel.optional(),
  })
  .describe('How people reach the agent. Tasks always do.');
export type AgentChannels = z.infer<typeof AgentChannels>;
