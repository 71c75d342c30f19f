/** The store of mail. */
import { defineStore } from '../../part/store.ts';
import { mailKinds } from './mail-records.ts';

export const mailStore = defineStore({
  name: 'mail',
  durability: 'durable',
  kinds: mailKinds,
  writers: {
    Runtime: [
      'MailboxOpened',
      'MailSeen',
      'MailRepeated',
      'MailAdmitted',
      'MailHeld',
      'MailDropped',
      'MailTripped',
      'MailRequested',
      'MailHanded',
      'MailSent',
      'MailFailed',
      'MailUnknown',
      'MailBounced',
      'MailWithheld',
    ],
    Person: ['MailReleased'],
  },
});
