/** What a tool needs from its environment, and the permission to run one call of it. */
import type { Blocked } from '@retainer/contract/wire/bus/payloads';
import type { Label } from '@retainer/mind/gate/provenance/label';
import type { ReadSoFar } from '@retainer/mind/gate/provenance/read-item';
import type { WrittenFile } from '@retainer/mind/cycle/tool-outcome';
import type { Files } from '@retainer/mind/memory/files';

export interface Fact {
  readonly key: string;
  readonly value: string;
  /** Milliseconds since 1970. */
  readonly writtenAtMs: number;
  /** Label of the cycle that wrote it, at that time; absent in facts older than the labels. */
  readonly label?: Label;
}

export interface FactOrigin {
  readonly cycleId: string;
  readonly callId: string;
  /** Label of everything that the cycle has read. */
  readonly label: Label;
}

export interface FactsPort {
  write(key: string, value: string, origin: FactOrigin): Promise<void>;
  /** All facts whose key starts with `prefix`, by key. */
  read(prefix: string): readonly Fact[];
}

export interface KeptText {
  readonly text: string;
  /** Absent: nobody knows whose words it holds. */
  readonly label?: Label;
}

export interface ArtifactsPort {
  /** Keeps a text for ever; the same text has the same id, and the label with which it came first. */
  put(text: string, label: Label | undefined): Promise<string>;
  /** Undefined when there is no such artifact. */
  read(artifactId: string): Promise<KeptText | undefined>;
}

/** What one call made of the workspace. */
export interface FileChanges {
  readonly files: readonly WrittenFile[];
  /** Paths of files that are no longer there. */
  readonly gone: readonly string[];
  /** The label of all that it wrote. */
  readonly label: Label;
  readonly why: 'Write' | 'Program';
}

export interface FilesPort {
  /** What is recorded of each file. */
  known(): Files;
  /** Durable when resolved. */
  record(changes: FileChanges, by: Pick<Permit, 'runId' | 'cycleId' | 'callId'>): Promise<void>;
}

/** Permission for one call with exactly these arguments, from its recorded verdict; `execute.ts` asks the gate again. */
export interface Permit {
  readonly callId: string;
  readonly cycleId: string;
  readonly runId: string;
  readonly tool: string;
  readonly input: unknown;
  readonly argumentsDigest: string;
  readonly agent: string;
  readonly autonomous: boolean;
  readonly read: ReadSoFar;
  /** Calls that the steerer has blocked for the round. */
  readonly blocked?: Blocked;
  /** The approval that this call uses up, if it needs one. */
  readonly approvalId?: string;
}
