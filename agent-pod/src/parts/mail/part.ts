/** Letters are read, what they set off begins, mails are sent, and people are asked by mail. */
import type { PodPart } from '../pod-part.ts';
import { letterStarter } from './letter-starter.ts';
import { mailboxReader } from './mailbox-reader.ts';
import { checkInbox, listContacts, readMessage } from './read-mail.ts';
import { sendEmail } from './send-email.ts';

export const mailPod: PodPart = {
  name: 'mail',
  tools: [sendEmail, listContacts, checkInbox, readMessage],
  components: ({ mail, clock, parts }) => {
    if (mail === undefined) return [];
    const { servers, runs, outbox, dialogue } = mail;
    return [
      mailboxReader({ clock, parts, mailbox: servers.mailbox, runs }),
      letterStarter({ clock, parts, runs }),
      outbox,
      dialogue,
    ];
  },
};
