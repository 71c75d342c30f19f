/**
 * Two agents that answer each other over one mail server come to an end by themselves.
 *
 * Source: reliability-security 7 (row 27).
 */
import { join } from 'node:path';
import { systemClock } from '@retainer/contract/std/system-clock';
import { openServers } from '@retainer/agent-pod/mail/open-servers';
import type { OpenedAgent } from '@retainer/agent-pod/open-agent';
import type { MailState } from '@retainer/mind/parts/mail/mail-state';
import { describe, expect } from 'vitest';
import { agentDefinition, inTemporaryDirectory, scripted } from '../support/agents.ts';
import { HeardRecords } from '../support/heard-records.ts';
import { mailDirectAccess } from '../support/mail-access.ts';
import { PROVIDER } from '../support/mail-life.ts';
import { noMailServer, startMailServer, type MailServer, type MailUser } from '../support/mail-server.ts';
import { openedAgent } from '../support/opened-agent.ts';
import { citingRule, oneStepRule } from '../support/runs.ts';
import { verifies } from '../verifies.ts';

const HERE: MailUser = { address: 'here@retainer.example', password: 'here-Passw0rd-of-tests' };
const THERE: MailUser = { address: 'there@retainer.example', password: 'there-Passw0rd-of-tests' };

/** It has an answer to everything, and each time the same one. */
const POLITE = String.raw`
version: 1
rules:${oneStepRule}${citingRule}
  - name: done
    when: {role: executor}
    answer: {text: Thank you for the update. I will wait for your next report and let you know when there is news.}
`;

/** From the first letter to the trip, as the agents measure it. Source: reliability-security 7. */
const TRIP_MS_MAX = 60_000;
const LIMITS = { hopsMax: 10, pairExchangesMax: 10 };

/** What a server on the way leaves of the headers that tell of an exchange. */
const stripped: Readonly<Record<string, RegExp>> = {
  nothing: /(?!)/,
  'the signs of a program': /^(?:X-Retainer-Hops|Auto-Submitted):/i,
  'every sign of an exchange': /^(?:X-Retainer-Hops|Auto-Submitted|References|In-Reply-To):/i,
};

/** The provider says who wrote a letter, and takes headers of these names away. */
function passedOn(raw: string, from: string, names: RegExp): string {
  const end = raw.indexOf('\r\n\r\n');
  // A header goes on where the next line begins with a blank.
  const headers = raw.slice(0, end).split(/\r\n(?![ \t])/);
  const results = `Authentication-Results: ${PROVIDER}; dmarc=pass header.from=${from.slice(from.indexOf('@') + 1)}`;
  return [results, ...headers.filter((it) => !names.test(it))].join('\r\n') + raw.slice(end);
}

interface Life {
  readonly dataDirectory: string;
  readonly server: MailServer;
  readonly own: MailUser;
  readonly peer: MailUser;
}

class Talker {
  readonly agent: OpenedAgent;
  readonly heard: HeardRecords;
  readonly life: Life;

  private constructor(agent: OpenedAgent, heard: HeardRecords, life: Life) {
    this.agent = agent;
    this.heard = heard;
    this.life = life;
  }

  static async begin(life: Life): Promise<Talker> {
    const { dataDirectory, server, own, peer } = life;
    const heard = new HeardRecords();
    const email = {
      address: own.address,
      imap: { host: server.host, port: server.imapPort },
      smtp: { host: server.host, port: server.smtpPort },
      credentialsSecretRef: { name: 'mail' },
      trustedAuthenticationService: PROVIDER,
      allowedSenders: [peer.address],
      agentPeers: [peer.address],
    };
    const definition = agentDefinition({ control: { maxReplans: 0 }, channels: { email }, budgets: LIMITS });
    const parsed = definition.agent.spec.channels.email;
    if (parsed === undefined) throw new Error('the Agent has mail');
    const agent = await openedAgent({
      ...{ definition, dataDirectory, clock: systemClock, onRecord: heard.take, model: await scripted(POLITE) },
      mailServers: openServers(parsed, mailDirectAccess(server, systemClock, own)),
    });
    return new Talker(agent, heard, life);
  }

  get mail(): MailState {
    return this.agent.runtime.parts.known().mail;
  }

  /** Milliseconds since 1970. */
  timeOf(kind: string): number {
    return this.heard.all.find((it) => it.kind === kind)?.timeMs ?? NaN;
  }
}

interface Exchange {
  readonly server: MailServer;
  readonly here: Talker;
  /** The one that stopped, and the other. */
  readonly tripped: Talker;
  readonly other: Talker;
}

/** A letter of `there` begins it; it is over when one of the two has stopped. */
async function exchange(names: RegExp, look: (of: Exchange) => Promise<void>): Promise<void> {
  const onTheWay = (raw: string, { from }: { readonly from: string }): string => passedOn(raw, from, names);
  const server = await startMailServer({ users: [HERE, THERE], onTheWay });
  try {
    await inTemporaryDirectory(async (directory) => playIn(directory, { server, names, look }));
  } finally {
    await server.remove();
  }
}

interface Play {
  readonly server: MailServer;
  readonly names: RegExp;
  readonly look: (of: Exchange) => Promise<void>;
}

async function playIn(directory: string, { server, names, look }: Play): Promise<void> {
  const here = await Talker.begin({ dataDirectory: join(directory, 'here'), server, own: HERE, peer: THERE });
  const there = await Talker.begin({ dataDirectory: join(directory, 'there'), server, own: THERE, peer: HERE });
  try {
    await server.deliver(passedOn(FIRST, THERE.address, names), HERE.address, THERE.address);
    const tripped = await Promise.race([here, there].map((it) => it.heard.until('MailTripped').then(() => it)));
    await look({ server, here, tripped, other: tripped === here ? there : here });
  } finally {
    await Promise.all([here.agent.close(), there.agent.close()]);
  }
}

const FIRST = [
  `From: ${THERE.address}`,
  `To: ${HERE.address}`,
  'Subject: The state of the pump',
  'Message-ID: <first@retainer.example>',
  'Date: Sun, 29 Nov 2026 10:00:00 +0000',
  'Auto-Submitted: auto-generated',
  'Content-Type: text/plain; charset=utf-8',
  '',
  'Thank you for the update. I will wait for your next report and let you know when there is news.',
  '',
].join('\r\n');

describe.skipIf(noMailServer !== undefined)('two agents that always answer', () => {
  for (const [what, names] of Object.entries(stripped)) {
    const isAlike = what === 'every sign of an exchange';
    verifies(isAlike ? 'mail-pairs:alike' : 'mail-pairs:hops', `stop where a server takes away ${what}`, () =>
      exchange(names, async ({ server, here, tripped }) => {
        const [trip] = tripped.heard.of('MailTripped');
        expect(trip?.['why']).toBe(isAlike ? 'Alike' : 'Hops');
        // Each counts the letters that come to it: every second one.
        expect([10, 11]).toContain(trip?.['count']);
        expect(tripped.timeOf('MailTripped') - here.timeOf('MailSeen')).toBeLessThan(TRIP_MS_MAX);
        // Each says so much at the most: together they make as many hops as are allowed, or twice as many letters that say the same.
        expect(server.sent.length).toBeLessThanOrEqual(isAlike ? 2 * LIMITS.pairExchangesMax : LIMITS.hopsMax);
        expect(server.sent.length).toBeGreaterThan(LIMITS.hopsMax - 3);
        const held = [...tripped.mail.letters.values()].filter(({ status }) => status === 'Held');
        expect(held.map(({ rule }) => rule)).toEqual(['pair/tripped']);
      }),
    );
  }

  verifies('mail-pairs:alike', 'go on when a person has released a letter, over a restart as well', () =>
    exchange(stripped['every sign of an exchange'] ?? /(?!)/, async ({ tripped, other, server }) => {
      const letterId = [...tripped.mail.letters.values()].find(({ status }) => status === 'Held')?.head.letterId ?? '';
      await tripped.agent.close();
      const again = await Talker.begin(tripped.life);
      try {
        const peer = again.life.peer.address;
        expect(again.mail.pairs.get(peer)?.tripped).toMatchObject({ why: 'Alike' });
        const before = server.sent.length;
        const release = { type: 'ReleaseMail', letterId, reason: 'the pump was repaired', by: 'ann' } as const;
        await again.agent.runtime.accept('release:1', 'test', release);
        expect(again.mail.pairs.get(peer)?.tripped).toBeUndefined();
        // The other one has counted as well, and is the next to stop.
        await other.heard.until('MailTripped');
        expect(server.sent.length).toBeGreaterThan(before);
      } finally {
        await again.agent.close();
      }
    }),
  );
});
