/** What an agent asks people by mail, over a real mail server: approvals of calls, and questions of its runs. */
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { APPROVAL_KEY_FILE } from '@retainer/agent-pod/parts/mail/approval-codes';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { inTemporaryDirectory } from '../support/agents.ts';
import { codeIn } from '../support/mail-dialogue.ts';
import { letterOf, MailLife } from '../support/mail-life.ts';
import { ADA, AGENT, BOB, noMailServer, startMailServer, type MailServer } from '../support/mail-server.ts';
import { citingRule, oneStepRule } from '../support/runs.ts';
import { verifies } from '../verifies.ts';

/** It asks for leave to write a file, and writes it. */
const ASKING_LEAVE = String.raw`
version: 1
rules:${oneStepRule}${citingRule}
  - name: asks for leave
    when: {role: executor, turn: 1}
    answer:
      calls:
        - {tool: request_approval, input: {tool: write_file, input: {path: notes/a.md, content: hello}, reason: SAYS-THE-MODEL}}
  - name: writes
    when: {role: executor, turn: 2}
    answer: {calls: [{tool: write_file, input: {path: notes/a.md, content: hello}}]}
  - name: done
    when: {role: executor}
    answer: {text: The file is written.}
`;

/** It asks whoever gave the work. */
const ASKING = String.raw`
version: 1
rules:${oneStepRule}${citingRule}
  - name: asks
    when: {role: executor, turn: 1}
    answer: {calls: [{tool: ask_person, input: {question: 'In which city?'}}]}
  - name: done
    when: {role: executor}
    answer: {text: It is done.}
`;

interface Got {
  readonly subject: string;
  readonly text: string;
  readonly id: string;
}

/** A letter of the agent as its reader has it. */
function got(raw: string): Got {
  const [head = '', ...body] = raw.split('\r\n\r\n');
  const field = (name: string): string => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1] ?? '';
  const text = body.join('\r\n\r\n').replaceAll('=\r\n', '').replaceAll('\r\n', '\n');
  return { subject: field('Subject'), text, id: field('Message-ID').replaceAll(/[<>]/g, '') };
}

function filesBelow(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((it) => it.isFile())
    .map((it) => join(it.parentPath, it.name));
}

describe.skipIf(noMailServer !== undefined)('an agent that asks by mail', () => {
  let server: MailServer;
  beforeEach(async () => {
    server = await startMailServer();
  });
  afterEach(() => server.remove());

  const mailsTo = (address: string): readonly Got[] =>
    server.sent.filter(({ to }) => to.includes(address)).map(({ raw }) => got(raw));

  verifies('mail-approvals:answer', 'runs what an approver said yes to, over a restart, and answers a wrong code', () =>
    inTemporaryDirectory(async (directory) => {
      const options = { directory, server, script: ASKING_LEAVE, email: { approvers: [BOB.address] } };
      const before = await MailLife.begin(options);
      await server.deliver(letterOf({ text: 'Write it down.', id: 'leave@people.example' }), AGENT.address);
      await before.until('MailSent');
      const [asked] = mailsTo(BOB.address);
      if (asked === undefined) throw new Error('Bob was asked');
      expect(asked.text).toContain('| writes the file "notes/a.md"');
      expect(asked.text).toContain(`It works for a letter of ${ADA.address}.`);
      expect(asked.text).not.toContain('SAYS-THE-MODEL');
      await before.end();
      expect(statSync(join(directory, APPROVAL_KEY_FILE)).mode & 0o777).toBe(0o600);

      const after = await MailLife.begin(options);
      const answer = (text: string): Promise<void> =>
        server.deliver(letterOf({ from: BOB.address, text, answers: [asked.id] }), AGENT.address, BOB.address);
      await answer('approve 00000-00000');
      await after.until('MailSent', 1);
      expect(mailsTo(BOB.address).at(-1)?.text).toContain(
        'Nothing was decided. Its code is not the one of the letter that it answers.',
      );
      expect(existsSync(join(directory, 'workspace', 'notes', 'a.md'))).toBe(false);
      await answer(`Approve ${codeIn(asked.text).toLowerCase()}\n\nGo on.\n\n> ${asked.text.replaceAll('\n', '\n> ')}`);
      await after.until('ApprovalDecided');
      await after.until('MailSent', 2);
      expect(readFileSync(join(directory, 'workspace', 'notes', 'a.md'), 'utf8')).toBe('hello');
      expect(mailsTo(ADA.address).at(-1)?.text).toContain('The file is written.');
      expect(after.all('ApprovalDecided')).toMatchObject([{ decision: 'Approve', by: `mail:${BOB.address}` }]);
      await after.end();
      // No file of the agent holds the code: neither its record, nor its outbox, nor a cache.
      const code = codeIn(asked.text);
      for (const path of filesBelow(directory)) {
        const written = readFileSync(path, 'latin1').toUpperCase();
        expect(written.includes(code) || written.includes(code.replace('-', '')), path).toBe(false);
      }
    }),
  );

  verifies('mail-questions:asked-and-answered', 'goes on with the answer of whoever wrote', () =>
    inTemporaryDirectory(async (directory) => {
      const life = await MailLife.begin({ directory, server, script: ASKING });
      await server.deliver(letterOf({ text: 'What is the weather?', id: 'q@people.example' }), AGENT.address);
      await life.until('MailSent');
      const [asked] = mailsTo(ADA.address);
      if (asked === undefined) throw new Error('Ada was asked');
      expect(asked.text).toContain('| In which city?');
      await server.deliver(letterOf({ text: 'In Paris.', answers: ['q@people.example', asked.id] }), AGENT.address);
      await life.until('MailSent', 2);
      expect(life.all('RunAdmitted')).toHaveLength(1);
      expect(life.all('ApprovalDecided')).toMatchObject([{ decision: 'Answer', reason: 'In Paris.' }]);
      expect(mailsTo(ADA.address).at(-1)?.text).toContain('It is done.');
      await life.end();
    }),
  );
});
