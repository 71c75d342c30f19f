/** The resources of one sandbox: the run's request, else the Agent's, else defaults that suit a script. */
import { SANDBOX_MEMORY_DEFAULT, type AgentSandbox } from '@retainer/contract/api/agent-sandbox';
import type { SandboxRun } from '@retainer/contract/api/sandbox-run';
import { quantityValue } from '../agent/quantity.ts';

export const AMOUNTS = ['cpu', 'memory', 'ephemeral-storage'] as const;
export type Amounts = Readonly<Record<(typeof AMOUNTS)[number], string>>;

export interface SandboxResources {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

type Wish = SandboxRun['spec']['resources'];

/** Bytes of /tmp, for files of interpreters and compilers. */
export const TMP_BYTES = 134_217_728;
/** Bytes of logs and termination messages, which a node counts towards the container's use. */
const LOG_BYTES = 67_108_864;
const MIB = 1_048_576;

/** For a script, an interpreter and the runner; enough to start within a second. */
const DEFAULT_REQUESTS: Amounts = { cpu: '100m', memory: '128Mi', 'ephemeral-storage': '64Mi' };
const DEFAULT_LIMITS = { cpu: '1', memory: SANDBOX_MEMORY_DEFAULT } as const;

/** Bytes that the code may write to its work directory. */
export function scratchBytes({ scratch }: AgentSandbox): number {
  return Math.ceil(quantityValue(scratch) ?? 0);
}

/** The Agent's limits: no run of it gets more. */
export function agentLimits(sandbox: AgentSandbox): Amounts {
  const space = Math.ceil((scratchBytes(sandbox) + TMP_BYTES + LOG_BYTES) / MIB);
  const wished = sandbox.resources?.limits;
  return {
    cpu: wished?.cpu ?? DEFAULT_LIMITS.cpu,
    memory: wished?.memory ?? DEFAULT_LIMITS.memory,
    'ephemeral-storage': wished?.['ephemeral-storage'] ?? `${space}Mi`,
  };
}

/** @param wish  of one run; absent for a warm sandbox */
export function sandboxResources(sandbox: AgentSandbox, wish?: Wish): SandboxResources {
  const ceiling = agentLimits(sandbox);
  const limits = amounts((name) => smallerQuantity(ceiling[name], wish?.limits?.[name] ?? ceiling[name]));
  const requests = amounts((name) =>
    smallerQuantity(
      limits[name],
      wish?.requests?.[name] ?? sandbox.resources?.requests?.[name] ?? DEFAULT_REQUESTS[name],
    ),
  );
  return { requests, limits };
}

export function excessiveAmounts(sandbox: AgentSandbox, wish: Wish): readonly string[] {
  const ceiling = agentLimits(sandbox);
  const exceeds = (text: string | undefined, name: keyof Amounts): boolean =>
    text !== undefined && (quantityValue(text) ?? 0) > (quantityValue(ceiling[name]) ?? 0);
  return AMOUNTS.filter((name) => exceeds(wish?.limits?.[name], name) || exceeds(wish?.requests?.[name], name));
}

function amounts(amount: (name: keyof Amounts) => string): Amounts {
  return { cpu: amount('cpu'), memory: amount('memory'), 'ephemeral-storage': amount('ephemeral-storage') };
}

function smallerQuantity(a: string, b: string): string {
  return (quantityValue(b) ?? 0) < (quantityValue(a) ?? 0) ? b : a;
}
