import type { KeptLetter } from '@retainer/mind/parts/mail/kept-mail';
import { expect } from 'vitest';
import { MailBook, OWN_ADDRESS } from '../../../../test/support/mail-book.ts';
import { manualClock } from '../../../../test/support/manual-clock.ts';
import { verifies } from '../../../../test/verifies.ts';
import type { MailRunsPort } from '../../ports/mail.ts';
import { letterStarter } from './letter-starter.ts';

verifies(
  'mail:once',
  'Letters begin as many runs as there is room for, in their order, and an answer never waits',
  async () => {
    const book = new MailBook();
    for (const id of ['m-1', 'm-2', 'm-3', 'm-4']) book.letter(id);
    const answer = { kind: 'Answer', runId: 'mail-m-1', questionId: 'q-1' };
    const admitted = { letterId: 'm-4', threadId: 't', texts: { words: 'Yes.', enclosed: [] }, as: answer };
    book.take([{ store: 'mail', kind: 'MailAdmitted', payload: admitted }]);
    const stopping = new AbortController();
    const clock = manualClock();
    const begun: string[] = [];
    let atWork = 0;
    const runs: MailRunsPort = {
      settings: { address: OWN_ADDRESS, allowedSenders: [], agentPeers: [], hopsMax: 10, pairExchangesMax: 10 },
      isWorking: () => true,
      around: () => ({ nowMs: 0, approvers: [], agentPeers: [], open: [], questions: [] }),
      begin: ({ head, as }: KeptLetter) => {
        begun.push(head.letterId);
        if (as?.kind === 'Run') atWork += 1;
        return Promise.resolve();
      },
      isBegun: ({ head }) => begun.includes(head.letterId),
      room: () => 2 - atWork,
      changed: () => Promise.resolve(stopping.abort(new Error('nothing is left'))),
    };
    const running = letterStarter({ clock, parts: book.parts, runs }).run(stopping.signal);
    const turns = async (): Promise<void> => {
      for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    };
    await turns();
    expect(begun).toEqual(['m-1', 'm-2', 'm-4']);
    atWork -= 1;
    clock.advance(1_000);
    await turns();
    expect(begun).toEqual(['m-1', 'm-2', 'm-4', 'm-3']);
    await running;
  },
);
