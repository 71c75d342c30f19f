/**
 * How `explain` tells the records of mail, and what the agent is told of them as events. Words of letters are never told: subjects and
 * addresses are details, and an event has neither.
 */
import { fieldOf, textIn, type Tell } from '../../part/part.ts';
import type { Telling } from '../../part/story.ts';
import type { mailKinds } from './mail-records.ts';

type MailKind = keyof typeof mailKinds;
type Payload = Readonly<Record<string, unknown>>;
type Happened = (payload: Payload) => { readonly name: string; readonly title: string } | undefined;

const letter = ({ letterId }: Payload): string => `letter ${textIn(letterId)}`;
const mail = ({ mailId }: Payload): string => `mail ${textIn(mailId)}`;
const because = (text: unknown): readonly string[] => (textIn(text) === '' ? [] : [textIn(text)]);

function told(
  text: (payload: Payload) => string,
  details: (payload: Payload) => readonly string[] = () => [],
  tone: Telling['tone'] = 'Plain',
): Tell {
  return (payload) => ({ actor: 'mail', tone, text: text(payload), details: details(payload), live: true });
}

/** What a letter sets off, by the kind of its admission. */
const ADMISSIONS: Readonly<Record<string, string>> = {
  Run: 'begins a run',
  Answer: 'answers a question',
  Approval: 'decides on a call',
  NoApproval: 'decides nothing about a call',
};

const KINDS: Readonly<Record<string, string>> = {
  Reply: 'the answer to a letter',
  Tool: 'a mail',
  Question: 'a question',
  Approval: 'a request for an approval',
  Fixed: 'a fixed line',
};

/** By kind. A letter that is only seen has its decision beside it. */
export const mailTellers: Readonly<Partial<Record<MailKind, Tell>>> = {
  MailSeen: ({ head }) => ({
    actor: 'mail',
    tone: 'Plain',
    text: `letter ${textIn(fieldOf(head, 'letterId'))} came`,
    details: [
      ...because(`from ${textIn(fieldOf(head, 'from')) || 'nobody or several'}`),
      ...because(fieldOf(fieldOf(head, 'authentication'), 'evidence')),
    ],
  }),
  MailAdmitted: told((it) => `${letter(it)} ${ADMISSIONS[textIn(fieldOf(it['as'], 'kind'))] ?? 'is taken'}`),
  MailHeld: told(
    (it) => `${letter(it)} waits for a person: ${textIn(it['rule'])}`,
    ({ evidence }) => because(evidence),
    'Warning',
  ),
  MailDropped: told(
    (it) => `${letter(it)} is dropped: ${textIn(it['rule'])}`,
    ({ evidence }) => because(evidence),
    'Quiet',
  ),
  MailReleased: told(
    (it) =>
      `${letter(it)} is released${textIn(it['by']) === '' ? '' : ` by ${textIn(it['by'])}`}; its words stay a stranger's`,
    ({ reason }) => because(reason),
    'Good',
  ),
  MailTripped: told(
    ({ why, count }) =>
      `letters of a peer are held: ${why === 'Hops' ? `${String(count)} answers` : `${String(count)} letters alike`} without a person`,
    ({ peer }) => because(peer),
    'Bad',
  ),
  MailRequested: ({ mail: outgoing }) => ({
    actor: 'mail',
    tone: 'Plain',
    text: `${KINDS[textIn(fieldOf(outgoing, 'kind'))] ?? 'a mail'} is to be sent: mail ${textIn(fieldOf(outgoing, 'mailId'))}`,
    details: [...addressesIn(outgoing)],
    texts: [{ title: 'mail', text: textIn(fieldOf(outgoing, 'text')) }],
    live: true,
  }),
  MailSent: told(
    (it) => `${mail(it)} was sent${it['foundInSent'] === true ? ': the copy in Sent shows it' : ''}`,
    () => [],
    'Good',
  ),
  MailFailed: told(
    (it) => `${mail(it)} was refused${it['isPermanent'] === true ? '' : ', and is tried again'}`,
    ({ reason }) => because(reason),
    'Warning',
  ),
  MailUnknown: told(
    (it) => `nobody knows whether ${mail(it)} was sent; it is not sent again`,
    ({ reason }) => because(reason),
    'Bad',
  ),
  MailBounced: told(
    (it) => `${mail(it)} came back`,
    ({ status }) => because(status),
    'Warning',
  ),
  MailWithheld: told(
    (it) => `${mail(it)} was not sent: ${textIn(it['limit'])} is reached`,
    () => [],
    'Warning',
  ),
};

function addressesIn(outgoing: unknown): readonly string[] {
  const to = fieldOf(outgoing, 'to');
  return Array.isArray(to) && to.length > 0 ? [`to ${to.map(textIn).join(', ')}`] : [];
}

/** One title for each name: many letters are one row. A letter that begins a run is told when the inbox takes that. */
export const mailEvents: Readonly<Partial<Record<MailKind, Happened>>> = {
  MailHeld: () => ({ name: 'letter-held', title: 'a letter that waits for a person' }),
  MailTripped: () => ({ name: 'mail-tripped', title: 'letters of a peer are held' }),
  MailUnknown: () => ({ name: 'mail-unknown', title: 'a mail that may have been sent' }),
  MailBounced: () => ({ name: 'mail-bounced', title: 'a mail that came back' }),
  MailWithheld: () => ({ name: 'mail-withheld', title: 'a mail that a limit forbade' }),
  MailFailed: ({ isPermanent }) =>
    isPermanent === true ? { name: 'mail-refused', title: 'a mail that the server refused' } : undefined,
};
