/** Records of mail, as an agent writes them. */
import type { NewRecord } from '@retainer/journal/journal';
import type { Authentication, Enclosed, LetterHead } from '@retainer/mind/parts/mail/letter';
import type { mailKinds, Outgoing } from '@retainer/mind/parts/mail/mail-records';
import type { z } from 'zod';

type Kinds = typeof mailKinds;

/** @param timeMs  since 1970. @param runId  of a mail that a run sends */
export function mailRecord<K extends keyof Kinds>(
  timeMs: number,
  kind: K,
  payload: z.infer<Kinds[K]>,
  runId?: string,
): NewRecord {
  return {
    ...{ store: 'mail', kind, principal: 'agent', timeMs, payload },
    ...(runId === undefined ? {} : { runId }),
  };
}

/** `m-` and the name's characters as hexadecimal digits, filled up. */
export const letterIdOf = (name: string): string => `m-${digitsOf(name)}`;
export const mailIdOf = (name: string): string => `o-${digitsOf(name)}`;

const digitsOf = (name: string): string => Buffer.from(name).toString('hex').padEnd(20, '0').slice(0, 20);

export const BY_DKIM: Authentication = {
  ...{ method: 'Dkim', isAligned: true, domain: 'example.org' },
  evidence: 'A valid DKIM signature of example.org.',
};

/** Of a letter of ann@example.org that DKIM shows to be hers. */
export function headOf(name: string, more: Partial<LetterHead> = {}): LetterHead {
  return {
    ...{ letterId: letterIdOf(name), messageId: `${name}@example.org`, bodyDigest: 'ab'.repeat(32) },
    ...{ place: { mailbox: 'INBOX', uidValidity: '7', uid: 1 }, sizeBytes: 2048, receivedAtMs: 0 },
    ...{ from: 'ann@example.org', to: ['ada@agents.example'], subject: name, inReplyTo: [], references: [] },
    ...{ automatic: [], hops: 0, authentication: BY_DKIM, faults: [], ...more },
  };
}

export function enclosedOf(kind: Enclosed['kind'], text: string, more: Partial<Enclosed> = {}): Enclosed {
  return { kind, sizeBytes: Buffer.byteLength(text), text, isCut: false, ...more };
}

export function outgoingOf(name: string, more: Partial<Outgoing> = {}): Outgoing {
  return {
    ...{
      mailId: mailIdOf(name),
      messageId: `${mailIdOf(name)}@agents.example`,
      kind: 'Reply',
      to: ['ann@example.org'],
    },
    ...{ subject: `Re: ${name}`, text: 'It is done.', references: [], threadId: 't-1', hops: 0, ...more },
  };
}
