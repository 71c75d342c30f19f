/** A letter over real servers becomes a run, and its result one threaded answer; what may not leave is a line of ours. */
import { openServers } from '@retainer/agent-pod/mail/open-servers';
import type { OpenedAgent } from '@retainer/agent-pod/open-agent';
import { invariant } from '@retainer/contract/std/invariant';
import { systemClock } from '@retainer/contract/std/system-clock';
import type { JournalRecord } from '@retainer/journal/journal';
import PostalMime, { type Email } from 'postal-mime';
import { describe, expect } from 'vitest';
import { agentDefinition, characterSpec, inTemporaryDirectory, scripted, task } from '../support/agents.ts';
import { ADA, AGENT, noMailServer, startMailServer, type MailServer } from '../support/mail-server.ts';
import { PROVIDER } from '../support/mail-life.ts';
import { openedAgent } from '../support/opened-agent.ts';
import { shippedCharacter } from '../support/shipped-character.ts';
import { verifies } from '../verifies.ts';

const letterOf = (id: string, words: string): string =>
  [
    `Authentication-Results: ${PROVIDER}; dmarc=pass header.from=people.example`,
    `From: Ada <${ADA.address}>`,
    `To: ${AGENT.address}`,
    'Subject: Frost days',
    `Message-ID: <${id}@people.example>`,
    `Date: ${new Date().toUTCString()}`,
    '',
    words,
    '',
  ].join('\r\n');

/** Every run answers at once with these words; a scorer finds this much of what Comms must not tell, and nothing else. */
const scriptOf = (words: string, magnitude = 0): string => String.raw`
version: 1
rules:
  - name: the answer
    when: {role: perceiver}
    answer: {text: '<perception><reply>${words}</reply></perception>'}
  - name: what is found
    when: {role: gate-scorer}
    answer: {text: ['<forecasts>', {each: {of: system, pattern: '(?m)^- (?P<feature>credential_exposure|internal_url_exposure|system_internals|tone_appropriateness): '}, text: '<forecast feature="{{each.feature}}" magnitude="${magnitude}"><rationale>It is so.</rationale></forecast>'}, {each: {of: system, pattern: '(?m)^- (?P<feature>unsourced_claim|accuracy|certainty_overstatement|harmful_content|privacy_leak): '}, text: '<forecast feature="{{each.feature}}" magnitude="0"><rationale>It is not.</rationale></forecast>'}, '</forecasts>']}
  - name: what a probe says
    when: {role: [gate-probe-hijack, gate-probe-leakage]}
    answer: {text: It is about the weather.}
  - name: everything else
    answer: {text: Nothing.}
`;

interface Living {
  readonly server: MailServer;
  readonly agent: OpenedAgent;
  readonly records: readonly JournalRecord[];
  /** What came to the person, oldest first. */
  readonly answers: (count: number) => Promise<readonly Email[]>;
}

async function living(
  { script, character }: { readonly script: string; readonly character?: object },
  use: (living: Living) => Promise<void>,
): Promise<void> {
  const server = await startMailServer();
  try {
    await inTemporaryDirectory(async (dataDirectory) => {
      const { host, imapPort, smtpPort, ca } = server;
      const definition = agentDefinition(
        {
          channels: {
            email: {
              address: AGENT.address,
              ...{ imap: { host, port: imapPort }, smtp: { host, port: smtpPort } },
              ...{ credentialsSecretRef: { name: 'mail' }, pollInterval: '10s' },
              ...{ allowedSenders: [ADA.address], trustedAuthenticationService: PROVIDER },
            },
          },
        },
        character === undefined ? characterSpec() : characterSpec(character),
      );
      const { email } = definition.agent.spec.channels;
      invariant(email !== undefined, 'it has mail');
      const mailServers = openServers(email, {
        credentials: () => Promise.resolve({ user: AGENT.address, password: AGENT.password }),
        ...{
          authorities: () => Promise.resolve([ca]),
          proxy: () => Promise.resolve(undefined),
          clock: systemClock,
          random: () => 0,
        },
        resolve: () => Promise.reject(new Error('no names here')),
      });
      const records: JournalRecord[] = [];
      const agent = await openedAgent({
        ...{ dataDirectory, definition, mailServers, model: await scripted(script) },
        onRecord: (record) => void records.push(record),
      });
      const answers = async (count: number): Promise<readonly Email[]> => {
        await expect.poll(async () => (await server.letters(ADA.address)).length).toBe(count);
        return Promise.all((await server.letters(ADA.address)).map(({ raw }) => PostalMime.parse(raw)));
      };
      try {
        await use({ server, agent, records, answers });
      } finally {
        await agent.close();
      }
    });
  } finally {
    await server.remove();
  }
}

describe.skipIf(noMailServer !== undefined)(noMailServer ?? 'the answer to a letter', () => {
  verifies('mail-out:answer', 'goes to its sender alone, under the letter, once', () =>
    living({ script: scriptOf('Forty-one days.') }, async ({ server, answers, records }) => {
      await server.deliver(letterOf('frost-1', 'How many frost days did 1997 have?'), AGENT.address);
      const [answer] = await answers(1);
      expect(answer).toMatchObject({
        from: { address: AGENT.address },
        to: [{ address: ADA.address }],
        subject: 'Re: Frost days',
        inReplyTo: '<frost-1@people.example>',
        references: '<frost-1@people.example>',
      });
      expect(answer?.text?.replaceAll('\r\n', '\n')).toMatch(
        /^Forty-one days\.\n\n(?:.*\n)*Reference: mail-[0-9a-f]+\n$/,
      );
      const header = (key: string) => answer?.headers.find((it) => it.key === key)?.value;
      expect([header('auto-submitted'), header('x-retainer-hops')]).toEqual(['auto-replied', '1']);
      expect(server.sent).toHaveLength(1);
      // The same letter once more, and one that goes on with it.
      await server.deliver(letterOf('frost-1', 'How many frost days did 1997 have?'), AGENT.address);
      const next = letterOf('frost-2', 'And 1998?').replace('Date:', `In-Reply-To: ${answer?.messageId}\r\nDate:`);
      await server.deliver(next, AGENT.address);
      const all = await answers(2);
      expect(all[1]).toMatchObject({ inReplyTo: '<frost-2@people.example>' });
      expect(all[1]?.references?.split(/\s+/)).toEqual([
        '<frost-1@people.example>',
        answer?.messageId,
        '<frost-2@people.example>',
      ]);
      const kinds = records.filter(({ store }) => store === 'mail').map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind === 'MailRequested')).toHaveLength(2);
      expect(kinds).toContain('MailRepeated');
    }),
  );

  verifies('mail-out:fixed-line', 'is one line of ours where the gate refuses what a model said', () => {
    const rule = { id: 'sword', description: 'Swords.', pattern: 'sword', verdict: 'Reject', reason: 'No swords.' };
    const character = { gatePolicies: { output: { rules: [rule] } } };
    return living({ script: scriptOf('The sword lies under the stone.'), character }, async ({ server, answers }) => {
      await server.deliver(letterOf('sword-1', 'Where is it?'), AGENT.address);
      const [answer] = await answers(1);
      expect(answer?.text).toMatch(/^I cannot answer this letter: .*\s+Reference: mail-[0-9a-f]+\s+$/);
      expect(answer?.text).not.toContain('stone');
    });
  });

  verifies('mail-out:judged-as-comms', 'is refused by the shipped character where a Task gets the same words', () =>
    living(
      { script: scriptOf('The agent runs on node seventeen as it is configured.', 5), character: shippedCharacter() },
      async ({ server, agent, answers, records }) => {
        const { runId } = await agent.submitTask(task('same', 'Where do you run?'), 'test');
        await agent.runtime.closed(runId);
        await server.deliver(letterOf('where-1', 'Where do you run?'), AGENT.address);
        const [answer] = await answers(1);
        expect(answer?.text).not.toContain('node seventeen');
        const concluded = records.filter(({ kind }) => kind === 'RunConcluded');
        const outcomes = concluded.map(({ runId: of, payload }) => [
          of === runId,
          (payload as { outcome: string }).outcome,
        ]);
        expect(outcomes).toEqual([
          [true, 'Succeeded'],
          [false, 'Refused'],
        ]);
      },
    ),
  );
});
