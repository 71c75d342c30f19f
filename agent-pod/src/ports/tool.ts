/** What a tool is. One file per tool; `registry.ts` lists them; `execute.ts` is the only place that calls `run`. */
import type { Blocked } from '@retainer/contract/wire/bus/payloads';
import type { z } from 'zod';
import type { FreeFiles } from '@retainer/mind/gate/provenance/free-files';
import type { Label } from '@retainer/mind/gate/provenance/label';
import type { ReadSoFar } from '@retainer/mind/gate/provenance/read-so-far';
import type { CallFacts, EffectClass } from '@retainer/mind/gate/verdict';
import type { WrittenFile } from '@retainer/mind/cycle/tool-outcome';
import type { SandboxPort } from './ports.ts';

/** What a tool hands back; `execute.ts` bounds it and makes the outcome. */
export interface ToolOutput {
  readonly isError: boolean;
  readonly text: string;
  readonly exitCode?: number;
  readonly files?: readonly WrittenFile[];
  /** A limit on time inside the tool ended it. */
  readonly timedOut?: boolean;
  /** As in `ToolOutcome`. */
  readonly label?: Label;
}

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

/** What a tool may reach. Nothing else. */
export interface ToolContext {
  readonly callId: string;
  readonly cycleId: string;
  /** What everything carries that the call writes. */
  readonly label: Label;
  readonly workspaceDirectory: string;
  /** See `Gate.readOnlyPaths`. */
  readonly readOnlyPaths: readonly string[];
  /** See `Gate.freeFiles`; undefined where a person approved the call. */
  readonly freeFiles: FreeFiles | undefined;
  readonly sandbox: SandboxPort;
  readonly facts: FactsPort;
  readonly artifacts: ArtifactsPort;
  /** How much of an output the model sees at once, where the Agent says so. */
  readonly outputCharacters?: number;
}

export interface Tool<Input = unknown> {
  readonly name: string;
  /** For the model: when to use it, what comes back, its limits. */
  readonly description: string;
  readonly input: z.ZodType<Input>;
  readonly effectClass: EffectClass;
  /** Limit of its own; that of the Agent where absent. */
  readonly timeoutMs?: number;
  /** Most of the output that the model sees at once; that of the Agent where absent or less. */
  readonly outputCharacters?: number;
  /** Keeps to the Agent's `outputCharacters` itself, so that no page is shown without its middle. */
  readonly isPaged?: true;
  /** What the arguments name: the gate judges on it. */
  touches(input: Input): Pick<CallFacts, 'readPaths' | 'writePaths' | 'domains' | 'factKey'>;
  /** Whether it would replace a file, or a fact that is believed. Absent: it replaces nothing, or nobody knows what. */
  replaces?(input: Input, context: Pick<ToolContext, 'workspaceDirectory' | 'facts'>): Promise<boolean>;
  run(input: Input, context: ToolContext, signal: AbortSignal): Promise<ToolOutput>;
  /**
   * After a crash: the output of the call, if the world knows it. Absent: the result is unknown. Changes nothing; a tool
   * that only reads may read again.
   */
  lookup?(input: Input, context: ToolContext, signal: AbortSignal): Promise<ToolOutput | undefined>;
}

/**
 * Leave to run one call with exactly these arguments. Made by the cycle from its recorded verdict; `execute.ts` checks it
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
