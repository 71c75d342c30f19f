/** Letters to an agent, over a real mail server. */
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { inTemporaryDirectory } from '../support/agents.ts';
import { letterOf, MailLife } from '../support/mail-life.ts';
import { ADA, AGENT, BOB, noMailServer, startMailServer, type MailServer } from '../support/mail-server.ts';
import { verifies } from '../verifies.ts';

describe.skipIf(noMailServer !== undefined)('a letter', () => {
  let server: MailServer;
  beforeAll(async () => {
    server = await startMailServer();
  });
  afterAll(() => server.remove());

  verifies('mail:answered', 'is one run and one answer under it, and what follows knows the thread', () =>
    inTemporaryDirectory(async (directory) => {
      const life = await MailLife.begin({ directory, server });
      await server.deliver(
        letterOf({ text: 'What is in your workspace?', subject: 'Files', id: 'one@people.example' }),
        AGENT.address,
      );
      await life.until('MailSent');
      expect(life.all('RunAdmitted')).toHaveLength(1);
      const [answer] = server.sent.filter(({ to }) => to.includes(ADA.address));
      expect(answer?.raw).toMatch(/^In-Reply-To: <one@people\.example>$/m);
      expect(answer?.raw).toMatch(/^Subject: Re: Files$/m);
      expect(answer?.raw).toContain('The workspace was looked through.');
      await life.end();
    }),
  );
});
void BOB;
