/** The parts that the controllers of sandboxes share. */
import type { SigningKey } from '../desired/signing-key.ts';
import type { Settings } from '../settings/settings.ts';
import type { CanaryState } from '../status/sandbox/canary-state.ts';
import type { SandboxMetrics } from './sandbox-run-metrics.ts';
import type { SandboxRunLedger } from './sandbox-run-ledger.ts';
import type { PassParts } from './controller.ts';

export interface SandboxParts extends PassParts {
  readonly settings: Settings;
  readonly signingKey: SigningKey;
  readonly canary: CanaryPort;
  /** One for the whole process, shared by both controllers of sandboxes. */
  readonly ledger: SandboxRunLedger;
  readonly metrics: SandboxMetrics;
  /** Address of a host name, because sandboxes resolve none. Rejects if there is none. */
  readonly lookup: (host: string) => Promise<string>;
}

/** Whether code may run. */
export interface CanaryPort {
  /** @param namespace  one of the namespaces of sandboxes */
  state(namespace: string): CanaryState;
  /** Digest of what keeps the namespace closed: code that began on another one is ended. */
  ground(namespace: string): string;
}

export function listOf<T>(value: T | undefined): readonly T[] {
  return value === undefined ? [] : [value];
}
