/** The mail of an agent that is being opened: its outbox, and the way by which the rest of the agent sends. */
import type { Agent } from '@retainer/contract/api/agent';
import type { Clock } from '@retainer/contract/std/clock';
import type { Journal } from '@retainer/journal/journal';
import type { Admission } from './admit-runs.ts';
import { MailDelivery } from './deliver/mail-delivery.ts';
import type { AgentRuntime } from './loop/agent-runtime.ts';
import { Bell, rungWithin } from './loop/bell.ts';
import { buildLetter } from './mail/build-letter.ts';
import { mailRunsOf } from './mail-of-agent.ts';
import { ApprovalCodes } from './parts/mail/approval-codes.ts';
import { dialogue } from './parts/mail/dialogue.ts';
import { Outbox } from './parts/mail/outbox.ts';
import type { MailPort, MailServers, TendedMail } from './ports/mail.ts';
import type { DeliveryPort } from './ports/ports.ts';

/** Rung at each record of mail, for two that listen. */
export class MailBell {
  readonly starter = new Bell();
  readonly dialogue = new Bell();

  ring(): void {
    this.starter.ring();
    this.dialogue.ring();
  }
}

export interface MailOptions {
  readonly agent: Agent;
  /** Absent: the Agent has no mail, or nobody knows its credentials. */
  readonly mailServers?: MailServers;
  readonly dataDirectory: string;
  readonly clock: Clock;
  readonly journal: Pick<Journal, 'mode'>;
  readonly mailBell: MailBell;
  /** Of the agent that is being opened: not to be called before it is. */
  readonly runtime: () => AgentRuntime;
  readonly onNotice?: (notice: string) => void;
}

export interface OpenedMail {
  readonly port: MailPort;
  readonly delivery: DeliveryPort;
  close(): Promise<void>;
  tended(admission: Admission): TendedMail;
}

/** Longest time in which something that a person is to be asked by mail is not noticed: nothing tells of it in the record of mail. */
const DIALOGUE_LOOK_MS = 2_000;

/** @returns undefined: the agent has no mail */
export async function openMail(options: MailOptions): Promise<OpenedMail | undefined> {
  const { agent, mailServers: servers, clock, dataDirectory } = options;
  const { email } = agent.spec.channels;
  if (email === undefined || servers === undefined) return undefined;
  const codes = await ApprovalCodes.open(dataDirectory);
  const parts = () => options.runtime().parts;
  const isWritable = (): boolean => options.journal.mode === 'Writable';
  const isWorking = (): boolean => options.runtime().isReady && isWritable();
  const outbox = new Outbox({
    ...{ clock, parts: { known: () => parts().known(), write: (records) => parts().write(records) } },
    ...{ sender: servers.sender, mailbox: servers.mailbox, settings: email, isWorking },
    build: (mail, dateMs) => buildLetter(mail, { address: email.address, dateMs }),
    complete: (mail) => Promise.resolve(codes.complete(mail, clock.nowMs())),
    restoredAtMs: () => options.runtime().known.secondCopy.restoring?.restoredMs,
    ...(options.onNotice === undefined ? {} : { onNotice: options.onNotice }),
  });
  const port: MailPort = {
    address: email.address,
    allowedRecipients: email.allowedRecipients,
    known: () => parts().known().mail,
    send: (request, signal) => outbox.send(request, signal),
    health: () => ({ incoming: servers.mailbox.health(), outgoing: servers.sender.health() }),
  };
  return {
    port,
    delivery: new MailDelivery(port),
    close: () => servers.sender.close(),
    tended: (admission) => {
      servers.sender.start();
      return {
        ...{ servers, outbox: outbox.component() },
        runs: mailRunsOf(
          { admission, bell: options.mailBell.starter, isWritable, nowMs: () => clock.nowMs(), port },
          email,
        ),
        dialogue: dialogue({
          ...{ mail: port, agentName: agent.metadata.name, approvers: email.approvers, codes, clock, isWorking },
          ...{ known: admission.registry.known, work: admission.runtime },
          changed: (signal) => rungWithin(options.mailBell.dialogue, DIALOGUE_LOOK_MS, { clock, signal }),
        }),
      };
    },
  };
}
