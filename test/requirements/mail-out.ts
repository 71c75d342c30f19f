import type { Requirements } from './requirement.ts';

export const mailOutRequirements = {
  'reliability-security 5': {
    'mail-out:strict-builder': 'No subject, address, id or text of a mail makes a header, a recipient or a second part',
    'mail-out:loop-headers': 'Every mail says that a program wrote it, and how many programs have answered',
    'mail-out:threading':
      'Message-ID, In-Reply-To and References come from the record, and the subject begins with one Re:',
    'mail-out:same-reason-same-mail': 'The same reason makes the same mail, however often it is asked for',
    'mail-out:limits':
      'A mail over a limit of an hour, a thread or a day is recorded and not sent, also after a new start',
    'mail-out:intent-first': 'A mail is in the record before its server is asked, and again before its text may go',
    'mail-out:no-blind-resend':
      'What a server may have is never sent again: it is found in Sent, or told as unknown; what no server had is sent',
    'mail-out:tried-again': 'A refusal that passes is tried again with growing pauses, and ends for good after a day',
    'mail-out:copy-in-sent': 'A copy lies in Sent, once',
  },
  'springdrift 10, 15 (34)': {
    'mail-out:answer':
      'The result of a run that a letter began is one threaded reply to its sender alone, in plain words',
    'mail-out:fixed-line': 'A refused or failed run is answered by one fixed line, with nothing of a model in it',
    'mail-out:judged-as-comms':
      'The texts of a run that answers a letter are judged by the override of Comms as well: a mail is refused what a Task may say',
  },
  'springdrift 7 (Comms)': {
    'mail-tools:offered': 'An Agent without mail is offered no tool of mail',
    'mail-tools:recipients-hard':
      'No model, character or approval lets the agent write to an address outside allowedRecipients',
    'mail-tools:first-letter': 'A first letter to somebody asks a person, and the next one does not',
    'mail-tools:reply-rules': 'Subject and text of a mail are held to what a reply is: no key and no made-up address',
    'mail-tools:once': 'A call that a crash cut off is looked up in the record, and sends no second mail',
    'mail-tools:read': 'What a letter says comes as the untrusted output of a tool, with its sender as the source',
  },
} as const satisfies Requirements;
