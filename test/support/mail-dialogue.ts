/** A mailbox without a server: letters are decided and folded as the agent does it, and what it asks people by mail is kept. */
import type { ApprovalCodes } from '@retainer/agent-pod/parts/mail/approval-codes';
import { sha256Hex } from '@retainer/contract/std/hash';
import { approvalLetter, approvalsToMail, type OpenApproval } from '@retainer/mind/parts/mail/approval-letter';
import { commandOf, type DialogueAround } from '@retainer/mind/parts/mail/dialogue';
import { decideLetter, type MailSettings } from '@retainer/mind/parts/mail/decide-letter';
import type { Enclosed, Letter, LetterHead } from '@retainer/mind/parts/mail/letter';
import type { Admission, Outgoing } from '@retainer/mind/parts/mail/mail-records';
import { mail, type MailState } from '@retainer/mind/parts/mail/mail-state';
import { mailIdOf } from '@retainer/mind/parts/mail/outgoing';
import { newThreadId } from '@retainer/mind/parts/mail/threads';
import { testTools } from './known-tools.ts';

export const ANN = 'ann@example.org';
export const BOB = 'bob@example.org';
export const PEER = 'agent@other.example';

export const mailSettings: MailSettings = {
  address: 'agent@retainer.example',
  allowedSenders: ['*@example.org', PEER],
  agentPeers: [PEER],
  hopsMax: 10,
  pairExchangesMax: 10,
};

/** An aligned letter of Ann, from a person. Its texts make its id. */
export function letterOf(
  fields: Partial<LetterHead> & { readonly words?: string; readonly enclosed?: readonly Enclosed[] } = {},
): Letter {
  const { words = 'Hello.', enclosed = [], ...head } = fields;
  const digest = sha256Hex(JSON.stringify([words, enclosed, head]));
  return {
    words,
    enclosed: [...enclosed],
    head: {
      letterId: `m-${digest.slice(0, 20)}`,
      messageId: `${digest.slice(0, 8)}@example.org`,
      bodyDigest: digest,
      place: { mailbox: 'INBOX', uidValidity: '1', uid: 1 },
      sizeBytes: words.length,
      receivedAtMs: 1_900_000_000_000,
      from: ANN,
      to: [mailSettings.address],
      subject: 'Re: your approval',
      inReplyTo: [],
      references: [],
      automatic: [],
      hops: 0,
      authentication: {
        method: 'Dkim',
        isAligned: true,
        domain: 'example.org',
        evidence: 'DKIM of example.org passed.',
      },
      faults: [],
      ...head,
    },
  };
}

export const quoteOf = (text: string, kind: Enclosed['kind'] = 'Quote'): Enclosed => ({
  ...{ kind, sizeBytes: text.length, text, isCut: false },
});

/** The code that a person reads in a letter. */
export function codeIn(text: string): string {
  const code = /^ {4}approve (\S+)$/m.exec(text)?.[1];
  if (code === undefined) throw new Error(`the letter has no code:\n${text}`);
  return code;
}

export class MailLife {
  readonly state: MailState = mail.start();
  readonly #codes: ApprovalCodes;
  readonly records: { readonly kind: string; readonly payload: unknown }[] = [];
  #uids = 0;

  constructor(codes: ApprovalCodes) {
    this.#codes = codes;
  }

  /** @returns the mails that go out, as their receivers get them */
  ask(open: readonly OpenApproval[], approvers: readonly string[], nowMs: number): readonly Outgoing[] {
    return approvalsToMail(this.state, open, approvers, nowMs).map(({ deliveryId, to, request }) => {
      const mailId = mailIdOf({ kind: 'Approval', to: [to], deliveryId });
      const { requestId, argumentsDigest, expiresAtMs: untilMs } = request;
      const codeDigest = this.#codes.digestFor({ mailId, requestId, argumentsDigest, address: to });
      const made: Outgoing = {
        ...{ mailId, messageId: `${mailId}@retainer.example`, kind: 'Approval', to: [to], references: [], hops: 0 },
        ...{ threadId: newThreadId(mailId), deliveryId, ...approvalLetter(request, 'weather', testTools) },
        approval: { requestId, argumentsDigest, codeDigest, untilMs },
      };
      this.request(made, nowMs);
      return this.#codes.complete(made, nowMs);
    });
  }

  request(made: Outgoing, nowMs: number): void {
    this.#take('MailRequested', { mail: made }, nowMs);
    this.#take('MailSent', { mailId: made.mailId }, nowMs);
  }

  /** @returns what the letter was admitted as; undefined: it was held, dropped or known */
  take(letter: Letter, around: DialogueAround): Admission | undefined {
    this.#uids += 1;
    const head = { ...letter.head, place: { ...letter.head.place, uid: this.#uids } };
    const records = decideLetter(this.state, { ...letter, head }, mailSettings, around);
    for (const { kind, payload } of records) this.#take(kind, payload, around.nowMs);
    return records.some(({ kind }) => kind === 'MailAdmitted')
      ? this.state.letters.get(letter.head.letterId)?.as
      : undefined;
  }

  /** What an admitted letter tells the agent. */
  commandOf(letter: Letter): ReturnType<typeof commandOf> {
    const kept = this.state.letters.get(letter.head.letterId);
    if (kept?.as === undefined) return undefined;
    return commandOf({ head: kept.head, words: kept.texts?.words ?? '' }, kept.as);
  }

  #take(kind: string, payload: unknown, timeMs: number): void {
    this.records.push({ kind, payload });
    mail.take(this.state, { store: 'mail', kind, seq: this.records.length, timeMs, payload: payload as never });
  }
}
