/** What a tool needs of the world, and the permission to run one call of it. */
import type { Blocked } from '@retainer/contract/wire/bus/payloads';
import type { Label } from '@retainer/mind/gate/provenance/label';
import type { ReadSoFar } from '@retainer/mind/gate/provenance/read-item';

export interface Fact {
  readonly key: string;
  readonly value: string;
  /** Milliseconds since 1970. */
  readonly writtenAtMs: number;
  /** Of the cycle that wrote it, at that time; absent in facts from before there were labels. */
  readonly label?: Label;
}

export interface FactOrigin {
  readonly cycleId: string;
  readonly callId: string;
  /** Of everything that the cycle has read. */
  readonly label: Label;
}

/** Facts of the agent, a projection of the journal. */
export interface FactsPort {
  write(key: string, value: string, origin: FactOrigin): Promise<void>;
  /** All facts whose key starts with `prefix`, by key. */
  read(prefix: string): readonly Fact[];
}

export interface ArtifactsPort {
  /** Keeps a text for ever; the same text has the same id. */
  put(text: string): Promise<string>;
  /** Undefined when there is no such artifact. */
  read(artifactId: string): Promise<string | undefined>;
}

/**
 * Permission to run one call with exactly these arguments. Made by the cycle from its recorded verdict; `execute.ts` checks it
 * against the call and asks the gate again.
 */
export interface Permit {
  readonly callId: string;
  readonly cycleId: string;
  readonly tool: string;
  readonly input: unknown;
  readonly argumentsDigest: string;
  readonly agent: string;
  readonly autonomous: boolean;
  /** What the cycle has read. */
  readonly read: ReadSoFar;
  /** What the steering has blocked for the round. */
  readonly blocked?: Blocked;
  /** The approval that this call uses up, where it needed one. */
  readonly approvalId?: string;
}
