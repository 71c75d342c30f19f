/** The servers of mail, real ones, with the faults that they have: each is told in its own words, and heals by itself. */
import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADA, AGENT, BOB, noMailServer, startMailServer, type MailServer } from '../support/mail-server.ts';

const LETTER = 'From: ada@people.example\r\nTo: agent@retainer.example\r\nSubject: Hello\r\n\r\nIs anybody there?\r\n';

describe.skipIf(noMailServer !== undefined)(noMailServer ?? 'the mail server of the tests', () => {
  let server: MailServer;
  beforeAll(async () => {
    server = await startMailServer();
  });
  afterAll(() => server.remove());

  it('keeps what is delivered, numbers it anew when asked to, and counts nothing as sent', async () => {
    await server.deliver(LETTER, AGENT.address);
    await server.setUidValidity(AGENT.address, 4711);
    const letters = await server.letters(AGENT.address);
    expect(letters).toMatchObject([{ uid: 1 }]);
    expect(letters[0]?.raw).toContain('Is anybody there?');
    expect(await server.letters(ADA.address)).toEqual([]);
    expect(server.sent).toEqual([]);
  });

  it('hands on what is sent by those who log in, and keeps a copy in Sent', async () => {
    const { host, smtpPort: port, ca } = server;
    const auth = { user: BOB.address, pass: BOB.password };
    const transport = createTransport({ host, port, secure: true, auth, tls: { ca } });
    await transport.sendMail({ from: BOB.address, to: [ADA.address, 'x@else.example'], subject: 'Hi', text: 'Hi' });
    transport.close();
    expect(server.sent).toMatchObject([{ user: BOB.address, to: [ADA.address, 'x@else.example'] }]);
    expect(await server.letters(ADA.address)).toHaveLength(1);
    expect(await server.letters(BOB.address, 'Sent')).toHaveLength(1);
  });
});
