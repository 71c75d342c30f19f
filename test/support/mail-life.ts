/** An agent with mail over a real mail server: what people write to it, what it answers, and what it records. */
import { mailDirectAccess } from './mail-access.ts';
import type { OpenedAgent } from '@retainer/agent-pod/open-agent';
import { openServers } from '@retainer/agent-pod/mail/open-servers';
import type { Clock } from '@retainer/contract/std/clock';
import { systemClock } from '@retainer/contract/std/system-clock';
import type { LetterPlace } from '@retainer/mind/parts/mail/letter';
import type { MailState } from '@retainer/mind/parts/mail/mail-state';
import type { Command } from '@retainer/mind/run/inbox';
import { agentDefinition, scripted } from './agents.ts';
import { HeardRecords } from './heard-records.ts';
import { ADA, AGENT, BOB, type MailServer } from './mail-server.ts';
import { openedAgent } from './opened-agent.ts';
import { citingRule, oneStepRule } from './runs.ts';

/** The service id of the provider, which checks who sent a letter. */
export const PROVIDER = 'mx.retainer.example';

/** It answers whatever it is asked. */
export const ANSWERING = String.raw`
version: 1
rules:${oneStepRule}${citingRule}
  - name: what the workspace holds
    when: {role: executor, turn: 1}
    answer: {calls: [{tool: list_files, input: {}}]}
  - name: done
    when: {role: executor}
    answer: {text: The workspace was looked through.}
`;

export interface MailLifeOptions {
  readonly directory: string;
  readonly server: MailServer;
  readonly clock?: Clock;
  /** Of the Agent's spec. */
  readonly spec?: object;
  /** Of `channels.email`. */
  readonly email?: object;
  readonly script?: string;
  /** Looks at what the agent tells its mailbox, before the server hears of it. */
  readonly onFlag?: (places: readonly LetterPlace[]) => void;
}

/** One process of the agent. */
export class MailLife {
  readonly agent: OpenedAgent;
  readonly #heard: HeardRecords;

  private constructor(agent: OpenedAgent, heard: HeardRecords) {
    this.agent = agent;
    this.#heard = heard;
  }

  static async begin({ directory, server, clock = systemClock, ...more }: MailLifeOptions): Promise<MailLife> {
    const heard = new HeardRecords();
    const email = {
      ...{ address: AGENT.address, imap: { host: server.host, port: server.imapPort } },
      smtp: { host: server.host, port: server.smtpPort },
      ...{ credentialsSecretRef: { name: 'mail' }, trustedAuthenticationService: PROVIDER },
      ...{ allowedSenders: [ADA.address, BOB.address], allowedRecipients: [ADA.address, BOB.address] },
      ...more.email,
    };
    const spec = { control: { maxReplans: 0 }, channels: { email }, ...more.spec };
    const definition = agentDefinition(spec);
    const parsed = definition.agent.spec.channels.email;
    if (parsed === undefined) throw new Error('the Agent has mail');
    const mailServers = openServers(parsed, mailDirectAccess(server, clock));
    const { mailbox } = mailServers;
    const flag = mailbox.flag.bind(mailbox);
    mailbox.flag = async (places) => {
      more.onFlag?.(places);
      await flag(places);
    };
    const agent = await openedAgent({
      ...{ definition, dataDirectory: directory, clock, onRecord: heard.take },
      ...{ model: await scripted(more.script ?? ANSWERING), mailServers },
    });
    return new MailLife(agent, heard);
  }

  all(kind: string): readonly Readonly<Record<string, unknown>>[] {
    return this.#heard.of(kind);
  }

  kinds(): string[] {
    return this.#heard.all.map((it) => it.kind);
  }

  until(kind: string, count = 1): Promise<void> {
    return this.#heard.until(kind, count);
  }

  get mail(): MailState {
    return this.agent.runtime.parts.known().mail;
  }

  say(originId: string, command: Command): Promise<boolean> {
    return this.agent.runtime.accept(originId, 'test', command);
  }

  end(): Promise<void> {
    return this.agent.close();
  }
}

export interface WrittenLetter {
  readonly from?: string;
  readonly subject?: string;
  readonly text: string;
  /** Without angle brackets. */
  readonly id?: string;
  /** Message-IDs, the newest last. */
  readonly answers?: readonly string[];
  /** What the provider found; absent: that its author wrote it. */
  readonly results?: string;
  readonly headers?: readonly string[];
  /** Absent: {@link AGENT}. */
  readonly to?: string;
}

/** A letter as a provider delivers it, with its results on top. */
export function letterOf({ from = ADA.address, subject = 'A question', text, ...more }: WrittenLetter): string {
  const domain = from.slice(from.lastIndexOf('@') + 1).replace('>', '');
  const { answers = [], results = `dmarc=pass header.from=${domain}`, to = AGENT.address } = more;
  const id = more.id ?? `${Math.abs(hash(text + subject + from))}@people.example`;
  const [last] = answers.slice(-1);
  return [
    `Authentication-Results: ${PROVIDER}; ${results}`,
    `From: ${from}`,
    `To: ${to}`,
    `Subject: ${subject}`,
    `Message-ID: <${id}>`,
    'Date: Sun, 29 Nov 2026 10:00:00 +0000',
    ...(last === undefined ? [] : [`In-Reply-To: <${last}>`]),
    ...(answers.length === 0 ? [] : [`References: ${answers.map((it) => `<${it}>`).join(' ')}`]),
    ...(more.headers ?? []),
    'Content-Type: text/plain; charset=utf-8',
    '',
    ...text.split('\n'),
    '',
  ].join('\r\n');
}

/** Small and always the same: ids of tests need no more. */
function hash(text: string): number {
  let sum = 7;
  for (const character of text) sum = (Math.imul(sum, 31) + (character.codePointAt(0) ?? 0)) | 0;
  return sum;
}
