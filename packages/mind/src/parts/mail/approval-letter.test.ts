import { ApprovalCodes } from '@retainer/agent-pod/parts/mail/approval-codes';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testTools } from '../../../../../test/support/known-tools.ts';
import { ANN, BOB, codeIn, letterOf, MailLife } from '../../../../../test/support/mail-dialogue.ts';
import { temporaryDirectory } from '../../../../../test/support/temporary-directory.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { approvalLetter, approvalsToMail, isPastApproval, type OpenApproval } from './approval-letter.ts';
import { admissionOf, fixedLine, type DialogueAround } from './dialogue.ts';

const NOW_MS = 1_900_000_000_000;

const directory = temporaryDirectory();
let codes: ApprovalCodes;
beforeAll(async () => {
  codes = await ApprovalCodes.open(directory.path);
});
afterAll(directory.remove);

const openApproval = (fields: Partial<OpenApproval> = {}): OpenApproval => ({
  requestId: 'r-c1-t1-a',
  runId: 'r',
  tool: 'send_mail',
  input: { to: 'carol@example.org', text: 'Hello' },
  argumentsDigest: 'ab'.repeat(32),
  effectClass: 3,
  reason: 'It changes something outside.',
  calls: 1,
  expiresAtMs: NOW_MS + 600_000,
  work: 'the Task default/sum',
  ...fields,
});

const aroundOf = (open: readonly OpenApproval[], more: Partial<DialogueAround> = {}): DialogueAround => ({
  ...{ approvers: [ANN, BOB], agentPeers: [], questions: [], open, nowMs: NOW_MS + 1 },
  ...more,
});

verifies('approvals:named-files', 'are in the letter, each with its digest', () => {
  const named = { shown: [{ path: 'tools/deploy.sh', sha256: 'b'.repeat(64) }] };
  const asked = { tool: 'bash', input: { script: 'sh tools/deploy.sh' }, standing: 'a'.repeat(64), named };
  const { text } = approvalLetter(openApproval(asked), 'helper', testTools);
  expect(text).toContain(`there now: "tools/deploy.sh" sha256 ${'b'.repeat(16)}`);
});

describe('who is mailed a request', () => {
  verifies('mail-approvals:whom-once', 'is each approver, once, while somebody waits, below class 4', () => {
    const life = new MailLife(codes);
    const open = [openApproval(), openApproval({ requestId: 'r-c1-t2-a', effectClass: 4 })];
    const over = openApproval({ requestId: 'r-c1-t3-a', expiresAtMs: NOW_MS });
    const wanted = approvalsToMail(life.state, [...open, over], [ANN, BOB, 'Ann@Example.org'], NOW_MS);
    expect(wanted.map(({ to, request }) => [to, request.requestId])).toEqual([
      [ANN, 'r-c1-t1-a'],
      [BOB, 'r-c1-t1-a'],
    ]);
    expect(life.ask(open, [ANN], NOW_MS)).toHaveLength(1);
    expect(life.ask(open, [ANN, BOB], NOW_MS).map(({ to }) => to)).toEqual([[BOB]]);
    expect(life.ask(open, [ANN, BOB], NOW_MS)).toEqual([]);
  });

  it('is nobody where there are no approvers', () => {
    expect(approvalsToMail(new MailLife(codes).state, [openApproval()], [], NOW_MS)).toEqual([]);
  });

  it('is nobody any more when its time is over', () => {
    const [mail] = new MailLife(codes).ask([openApproval()], [ANN], NOW_MS);
    expect(mail === undefined || isPastApproval(mail, NOW_MS)).toBe(false);
    expect(mail !== undefined && isPastApproval(mail, NOW_MS + 600_000)).toBe(true);
  });
});

describe('the letter', () => {
  verifies('mail-approvals:our-words', 'says what would happen, until when, and how to decide', () => {
    const [mail] = new MailLife(codes).ask([openApproval({ calls: 2 })], [ANN], NOW_MS);
    expect(mail?.subject).toBe('weather waits for your approval: send_mail');
    expect(mail?.text.replaceAll(codeIn(mail.text), 'CODE1-CODE2')).toBe(
      [
        'The agent weather wants to do this, and waits for a person:',
        '',
        '| 2 times the same: calls send_mail, to "carol@example.org", text "Hello"',
        '',
        'Effect class 3, arguments sha256 abababababababab.',
        'It works for the Task default/sum.',
        'A rule asks for a person: It changes something outside.',
        '',
        'If you approve, these 2 equal calls run once each, with exactly these arguments.',
        'If you deny, or if nobody answers before 2030-03-17 17:56:40 UTC, it does not run.',
        '',
        'To decide, answer this letter and begin with one of these two lines:',
        '',
        '    approve CODE1-CODE2',
        '    deny CODE1-CODE2',
        '',
        'The code is for you alone and counts once, so do not forward this letter. Nothing else in your answer decides anything.',
        'It tells the agent nothing either.',
        '',
      ].join('\n'),
    );
  });

  verifies('mail-approvals:our-words', 'shows arguments bounded, behind bars, and nothing to follow', () => {
    const hostile = [
      'See https://evil.example/x?a=1 and [here](http://evil.example).',
      '    approve [code]',
      'If you approve, nothing happens.',
      '\u202eREVERSED \u001b[2J',
    ].join('\n');
    const input = { to: 'carol@example.org', text: `${hostile}\n${'long '.repeat(5_000)}` };
    const reason = `It asks.\nAnswer "approve [code]" at https://evil.example/${'y'.repeat(5_000)}`;
    const { subject, text } = approvalLetter(
      openApproval({ input, reason, work: 'a letter of\nmallory' }),
      'w\n',
      testTools,
    );
    expect(subject).not.toContain('\n');
    expect(text.length).toBeLessThan(9_000);
    expect(text).not.toMatch(/https?:\/\//);
    expect(text).not.toContain('\u202e');
    expect(text).not.toContain('\u001b');
    const lines = text.split('\n');
    expect(lines.filter((it) => it === '    approve [code]')).toHaveLength(1);
    expect(lines.filter((it) => it.startsWith('If you approve'))).toHaveLength(1);
    expect(lines.filter((it) => it.startsWith('| ')).length).toBeGreaterThan(4);
    expect(lines.some((it) => it === 'mallory')).toBe(false);
  });

  verifies('mail-approvals:our-words', 'leaves out what a model says of its own call', () => {
    const request = { ...openApproval(), agentSays: 'SAYS-THE-MODEL' };
    expect(approvalLetter(request, 'weather', testTools).text).not.toContain('SAYS-THE-MODEL');
  });

  it('differs for other arguments, however long they are', () => {
    const of = (text: string, argumentsDigest: string) =>
      approvalLetter(openApproval({ input: { to: ANN, text }, argumentsDigest }), 'w', testTools).text;
    const long = (middle: string): string => 'a'.repeat(9_000) + middle + 'b'.repeat(9_000);
    expect(of(long('good'), 'aa'.repeat(32))).not.toBe(of(long('evil'), 'bb'.repeat(32)));
  });
});

describe('what waits when the answer comes', () => {
  const answered = (now: readonly OpenApproval[]) => {
    const life = new MailLife(codes);
    const [mail] = life.ask([openApproval()], [ANN], NOW_MS);
    if (mail === undefined) throw new Error('a mail was expected');
    const letter = letterOf({ words: `approve ${codeIn(mail.text)}`, inReplyTo: [mail.messageId] });
    return admissionOf(life.state, letter, 't', aroundOf(now));
  };

  verifies('mail-approvals:nothing-else', 'must be the request that was shown, and no other', () => {
    expect(answered([openApproval()])).toMatchObject({ kind: 'Approval', decision: 'Approve' });
    expect(answered([])).toMatchObject({ rule: 'approval/over' });
    expect(answered([openApproval({ requestId: 'r-c1-t2-a' })])).toMatchObject({ rule: 'approval/over' });
    expect(answered([openApproval({ argumentsDigest: 'cd'.repeat(32) })])).toMatchObject({ rule: 'approval/changed' });
    expect(answered([openApproval({ effectClass: 4 })])).toMatchObject({ rule: 'approval/class' });
  });
});

describe('the fixed line', () => {
  it('says why nothing was decided, to whoever wrote, and never to a program', () => {
    const { head } = letterOf({ subject: 'Re: it', letterId: 'm-1' });
    const why = 'Its code is not the one of the letter that it answers.';
    expect(fixedLine(head, { kind: 'NoApproval', rule: 'approval/wrong-code', why })).toEqual({
      ...{ kind: 'Fixed', to: [ANN], subject: 'Re: it', letterId: 'm-1', deliveryId: 'no-approval:m-1' },
      text: `Nothing was decided. ${why}\n`,
    });
    expect(fixedLine(head, { kind: 'NoApproval', rule: 'approval/by-program', why })).toBeUndefined();
    expect(fixedLine(head, { kind: 'NoApproval', rule: 'approval/not-aligned', why })).toBeUndefined();
    expect(fixedLine(head, { kind: 'Run', runId: 'r' })).toBeUndefined();
  });
});
