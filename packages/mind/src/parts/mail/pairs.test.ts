import { describe, expect, it } from 'vitest';
import { letterOf, mailSettings, PEER } from '../../../../../test/support/mail-dialogue.ts';
import { lexicalEmbedding, likeness } from '../../meaning/intent-likeness.ts';
import { verifies } from '../../../../../test/verifies.ts';
import type { LetterHead } from './letter.ts';
import { mail, type MailState } from './mail-state.ts';
import { ALIKE_MIN, hopsOf, judgePeer, PAIR_WINDOW_MS } from './pairs.ts';

const NOW_MS = 1_900_000_000_000;
const MINUTE_MS = 60_000;

/** What two agents write to each other when they cannot stop. */
const THANKS = [
  'Thank you for the update. I will wait for the next report and let you know when there is news.',
  'Thanks for your update! I am waiting for your next report and will let you know when there are news.',
  'Thank you for this update, I will wait for your next report, and let you know of any news.',
] as const;

const WORK = [
  'Thank you for the update. Please send the sales figures of March for all shops in Paris, as a table.',
  'The build of the release failed at the linker: a symbol of the sound library is missing on one machine.',
  'Can you book a room for nine people on Friday afternoon? The projector must work.',
  'Yesterday the pump of the second basin stood still for two hours, and nobody was told of it.',
] as const;

function taken(
  state: MailState,
  words: string,
  { head, atMs = NOW_MS }: { head?: Partial<LetterHead>; atMs?: number } = {},
): void {
  const letter = letterOf({ from: PEER, words, messageId: `m${state.seen.size}@other.example`, ...head });
  const { letterId } = letter.head;
  const texts = { words, enclosed: [] };
  const take = (kind: string, payload: object): void =>
    mail.take(state, { store: 'mail', kind, seq: state.seen.size, timeMs: atMs, payload: payload as never });
  take('MailSeen', { head: letter.head });
  take('MailAdmitted', {
    letterId,
    threadId: `t-${letterId}`,
    texts,
    as: { kind: 'Run', runId: 'r' },
    isOfProgram: true,
  });
}

const judged = (state: MailState, words: string, head: Partial<LetterHead> = {}, nowMs = NOW_MS) =>
  judgePeer(state, letterOf({ from: PEER, words, ...head }), mailSettings, nowMs);

describe('letters that say the same', () => {
  it('are told from others by their words', () => {
    const cosine = (a: string, b: string): number => likeness(lexicalEmbedding.embed(a), lexicalEmbedding.embed(b));
    const alike = THANKS.flatMap((a) => THANKS.map((b) => cosine(a, b)));
    const others = [...WORK, THANKS[0]].flatMap((a, at, all) =>
      all.filter((_, n) => n !== at).map((b) => cosine(a, b)),
    );
    expect(Math.min(...alike)).toBeGreaterThan(ALIKE_MIN);
    expect(Math.max(...others)).toBeLessThan(ALIKE_MIN);
  });

  verifies('mail-pairs:alike', 'trip at the tenth, in no thread and without a header', () => {
    const state = mail.start();
    for (let n = 1; n < 10; n += 1) {
      expect(judged(state, THANKS[n % 3] ?? '')).toBeUndefined();
      taken(state, THANKS[n % 3] ?? '');
    }
    expect(judged(state, THANKS[0])).toEqual({ why: 'Alike', count: 10 });
    expect(judged(state, WORK[1])).toBeUndefined();
  });

  verifies('mail-pairs:alike', 'trip too where two texts take turns', () => {
    const state = mail.start();
    for (let n = 0; n < 18; n += 1) taken(state, n % 2 === 0 ? THANKS[0] : WORK[1]);
    expect(judged(state, THANKS[1])).toEqual({ why: 'Alike', count: 10 });
  });

  it('trip where nothing is said at all', () => {
    const state = mail.start();
    for (let n = 0; n < 9; n += 1) taken(state, '');
    expect(judged(state, '')).toEqual({ why: 'Alike', count: 10 });
  });

  it('may come every day', () => {
    const state = mail.start();
    for (let n = 9; n > 0; n -= 1) taken(state, THANKS[0], { atMs: NOW_MS - n * (PAIR_WINDOW_MS / 8) });
    expect(judged(state, THANKS[0])).toBeUndefined();
    expect(judged(state, THANKS[0], {}, NOW_MS - MINUTE_MS)).toBeUndefined();
  });

  verifies('mail-pairs:alike', 'begin anew when a person released one', () => {
    const state = mail.start();
    for (let n = 0; n < 9; n += 1) taken(state, THANKS[0]);
    const held = letterOf({ from: PEER, words: THANKS[0], messageId: 'held@other.example' });
    const take = (kind: string, payload: object): void =>
      mail.take(state, { store: 'mail', kind, seq: 99, timeMs: NOW_MS, payload: payload as never });
    const { letterId } = held.head;
    take('MailSeen', { head: held.head });
    take('MailHeld', {
      letterId,
      threadId: 't',
      texts: { words: '', enclosed: [] },
      rule: 'pair/tripped',
      evidence: '',
    });
    take('MailReleased', { letterId, runId: 'r', reason: 'seen' });
    expect(judged(state, THANKS[0])).toBeUndefined();
  });
});

describe('hops', () => {
  verifies('mail-pairs:hops', 'are counted by the header', () => {
    expect(judged(mail.start(), 'Hello', { hops: 9 })).toBeUndefined();
    expect(judged(mail.start(), 'Hello', { hops: 10 })).toEqual({ why: 'Hops', count: 10 });
  });

  /** Both agents write in one thread; the peer strips the header. @param isBegunHere  this agent wrote first */
  const exchange = (isBegunHere: boolean): { readonly state: MailState; readonly answered: number } => {
    const state = mail.start();
    let seq = 0;
    const take = (kind: string, payload: object): void => {
      seq += 1;
      mail.take(state, { store: 'mail', kind, seq, timeMs: NOW_MS + seq, payload: payload as never });
    };
    const request = (n: number): string => {
      const messageId = `o-${n}@retainer.example`;
      const made = { mailId: `o-${n}`, messageId, kind: 'Reply', to: [PEER], subject: 's', text: 't', references: [] };
      take('MailRequested', { mail: { ...made, threadId: 't-1', hops: 0 } });
      return messageId;
    };
    let last = isBegunHere ? [request(0)] : [];
    for (let n = 1; n < 50; n += 1) {
      const letter = letterOf({
        from: PEER,
        words: WORK[n % 4] ?? '',
        messageId: `p-${n}@other.example`,
        inReplyTo: last,
      });
      if (judgePeer(state, letter, mailSettings, NOW_MS) !== undefined) return { state, answered: n - 1 };
      const { letterId } = letter.head;
      take('MailSeen', { head: letter.head });
      const texts = { words: letter.words, enclosed: [] };
      take('MailAdmitted', { letterId, threadId: 't-1', texts, as: { kind: 'Run', runId: 'r' }, isOfProgram: true });
      last = [request(n)];
    }
    throw new Error('the two never stopped');
  };

  verifies('mail-pairs:hops', 'are counted by the thread where the header is stripped', () => {
    // The two write ten letters, whoever is first: the eleventh, or the tenth where it comes here, is not answered.
    expect(exchange(false).answered).toBe(5);
    expect(exchange(true).answered).toBe(4);
  });

  it('of a letter that nobody knows are none', () => {
    expect(hopsOf(mail.start(), letterOf({ inReplyTo: ['x@y.example'] }).head)).toBe(0);
  });
});
