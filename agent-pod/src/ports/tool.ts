/** What a tool needs from its environment, and the permission to run one call of it. */
import type { PartRecord } from '@retainer/mind/part/store';
import type { StatesOfParts } from '@retainer/mind/parts/derived';
import type { Blocked } from '@retainer/contract/wire/bus/payloads';
import type { Label } from '@retainer/mind/gate/provenance/label';
import type { ReadSoFar } from '@retainer/mind/gate/provenance/read-item';
import type { WrittenFile } from '@retainer/mind/cycle/tool-outcome';
import type { Claim, Derivation, FACT_SCOPES } from '@retainer/mind/parts/facts/fact-rules';
import type { FactReader } from '@retainer/mind/parts/facts/facts';
import type { Files } from '@retainer/mind/parts/files/files';
import type { Added, SandboxChanges } from './sandbox-run.ts';
import type { RememberedKind } from '@retainer/mind/memory/recall/recalled';

export interface Fact {
  readonly key: string;
  readonly value: string;
  /** Milliseconds since 1970. */
  readonly writtenAtMs: number;
  /** Label of the cycle that wrote it, at that time. */
  readonly label: Label;
  /** What is left of it, 0 to 1. */
  readonly confidence: number;
  readonly derivation: Derivation;
}

/** A fact as it goes into the record. */
export interface NewFact extends Required<Claim> {
  readonly key: string;
  readonly value: string;
  readonly scope: (typeof FACT_SCOPES)[number];
  readonly runId: string;
  readonly cycleId: string;
  readonly callId: string;
  /** Label of everything that the cycle has read. */
  readonly label: Label;
}

export interface FactsPort {
  /** @returns the older value, where it holds all the same */
  write(fact: NewFact): Promise<Fact | undefined>;
  /** All facts whose key starts with `prefix` that this reader sees, by key. @param reader  absent: those that hold for all */
  read(prefix: string, reader?: FactReader): readonly Fact[];
}

/** One remembered thing, in its own words. */
export interface RememberedText {
  readonly kind: RememberedKind;
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly text: string;
  /** Absent: nobody knows whose words it holds. */
  readonly label?: Label;
}

export interface MemoryQuestion {
  readonly query: string;
  readonly kinds: readonly RememberedKind[];
  /** Also runs and artifacts from before the window. */
  readonly older: boolean;
  /** Most of each kind, without the neighbours of runs. */
  readonly count: number;
}

export interface RecallPort {
  /** Kind by kind in the order of the question, best first; of runs, those beside them in their thread come along. */
  search(question: MemoryQuestion): Promise<readonly RememberedText[]>;
}

/** What tools of a part know and write of it. */
export interface PartsPort {
  known(): StatesOfParts;
  /** Durable when resolved. @throws when a store of the record does not name its kind for `Tools` */
  write(records: readonly PartRecord[]): Promise<void>;
}

export interface KeptText {
  readonly text: string;
  /** Absent: nobody knows whose words it holds. */
  readonly label?: Label;
}

/** A text that is to be kept, and where it comes from. */
export interface NewArtifact extends KeptText {
  readonly tool: string;
  readonly runId: string;
  readonly cycleId: string;
  /** The page that was read, if it was one. */
  readonly url?: string;
  /** The output was larger than this text. */
  readonly truncated: boolean;
}

export interface ArtifactsPort {
  /** Keeps a text for ever; the same text has the same id, and the label with which it came first. */
  put(artifact: NewArtifact): Promise<string>;
  /** Undefined when there is no such artifact. */
  read(artifactId: string): Promise<KeptText | undefined>;
}

/** What one call made of the workspace. */
export interface FileChanges {
  readonly files: readonly WrittenFile[];
  /** Symbolic links, each with size and digest of its text. Absent: none. */
  readonly links?: readonly WrittenFile[];
  /** Paths of files and links that are no longer there. */
  readonly gone: readonly string[];
  /** The label of all that it wrote. */
  readonly label: Label;
  readonly why: 'Write' | 'Program';
  /** By a program, also beyond the files that are listed. Absent: nothing. */
  readonly added?: NonNullable<SandboxChanges['added']>;
}

export interface FilesPort {
  /** What is recorded of each file. */
  known(): Files;
  /** What programs of an open run have added. */
  addedBy(runId: string): Added;
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
