/** The ways on which the replies of an agent leave it. */
import { join } from 'node:path';
import type { Journal } from '@retainer/journal/journal';
import { DeliveryRouter } from './deliver/delivery-router.ts';
import { NoticeDelivery, type DeliveredNotice } from './deliver/notice-delivery.ts';
import { OutboxDelivery } from './deliver/outbox-delivery.ts';
import type { AgentRuntime } from './loop/agent-runtime.ts';
import type { DeliveryPort } from './ports/ports.ts';

/** An answer to a letter waits in the record until the Agent has mail again. */
const noMail: DeliveryPort = {
  deliver: () => Promise.reject(new Error('the Agent has no mail: set channels.email and its credentials again')),
  isDelivered: () => Promise.resolve(false),
};

export interface DeliveringAgent {
  readonly journal: Pick<Journal, 'append'>;
  openRuns(): ReturnType<AgentRuntime['openRuns']>;
}

export interface DeliveryOptions {
  readonly dataDirectory: string;
  /** Of the results of Tasks. Files below `outbox/` by default. */
  readonly delivery?: DeliveryPort | ((agent: DeliveringAgent) => DeliveryPort);
  /** A notice for a person is in `outbox/`, as the file of its id; called once for each. */
  readonly onNoticeDelivered?: (notice: DeliveredNotice) => void;
}

/** @param mail  of answers to letters; absent: the agent has no mail */
export function deliveryOf(options: DeliveryOptions, agent: DeliveringAgent, mail = noMail): DeliveryPort {
  const outbox = new OutboxDelivery(join(options.dataDirectory, 'outbox'));
  const { delivery = outbox, onNoticeDelivered } = options;
  return new DeliveryRouter({
    TaskStatus: typeof delivery === 'function' ? delivery(agent) : delivery,
    Mail: mail,
    Notice: new NoticeDelivery(outbox, (notice) => onNoticeDelivered?.(notice)),
  });
}
