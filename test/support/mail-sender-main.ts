/** A process with a real record that sends mails over real servers: to be killed in the midst. */
import { readFileSync } from 'node:fs';
import { openServers } from '@retainer/agent-pod/mail/open-servers';
import { buildLetter } from '@retainer/agent-pod/mail/build-letter';
import { Outbox } from '@retainer/agent-pod/parts/mail/outbox';
import { Agent } from '@retainer/contract/api/agent';
import { invariant } from '@retainer/contract/std/invariant';
import { systemClock } from '@retainer/contract/std/system-clock';
import type { SendRequest } from '@retainer/mind/parts/mail/outgoing';
import { agentDefinition, scripted } from './agents.ts';
import { openedAgent } from './opened-agent.ts';

export interface MailSenderOrders {
  readonly dataDirectory: string;
  /** `spec.channels.email`. */
  readonly email: object;
  readonly user: string;
  readonly password: string;
  readonly ca: string;
  readonly requests: readonly SendRequest[];
}

/** It is asked nothing. */
const script = `
version: 1
rules:
  - name: nothing
    answer: {text: Nothing.}
`;

const orders = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as MailSenderOrders;
const { dataDirectory, user, password, ca, requests } = orders;
const definition = agentDefinition({ channels: { email: orders.email } });
const { email } = Agent.parse(definition.agent).spec.channels;
invariant(email !== undefined, 'the orders say which mail');
const agent = await openedAgent({ dataDirectory, definition, model: await scripted(script) });
const servers = openServers(email, {
  ...{
    credentials: () => Promise.resolve({ user, password }),
    authorities: () => Promise.resolve([ca]),
    proxy: () => Promise.resolve(undefined),
  },
  ...{ clock: systemClock, random: () => 0, resolve: () => Promise.reject(new Error('no names here')) },
});
const { runtime, journal } = agent;
const outbox = new Outbox({
  ...{ clock: systemClock, parts: runtime.parts, ...servers, settings: email },
  isWorking: () => runtime.isReady && journal.mode === 'Writable',
  build: (mail, dateMs) => buildLetter(mail, { address: email.address, dateMs }),
  // A test does not wait for servers that keep a copy late.
  pauses: { looksAfterMs: [200, 1_500], copyAfterMs: 500, awayMs: 60_000 },
});
const never = new AbortController().signal;
void outbox.component().run(never);
process.stdout.write('ready\n');
await Promise.all(requests.map((request) => outbox.send(request, never)));
// What an earlier process left is settled as well.
const isOpen = (): boolean =>
  [...runtime.parts.known().mail.outgoing.values()].some(({ status }) => status === 'Open' || status === 'Handed');
while (isOpen()) await systemClock.sleep(50);
process.stdout.write('settled\n');
setInterval(() => undefined, 1_000);
