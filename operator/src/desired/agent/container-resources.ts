/** Requests and limits: the Agent's values over defaults, so that every container has all six. Pure. */
import type { BootAgent } from '@retainer/contract/wire/boot';
import { canonicalQuantity, greaterQuantity, lesserQuantity } from './quantity.ts';

type Resources = NonNullable<BootAgent['spec']['pod']['resources']>;
type Amount = 'cpu' | 'memory' | 'ephemeral-storage';
type Amounts = Readonly<Record<Amount, string>>;

export interface ContainerResources {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

/** An agent waits for models most of the time; its memory holds the indexed days of its record. */
export const AGENT_RESOURCES: ContainerResources = {
  requests: { cpu: '100m', memory: '256Mi', 'ephemeral-storage': '256Mi' },
  limits: { cpu: '1', memory: '1Gi', 'ephemeral-storage': '1Gi' },
};

/**
 * The auditor rests at 64 MiB, and takes 160 MiB with the judge that it starts for a batch; the rest is the kernel's, for what
 * both read.
 */
export const AUDITOR_RESOURCES: ContainerResources = {
  requests: { cpu: '20m', memory: '64Mi', 'ephemeral-storage': '32Mi' },
  limits: { cpu: '500m', memory: '192Mi', 'ephemeral-storage': '128Mi' },
};

/** Defaults adapt to the given values, because the API server refuses a request above its limit. */
export function containerResources(given: Resources | undefined, defaults: ContainerResources): ContainerResources {
  const limit = (amount: Amount): string =>
    given?.limits?.[amount] ?? greaterQuantity(defaults.limits[amount], given?.requests?.[amount] ?? '0');
  const request = (amount: Amount): string =>
    given?.requests?.[amount] ?? lesserQuantity(defaults.requests[amount], limit(amount));
  return { requests: amounts(request), limits: amounts(limit) };
}

function amounts(of: (amount: Amount) => string): Amounts {
  const amount = (name: Amount): string => canonicalQuantity(of(name));
  return { cpu: amount('cpu'), memory: amount('memory'), 'ephemeral-storage': amount('ephemeral-storage') };
}
