/** The record of mail in memory, folded as an agent folds it. */
import type { Json } from '@retainer/contract/std/canonical-json';
import type { PartRecord } from '@retainer/mind/part/store';
import type { LetterHead, LetterTexts } from '@retainer/mind/parts/mail/letter';
import { mailStore } from '@retainer/mind/parts/mail/mail-store';
import { mail, type MailState } from '@retainer/mind/parts/mail/mail-state';
import type { StatesOfParts } from '@retainer/mind/parts/derived';

export const OWN_ADDRESS = 'ada@agents.example';

export function headOf(letterId: string, more: Partial<LetterHead> = {}): LetterHead {
  return {
    letterId,
    messageId: `${letterId}@people.example`,
    bodyDigest: 'd'.repeat(64),
    place: { mailbox: 'INBOX', uidValidity: '1', uid: 1 },
    sizeBytes: 1000,
    receivedAtMs: 0,
    from: 'ann@people.example',
    to: [OWN_ADDRESS],
    subject: 'The report',
    inReplyTo: [],
    references: [],
    automatic: [],
    hops: 0,
    authentication: { method: 'Results', isAligned: true, evidence: 'dmarc=pass' },
    faults: [],
    ...more,
  };
}

export class MailBook {
  readonly state: MailState = mail.start();
  /** Every record, oldest first. */
  readonly records: PartRecord[] = [];
  nowMs = 1_000_000_000_000;
  #seq = 0;

  take(records: readonly PartRecord[]): void {
    for (const { store, kind, payload, runId } of records) {
      const kinds: Readonly<Record<string, { parse(payload: unknown): unknown } | undefined>> = mailStore.kinds;
      const parsed = kinds[kind]?.parse(payload) as Json;
      const of = runId === undefined ? {} : { runId };
      mail.take(this.state, { store, kind, seq: this.#seq, timeMs: this.nowMs, payload: parsed, ...of });
      this.records.push({ store, kind, payload: parsed, ...of });
      this.#seq += 1;
    }
  }

  /** A letter that begins a run. */
  letter(
    letterId: string,
    head: Partial<LetterHead> = {},
    more: Partial<LetterTexts> & { readonly threadId?: string; readonly isOfProgram?: true } = {},
  ): LetterHead {
    const made = headOf(letterId, head);
    const { threadId = `t-${letterId}`, words = 'Please report.', enclosed = [], isOfProgram } = more;
    const texts = { words, enclosed };
    const as = { kind: 'Run', runId: `mail-${letterId}` };
    this.take([
      { store: 'mail', kind: 'MailSeen', payload: { head: made } },
      {
        store: 'mail',
        kind: 'MailAdmitted',
        payload: { letterId, threadId, texts, as, ...(isOfProgram ? { isOfProgram } : {}) },
      },
    ]);
    return made;
  }

  readonly parts = {
    known: (): StatesOfParts => ({ mail: this.state }) as StatesOfParts,
    write: (records: readonly PartRecord[]): Promise<void> => {
      this.take(records);
      return Promise.resolve();
    },
  };

  kinds(): readonly string[] {
    return this.records.map(({ kind }) => kind);
  }

  of(kind: string): readonly unknown[] {
    return this.records.filter((it) => it.kind === kind).map(({ payload }) => payload);
  }
}
