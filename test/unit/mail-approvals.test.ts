/**
 * Approvals by mail mean something: what a person said yes to in a letter is what runs, once, while it is fresh.
 *
 * Source: reliability-security 7 (row 26).
 */
import { stat, writeFile, chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { ApprovalCodes, APPROVAL_KEY_FILE } from '@retainer/agent-pod/parts/mail/approval-codes';
import { openApprovals } from '@retainer/agent-pod/parts/mail/open-dialogue';
import { canonicalJson, type Json } from '@retainer/contract/std/canonical-json';
import type { Letter } from '@retainer/mind/parts/mail/letter';
import type { NoApprovalRule, Outgoing } from '@retainer/mind/parts/mail/mail-records';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { argumentsOf, mutated, mutations } from '../support/approval-attacks.ts';
import { ApprovalRun, type Plan } from '../support/approval-runs.ts';
import { ANN, BOB, codeIn, letterOf, MailLife, PEER, quoteOf } from '../support/mail-dialogue.ts';
import { Seeded } from '../support/seeded.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { bySize } from '../support/test-size.ts';
import { verifies } from '../verifies.ts';

/** Answers that are attacked, by way; together 1,000, and fewer while somebody waits. Source: reliability-security 7. */
const CASES = bySize({
  quick: { mutated: 30, code: 20, replayed: 20, late: 10, crossRequest: 10, crossPerson: 20, place: 20 },
  check: { mutated: 300, code: 150, replayed: 150, late: 100, crossRequest: 100, crossPerson: 100, place: 100 },
});

/** The default of a request's time, and a little more. */
const PAST_MS = 600_001;
const APPROVERS = [ANN, BOB];

const directory = temporaryDirectory();
let codes: ApprovalCodes;
beforeAll(async () => {
  codes = await ApprovalCodes.open(directory.path);
});
afterAll(directory.remove);

const seeds = (count: number, from: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => from + index);

/** An agent whose approvals go by mail. */
class Mailed {
  readonly run: ApprovalRun;
  readonly life: MailLife = new MailLife(codes);
  #letters = 0;

  private constructor(plan: Plan) {
    this.run = new ApprovalRun(plan);
  }

  static async begin(plan: Plan): Promise<Mailed> {
    const mailed = new Mailed(plan);
    await mailed.run.begin();
    return mailed;
  }

  /** The letters that are due now, as they are read. */
  ask(): readonly Outgoing[] {
    return this.life.ask(openApprovals(this.run.runtime), APPROVERS, this.run.clock.nowMs());
  }

  /** The newest letter to somebody. */
  letterTo(address: string, mails = this.ask()): Outgoing {
    const mail = mails.findLast(({ to }) => to[0] === address);
    if (mail === undefined) throw new Error(`${address} was asked nothing`);
    return mail;
  }

  /** @returns which rule kept it from deciding; undefined: it decided, or never got so far */
  async answer(mail: Outgoing, words: string, fields: Partial<Letter['head']> & Partial<Letter> = {}): Promise<string> {
    this.#letters += 1;
    const letter = letterOf({
      ...{ words, inReplyTo: [mail.messageId], receivedAtMs: this.run.clock.nowMs() },
      ...{ messageId: `answer-${this.#letters}@example.org`, from: mail.to[0] ?? '' },
      ...fields,
    });
    return this.take(letter);
  }

  async take(letter: Letter): Promise<string> {
    const { runtime, clock } = this.run;
    const around = { approvers: APPROVERS, agentPeers: [PEER], questions: [], nowMs: clock.nowMs() };
    const admission = this.life.take(letter, { ...around, open: openApprovals(runtime) });
    const told = this.life.commandOf(letter);
    if (told !== undefined) await this.run.take(told.originId, told.command);
    if (admission === undefined) return 'not admitted';
    return admission.kind === 'NoApproval' ? admission.rule : admission.kind;
  }
}

/** Makes these calls, one in each turn. */
const calls =
  (...made: readonly Json[]): Plan =>
  (turn) => {
    const call = made[turn - 1];
    return call === undefined ? [] : [['send', call]];
  };

const yes = (mail: Outgoing): string => `approve ${codeIn(mail.text)}`;
const ranOf = ({ run }: Mailed): readonly string[] => run.ran('send').map(canonicalJson);

describe('an answer by mail', () => {
  const tolerated: readonly ((code: string) => string)[] = [
    (code) => `approve ${code}`,
    (code) => `Approve ${code.toLowerCase()}.`,
    (code) => `  APPROVE   ${code.replace('-', ' ')}`,
    (code) => `approve: ${code.replace('-', '')}\n\nThank you, go on.`,
    (code) => `“approve ${code}”\n-- \nAnn`,
    (code) => `approve\n${code}`,
    (code) => `approve ${Array.from(code.replace('-', '')).join(' ')}`,
    (code) => `*approve* ${code.replaceAll('0', 'O').replaceAll('1', 'l')}`,
  ];
  verifies('mail-approvals:answer', 'runs the call once, however it is typed', async () => {
    for (const [seed, words] of tolerated.entries()) {
      const wanted = argumentsOf(seed);
      const agent = await Mailed.begin(calls(wanted));
      const mail = agent.letterTo(ANN);
      expect(await agent.answer(mail, words(codeIn(mail.text)))).toBe('Approval');
      expect(ranOf(agent)).toEqual([canonicalJson(wanted)]);
      await agent.run.end();
    }
  });

  verifies('mail-approvals:answer', 'denies with deny, and the record says how the person is known', async () => {
    const agent = await Mailed.begin(calls(argumentsOf(1)));
    const mail = agent.letterTo(BOB);
    expect(await agent.answer(mail, `Deny ${codeIn(mail.text)}, it is too much.`)).toBe('Approval');
    expect(ranOf(agent)).toEqual([]);
    const decided = agent.run.journal.records.find(({ kind }) => kind === 'ApprovalDecided');
    expect(decided?.payload).toMatchObject({ decision: 'Deny', by: `mail:${BOB}`, knownBy: { how: 'Mail' } });
    const reason = new RegExp(
      `"reason":"${BOB} answered the mail ${mail.mailId} with its code .* known by Dkim: DKIM of example.org passed`,
    );
    expect(JSON.stringify(decided?.payload)).toMatch(reason);
    await agent.run.end();
  });

  type Attack = (agent: Mailed, mail: Outgoing) => Promise<string>;
  const attacks: readonly (readonly [rule: NoApprovalRule | 'not admitted' | 'Run', attack: Attack])[] = [
    ['approval/no-decision', (agent, mail) => agent.answer(mail, `Yes.\n${yes(mail)}`)],
    ['approval/no-decision', (agent, mail) => agent.answer(mail, 'ok', { enclosed: [quoteOf(yes(mail))] })],
    ['approval/no-decision', (agent, mail) => agent.answer(mail, '', { enclosed: [quoteOf(yes(mail), 'Whole')] })],
    ['approval/no-decision', (agent, mail) => agent.answer(mail, `> ${yes(mail)}`)],
    ['approval/no-decision', (agent, mail) => agent.answer(mail, `approved ${codeIn(mail.text)}`)],
    ['approval/no-code', (agent, mail) => agent.answer(mail, 'approve', { enclosed: [quoteOf(yes(mail))] })],
    ['approval/no-code', (agent, mail) => agent.answer(mail, `${yes(mail)}X`)],
    ['approval/no-code', (agent, mail) => agent.answer(mail, `approve it, please: ${codeIn(mail.text)}`)],
    ['approval/wrong-code', (agent, mail) => agent.answer(mail, 'approve 00000-00000')],
    ['approval/two-decisions', (agent, mail) => agent.answer(mail, `${yes(mail)}\ndeny ${codeIn(mail.text)}`)],
    ['approval/by-program', (agent, mail) => agent.answer(mail, yes(mail), { from: PEER })],
    ['approval/not-approver', (agent, mail) => agent.answer(mail, yes(mail), { from: 'carol@example.org' })],
    ['approval/another-person', (agent, mail) => agent.answer(mail, yes(mail), { from: BOB })],
    ['approval/no-letter', (agent, mail) => agent.answer(mail, yes(mail), { inReplyTo: [] })],
    ['approval/no-letter', (agent, mail) => agent.answer(mail, yes(mail), { inReplyTo: ['other@retainer.example'] })],
    ['not admitted', (agent, mail) => agent.answer(mail, yes(mail), { from: 'ann@evil.example' })],
    ['not admitted', (agent, mail) => agent.answer(mail, yes(mail), { automatic: ['AutoSubmitted'] })],
    ['not admitted', (agent, mail) => agent.answer(mail, yes(mail), { automatic: ['NullReturnPath'] })],
    [
      'not admitted',
      (agent, mail) =>
        agent.answer(mail, yes(mail), { authentication: { method: 'None', isAligned: false, evidence: 'Nothing.' } }),
    ],
    ['Run', (agent, mail) => agent.answer(mail, 'approve my holiday, please', { inReplyTo: [] })],
    ['Run', (agent, mail) => agent.answer(mail, 'approve attendance', { inReplyTo: [] })],
  ];
  verifies(
    'mail-approvals:nothing-else',
    'decides nothing that is not the code of its reader, and says why',
    async () => {
      for (const [rule, attack] of attacks) {
        const agent = await Mailed.begin(calls(argumentsOf(3)));
        const mail = agent.letterTo(ANN);
        expect(await attack(agent, mail)).toBe(rule);
        expect(ranOf(agent)).toEqual([]);
        // The letter still stands: nothing of it was used up.
        expect(await agent.answer(mail, yes(mail))).toBe('Approval');
        await agent.run.end();
      }
    },
  );

  verifies('mail-approvals:wrong-codes', 'is off for a request after five wrong codes, and for no other', async () => {
    const both: Plan = (turn) =>
      turn === 1
        ? [
            ['send', argumentsOf(1)],
            ['send', argumentsOf(2)],
          ]
        : [];
    const agent = await Mailed.begin(both);
    const [first, second] = agent.ask().filter(({ to }) => to[0] === ANN);
    if (first === undefined || second === undefined) throw new Error('two requests were expected');
    for (let wrong = 1; wrong <= 5; wrong += 1)
      expect(await agent.answer(first, `approve 0000${wrong}-00000`)).toBe('approval/wrong-code');
    expect(await agent.answer(first, yes(first))).toBe('approval/off');
    expect(await agent.answer(second, yes(second))).toBe('Approval');
    await agent.run.end();
  });
});

describe('1,000 answers that are attacked', () => {
  verifies(
    'mail-approvals:mean-something',
    'run nothing on changed arguments, whatever was approved before',
    async () => {
      const played = { executed: 0, approved: 0 };
      for (const seed of seeds(CASES.mutated, 1)) {
        const original = argumentsOf(seed);
        const other = mutated(original, mutations[seed % mutations.length] ?? 'Byte', seed);
        const ahead = { tool: 'send', input: original, reason: 'It is what you wanted.' };
        const plan: Plan = (turn) => (turn === 1 ? [['request_approval', ahead]] : turn === 2 ? [['send', other]] : []);
        const agent = await Mailed.begin(plan);
        const mail = agent.letterTo(ANN);
        if ((await agent.answer(mail, yes(mail))) === 'Approval') played.approved += 1;
        // The same answer again, now that the other call waits.
        await agent.answer(mail, yes(mail));
        await agent.run.wait(PAST_MS);
        played.executed += agent.run.ran('send').length;
        await agent.run.end();
      }
      expect(played).toEqual({ executed: 0, approved: CASES.mutated });
    },
    240_000,
  );

  verifies(
    'mail-approvals:mean-something',
    'run nothing with a code that is not quite right',
    async () => {
      let executed = 0;
      for (const seed of seeds(CASES.code, 10_000)) {
        const random = new Seeded(seed);
        const agent = await Mailed.begin(calls(argumentsOf(seed)));
        const mail = agent.letterTo(ANN);
        expect(await agent.answer(mail, `approve ${wrongCode(codeIn(mail.text), random)}`)).toMatch(
          /^approval\/(wrong-code|no-code)$/,
        );
        executed += agent.run.ran('send').length;
        await agent.run.end();
      }
      expect(executed).toBe(0);
    },
    240_000,
  );

  verifies(
    'mail-approvals:mean-something',
    'run nothing a second time',
    async () => {
      const played = { first: 0, again: 0 };
      for (const seed of seeds(CASES.replayed, 20_000)) {
        const original = argumentsOf(seed);
        const agent = await Mailed.begin(calls(original, argumentsOf(seed + 1_000_000), original));
        const mails = agent.ask();
        const [mail, ofBob] = [agent.letterTo(ANN, mails), agent.letterTo(BOB, mails)];
        const letter = letterOf({ words: yes(mail), inReplyTo: [mail.messageId], messageId: 'once@example.org' });
        await agent.take(letter);
        played.first += agent.run.ran('send').length;
        // The next calls wait; the last of them is equal to the first.
        for (let round = 0; round < 2; round += 1) {
          agent.ask();
          await agent.take(letter);
          expect(await agent.answer(mail, yes(mail))).toMatch(/^approval\/(used|off)$/);
          expect(await agent.answer(ofBob, yes(ofBob))).toMatch(/^approval\/(used|off)$/);
          await agent.run.wait(PAST_MS);
        }
        played.again += agent.run.ran('send').length - 1;
        await agent.run.end();
      }
      expect(played).toEqual({ first: CASES.replayed, again: 0 });
    },
    240_000,
  );

  verifies(
    'mail-approvals:mean-something',
    'run nothing after their time, whenever they were sent',
    async () => {
      let executed = 0;
      for (const seed of seeds(CASES.late, 30_000)) {
        const agent = await Mailed.begin(calls(argumentsOf(seed)));
        const mail = agent.letterTo(ANN);
        const sentAtMs = agent.run.clock.nowMs();
        await agent.run.wait(PAST_MS + new Seeded(seed).below(100_000));
        expect(await agent.answer(mail, yes(mail), { receivedAtMs: sentAtMs })).toBe('approval/late');
        executed += agent.run.ran('send').length;
        await agent.run.end();
      }
      expect(executed).toBe(0);
    },
    240_000,
  );

  verifies(
    'mail-approvals:mean-something',
    'run nothing of another request, and nothing with the code of another person',
    async () => {
      let executed = 0;
      for (const seed of seeds(CASES.crossRequest, 40_000)) {
        const both: Plan = (turn) =>
          turn === 1
            ? [
                ['send', argumentsOf(seed)],
                ['send', argumentsOf(seed + 1)],
              ]
            : [];
        const agent = await Mailed.begin(both);
        const [first, second] = agent.ask().filter(({ to }) => to[0] === ANN);
        if (first === undefined || second === undefined) throw new Error('two requests were expected');
        expect(await agent.answer(first, yes(second))).toBe('approval/wrong-code');
        expect(await agent.answer(second, yes(first))).toBe('approval/wrong-code');
        executed += agent.run.ran('send').length;
        await agent.run.end();
      }
      for (const seed of seeds(CASES.crossPerson, 50_000)) {
        const agent = await Mailed.begin(calls(argumentsOf(seed)));
        const mails = agent.ask();
        const [ofAnn, ofBob] = [agent.letterTo(ANN, mails), agent.letterTo(BOB, mails)];
        expect(await agent.answer(ofAnn, yes(ofAnn), { from: BOB })).toBe('approval/another-person');
        expect(await agent.answer(ofBob, yes(ofAnn))).toBe('approval/wrong-code');
        executed += agent.run.ran('send').length;
        await agent.run.end();
      }
      expect(executed).toBe(0);
    },
    240_000,
  );

  verifies(
    'mail-approvals:mean-something',
    'run nothing where the code stands in another place than the first own words',
    async () => {
      let executed = 0;
      const kinds = ['Quote', 'Forward', 'Hidden', 'Attachment', 'Whole'] as const;
      for (const seed of seeds(CASES.place, 60_000)) {
        const random = new Seeded(seed);
        const agent = await Mailed.begin(calls(argumentsOf(seed)));
        const mail = agent.letterTo(ANN);
        const kind = kinds[random.below(kinds.length)] ?? 'Quote';
        const words =
          ['', 'Who wants this?', 'approve', 'approve, if Bob agrees', 'Fine by me.'][random.below(5)] ?? '';
        const rule = await agent.answer(mail, kind === 'Whole' ? '' : words, { enclosed: [quoteOf(yes(mail), kind)] });
        expect(rule).toMatch(/^approval\/no-(decision|code)$/);
        executed += agent.run.ran('send').length;
        await agent.run.end();
      }
      expect(executed).toBe(0);
    },
    240_000,
  );
});

/** One slip, or two neighbours in turn. Never the code itself. */
function wrongCode(code: string, random: Seeded): string {
  const at = Array.from(code).flatMap((it, place) => (it === '-' ? [] : [place]))[random.below(10)] ?? 0;
  const others = Array.from('0123456789ABCDEFGHJKMNPQRSTVWXYZ').filter((it) => it !== code[at]);
  const slip = `${code.slice(0, at)}${others[random.below(others.length)] ?? '0'}${code.slice(at + 1)}`;
  return random.below(5) === 0 ? `${code.slice(0, -1)}` : slip;
}

describe('the codes', () => {
  verifies('mail-approvals:code-nowhere', 'stand in no record, though a person mistypes or quotes them', async () => {
    const agent = await Mailed.begin(calls(argumentsOf(7)));
    const mail = agent.letterTo(ANN);
    const code = codeIn(mail.text);
    const slip = code.startsWith('0') ? `1${code.slice(1)}` : `0${code.slice(1)}`;
    await agent.answer(mail, `approve ${slip}`, { subject: `Re: ${code}`, enclosed: [quoteOf(mail.text)] });
    await agent.answer(mail, `approve ${code}9 and so on`);
    await agent.answer(mail, `I forward ${code.toLowerCase().replace('-', '')}`, { inReplyTo: [] });
    await agent.answer(mail, yes(mail), { from: 'stranger@evil.example' });
    expect(await agent.answer(mail, yes(mail))).toBe('Approval');
    const written = JSON.stringify([agent.life.records, agent.run.journal.records]).toUpperCase();
    for (const it of [code, code.replace('-', ''), slip, slip.replace('-', '')]) expect(written).not.toContain(it);
    expect(written).toContain('[CODE]');
    await agent.run.end();
  });

  verifies('mail-approvals:key', 'come from a key of one owner, the same after a restart', async () => {
    const path = join(directory.path, APPROVAL_KEY_FILE);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const agent = await Mailed.begin(calls(argumentsOf(8)));
    const mail = agent.letterTo(ANN);
    const kept = agent.life.state.outgoing.get(mail.mailId)?.mail;
    if (kept === undefined) throw new Error('the mail is in the record');
    const nowMs = agent.run.clock.nowMs();
    expect((await ApprovalCodes.open(directory.path)).complete(kept, nowMs).text).toBe(mail.text);
    expect(() => codes.complete(kept, nowMs + PAST_MS)).toThrow(/nobody waits/);
    const other = temporaryDirectory();
    const stranger = await ApprovalCodes.open(other.path);
    expect(() => stranger.complete(kept, nowMs)).toThrow(/another key made the code/);
    await chmod(join(other.path, APPROVAL_KEY_FILE), 0o640);
    await expect(ApprovalCodes.open(other.path)).rejects.toThrow(/can be read by others \(mode 640\).*delete it/);
    await chmod(join(other.path, APPROVAL_KEY_FILE), 0o600);
    await writeFile(join(other.path, APPROVAL_KEY_FILE), 'short');
    await expect(ApprovalCodes.open(other.path)).rejects.toThrow(/has 5 bytes in place of 32/);
    await other.remove();
    await agent.run.end();
  });
});

it('asks nobody where there are no approvers', async () => {
  const agent = await Mailed.begin(calls(argumentsOf(9)));
  expect(agent.life.ask(openApprovals(agent.run.runtime), [], agent.run.clock.nowMs())).toEqual([]);
  await agent.run.end();
});
