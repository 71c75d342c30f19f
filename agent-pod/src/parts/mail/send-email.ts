/**
 * The tool that writes to people.
 *
 * I1  Its arguments take no receiver outside `allowedRecipients`: such a call ends before any gate and any model sees it, and again just
 *     before it would run. The outbox looks a third time.
 * I2  A first letter to somebody asks a person, whatever the character grants.
 * I3  One call sends one mail: the record knows it by the call's id.
 *
 * Source: springdrift 7, 10; reliability-security 5 (fixed recipients).
 */
import { isListedAddress } from '@retainer/mind/gate/provenance/mail-address';
import { isMailAddress, SUBJECT_CHARACTERS_MAX } from '@retainer/mind/parts/mail/header-values';
import type { KeptOutgoing } from '@retainer/mind/parts/mail/kept-mail';
import {
  isFirstContact,
  MAIL_CHARACTERS_MAX,
  mailIdOf,
  outgoingOf,
  RECIPIENTS_MAX,
  type SendRequest,
} from '@retainer/mind/parts/mail/outgoing';
import { z } from 'zod';
import type { MailPort, SendOutcome } from '../../ports/mail.ts';
import { ownFacts } from '../../tools/plain-tool.ts';
import type { MailToolSettings, OfferedTool, ToolContext, ToolDescriptor, ToolOutput } from '../../tools/tool.ts';

/** A server takes seconds, and the outbox waits for it 45 s: what is not over then goes on without the call. */
const TIMEOUT_MS = 60_000;

interface Input {
  readonly to: readonly string[];
  readonly subject: string;
  readonly body: string;
  readonly letterId?: string | undefined;
}

function inputOf({ allowedRecipients }: MailToolSettings): z.ZodType<Input> {
  const isAllowed = (address: string): boolean =>
    allowedRecipients.includes('*') || isListedAddress(address, allowedRecipients);
  const address = z
    .string()
    .refine(isMailAddress, 'must be a bare address, as ann@example.org')
    .refine(isAllowed, 'is not in allowedRecipients of the Agent, so nobody can let you write there');
  return z.strictObject({
    to: z.array(address).min(1).max(RECIPIENTS_MAX).describe('Bare addresses.'),
    subject: z.string().min(1).max(SUBJECT_CHARACTERS_MAX).describe('One line.'),
    body: z.string().min(1).max(MAIL_CHARACTERS_MAX).describe('Plain text.'),
    letterId: z.string().max(80).optional().describe('A letter that it answers, to its sender alone.'),
  });
}

export const sendEmail: ToolDescriptor<Input> = {
  facts: {
    ...ownFacts,
    name: 'send_email',
    effectClass: 3,
    reachesOutside: true,
    target: { kind: 'Place', parts: [] },
    verb: { verb: 'sends a mail', text: 'body' },
    arguments: { to: 'Destination', subject: 'Content', body: 'Content', letterId: 'Target' },
  },
  offer: ({ mail }) => (mail === undefined ? undefined : offered(mail)),
};

function offered(settings: MailToolSettings): OfferedTool<Input> {
  return {
    description: 'Sends a mail in plain text. Each call sends one; do not repeat a call whose mail is recorded.',
    input: inputOf(settings),
    timeoutMs: TIMEOUT_MS,
    touches: ({ to }) => ({ readPaths: [], writePaths: [], domains: [...new Set(to.map(domainOf))] }),
    asks: ({ to }, { mail }) => {
      const first = to.filter((address) => isFirstContact(mail, address));
      return first.length === 0 ? undefined : `It would be the first letter to ${first.join(', ')}.`;
    },
    run: (input, context, signal) => send(input, context, signal),
    lookup: (input, context, signal) => lookUp(input, context, signal),
  };
}

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase();

const failed = (text: string): ToolOutput => ({ isError: true, text });

function requestOf({ to, subject, body, letterId }: Input, { callId, runId }: ToolContext): SendRequest {
  const answered = letterId === undefined ? {} : { letterId };
  return { kind: 'Tool', to: [...to], subject, text: body, callId, runId, ...answered };
}

async function send(input: Input, context: ToolContext, signal: AbortSignal): Promise<ToolOutput> {
  const { mail } = context;
  if (mail === undefined)
    return failed('The agent has no mail at the moment: its server or its credentials are missing.');
  const request = requestOf(input, context);
  const made = outgoingOf(mail.known(), request, mail);
  if (!made.ok) return failed(`Nothing was sent. ${made.error}.`);
  return told(await mail.send(request, signal), mail, request);
}

/** The record has a mail before its server is asked, so a call without one sent nothing. */
async function lookUp(input: Input, context: ToolContext, signal: AbortSignal): Promise<ToolOutput> {
  const request = requestOf(input, context);
  if (context.mail?.known().outgoing.has(mailIdOf(request)) !== true)
    return failed('The agent ended before the mail was recorded, so nothing was sent.');
  return told(await context.mail.send(request, signal), context.mail, request);
}

function told(outcome: SendOutcome, mail: MailPort, request: SendRequest): ToolOutput {
  const mailId = mailIdOf(request);
  const kept = mail.known().outgoing.get(mailId);
  switch (outcome) {
    case 'Sent':
      return { isError: false, text: `The mail ${mailId} was sent to ${request.to.join(', ')}.` };
    case 'Pending':
      return {
        isError: false,
        text: `The mail ${mailId} is recorded. Its server does not take it at the moment; it is tried again for a day.`,
      };
    case 'Unknown':
      return failed(
        `The connection broke while the mail ${mailId} was sent. Nobody knows whether it arrived, and it is not sent again. Say so.`,
      );
    case 'Withheld':
      return failed(withheldText(mailId, kept));
    case 'Failed':
      return failed(`The mail ${mailId} was not sent: ${kept?.reason ?? 'it fits no letter'}.`);
  }
}

function withheldText(mailId: string, kept: KeptOutgoing | undefined): string {
  return `The mail ${mailId} was not sent: ${kept?.reason ?? 'a limit'} of channels.email forbids it. Say so; another call does not help now.`;
}
