/**
 * Tries, from inside a sandbox pod, flows that must be closed.
 *
 * A new pod has no network at first, and then perhaps for a moment one without rules. So tries begin only after somebody has
 * reached the pod. Rounds of them continue until the rules had time to settle; a flow that is open in one of the last two
 * rounds counts as open.
 *
 * A refused connection is closed: some network plugins refuse where others stay silent. Therefore the operator names listeners
 * that are known to accept.
 */
import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import type { Clock } from '@retainer/contract/std/clock';
import { NODE_LINK_LOCAL, type CanaryEnd, type CanaryTarget } from '@retainer/contract/wire/canary';
import { nodeLinkLocalHosts } from './node-link-local.ts';

/** A connection inside a cluster takes some milliseconds; one retransmission comes after 1 s. */
export const TRY_TIMEOUT_MS = 1500;
/** By then every plugin known to us has applied its rules to a new pod. */
export const SETTLE_MS = 5000;
const ROUND_PAUSE_MS = 500;
/** The last rounds, which count. */
const JUDGED_ROUNDS = 2;

export async function runCanary(
  targets: readonly CanaryTarget[],
  clock: Clock,
  isOpen: (target: CanaryTarget) => Promise<boolean> = tryFlow,
): Promise<Omit<CanaryEnd, 'reached'>> {
  const startedMs = clock.monotonicMs();
  const judged = new Set<string>();
  for (let judgedRounds = 0; judgedRounds < JUDGED_ROUNDS;) {
    const isSettled = clock.monotonicMs() - startedMs >= SETTLE_MS;
    const answers = await Promise.all(targets.map(async (target) => ({ id: target.id, open: await isOpen(target) })));
    if (isSettled) {
      judgedRounds += 1;
      for (const { id } of answers.filter(({ open }) => open)) judged.add(id);
    }
    if (judgedRounds < JUDGED_ROUNDS) await clock.sleep(ROUND_PAUSE_MS);
  }
  return { open: [...judged], tried: targets.length };
}

/** Whether any answer comes within {@link TRY_TIMEOUT_MS}. Never rejects. */
export async function tryFlow(target: CanaryTarget): Promise<boolean> {
  const hosts = target.host === NODE_LINK_LOCAL ? await nodeLinkLocalHosts() : [target.host];
  const answers = await Promise.all(hosts.map((host) => tryHost({ ...target, host })));
  return answers.includes(true);
}

function tryHost(target: CanaryTarget): Promise<boolean> {
  return target.protocol === 'tcp' ? tryTcp(target) : tryUdp(target);
}

function tryTcp({ host, port }: CanaryTarget): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: TRY_TIMEOUT_MS });
    const finish = (isOpen: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(isOpen);
    };
    // A name lookup has no time-out of its own.
    const timer = setTimeout(() => finish(false), TRY_TIMEOUT_MS);
    socket.on('connect', () => finish(true));
    socket.on('timeout', () => finish(false));
    socket.on('error', () => finish(false));
  });
}

/** `kubernetes.default.svc.cluster.local`, type A: every cluster's DNS has an answer. Source: RFC 1035. */
const DNS_QUERY = Buffer.concat([
  Buffer.from('527401000001000000000000', 'hex'),
  ...['kubernetes', 'default', 'svc', 'cluster', 'local'].map((label) =>
    Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]),
  ),
  Buffer.from('0000010001', 'hex'),
]);
const UDP_PAYLOAD = Buffer.from('retainer-canary');

function tryUdp({ host, port, protocol }: CanaryTarget): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
    let isFinished = false;
    const finish = (isOpen: boolean): void => {
      if (isFinished) return;
      isFinished = true;
      clearTimeout(timer);
      socket.close();
      resolve(isOpen);
    };
    const timer = setTimeout(() => finish(false), TRY_TIMEOUT_MS);
    socket.on('message', () => finish(true));
    socket.on('error', () => finish(false));
    socket.send(protocol === 'dns' ? DNS_QUERY : UDP_PAYLOAD, port, host, (error) => {
      if (error !== null) finish(false);
    });
  });
}
