/**
 * Opens a connection to an allowed host.
 *
 * I1  The proxy connects to an address that it checked, and looks up no name after the check. A name that changes its address
 *     between two answers gains nothing.
 * I2  One address that is not public refuses the whole name: such an answer is hostile.
 */
import type { Socket } from 'node:net';
import type { Clock } from '@retainer/contract/std/clock';
import type { ConnectTarget } from './connect-target.ts';
import type { Network } from './network.ts';
import { ADDRESSES_TRIED_MAX, type ProxyLimits } from './proxy-limits.ts';
import { isPublicAddress } from './public-address.ts';
import type { ProxyRefusal } from './proxy-outcome.ts';

export type Upstream =
  | { readonly type: 'Open'; readonly socket: Socket; readonly address: string }
  | { readonly type: 'Refused'; readonly refusal: ProxyRefusal };

export interface UpstreamParts {
  readonly network: Network;
  readonly clock: Clock;
  readonly limits: ProxyLimits;
}

/** Never rejects. A lost client shows only when its tunnel is read, so time limits bound this. */
export async function openUpstream(
  target: ConnectTarget,
  { network, clock, limits }: UpstreamParts,
  signal: AbortSignal,
): Promise<Upstream> {
  const within = <T>(limitMs: number, act: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> =>
    settled(act, { clock, limitMs, signal });
  const addresses = target.isAddress
    ? [target.host]
    : ((await within(limits.resolveMs, (stop) => network.resolve(target.host, stop))) ?? []);
  if (addresses.length === 0) return { type: 'Refused', refusal: 'ResolveFailed' };
  if (!addresses.every(isPublicAddress)) return { type: 'Refused', refusal: 'AddressNotPublic' };
  for (const address of addresses.slice(0, ADDRESSES_TRIED_MAX)) {
    const socket = await within(limits.connectMs, (stop) => network.connect(address, target.port, stop));
    if (socket !== undefined) return { type: 'Open', socket, address };
  }
  return { type: 'Refused', refusal: 'ConnectFailed' };
}

interface Bounds {
  readonly clock: Clock;
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/** Undefined for any failure, because the client learns no details. */
async function settled<T>(act: (signal: AbortSignal) => Promise<T>, bounds: Bounds): Promise<T | undefined> {
  const { clock, limitMs, signal } = bounds;
  const stop = new AbortController();
  const both = AbortSignal.any([signal, stop.signal]);
  const expired = clock.sleep(limitMs, both).then(
    () => undefined,
    () => undefined,
  );
  try {
    return await Promise.race([act(both), expired]);
  } catch {
    // Refused, unreachable, unknown name, cut off: the verdict names only the step.
    return undefined;
  } finally {
    stop.abort();
  }
}
