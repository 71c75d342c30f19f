/** The shape of a tool: one descriptor in one file of a part, whose declaration lists it. Only `execute.ts` calls `run`. */
import type { z } from 'zod';
import type { WrittenFile } from '@retainer/mind/cycle/tool-outcome';
import type { FreeFiles } from '@retainer/mind/gate/provenance/free-files';
import type { Label } from '@retainer/mind/gate/provenance/label';
import type { DeclaredFacts, ToolFacts } from '@retainer/mind/gate/tool-facts';
import type { CallFacts } from '@retainer/mind/gate/verdict';
import type { StatesOfParts } from '@retainer/mind/parts/derived';
import type { SandboxPort, SandboxUnavailable } from '../ports/ports.ts';
import type { Added, SandboxLanguage, WorkspaceTurn } from '../ports/sandbox-run.ts';
import type { MailPort } from '../ports/mail.ts';
import type { SelfPort } from '../ports/self.ts';
import type { ArtifactsPort, FactsPort, FileChanges, PartsPort, RecallPort } from '../ports/tool.ts';
import type { CodeOptions } from './code-run.ts';
import type { FetchNetwork, FetchSettings } from './fetch-page.ts';
import type { WorkspaceLabels } from './workspace-labels.ts';

/** The output of a tool. `execute.ts` bounds it and makes the outcome. */
export interface ToolOutput {
  readonly isError: boolean;
  readonly text: string;
  readonly exitCode?: number;
  /** See `ToolOutcome`. */
  readonly sandboxFailed?: true;
  /** Files that the outcome lists as evidence. */
  readonly files?: readonly WrittenFile[];
  /** See `ToolOutcome`. */
  readonly gone?: readonly string[];
  readonly links?: readonly string[];
  /** What the call made of the workspace, for the record of files. Absent: nothing. */
  readonly changes?: FileChanges;
  /** A time limit inside the tool ended it. */
  readonly timedOut?: boolean;
  /** See `ToolOutcome`. */
  readonly label?: Label;
  /** See `ToolOutcome`. */
  readonly othersAt?: readonly string[];
}

export interface ToolContext {
  readonly callId: string;
  readonly cycleId: string;
  readonly runId: string;
  /** Whom the run is for. */
  readonly principal: string;
  /** The label of a fact that the call writes. */
  readonly label: Label;
  /** The label of everything that the cycle has read: that of every file it writes. */
  readonly carried: Label;
  /** Addresses that people named. */
  readonly named: readonly string[];
  /** The labels of what stands in the workspace. */
  readonly labels: WorkspaceLabels;
  readonly workspaceDirectory: string;
  /** See `Gate.readOnlyPaths`. */
  readonly readOnlyPaths: readonly string[];
  /** See `Gate.freeFiles`; undefined when a person approved the call. */
  readonly freeFiles: FreeFiles | undefined;
  /** Files and links that the Task names or the run made: programs see them, trusted or not. */
  readonly seenFiles: FreeFiles;
  readonly sandbox: SandboxPort;
  readonly facts: FactsPort;
  /** What programs of its run have added to the workspace. */
  readonly added: Added;
  /** Whether a call of this cycle brought what a fact cites. */
  readonly isBrought: (cited: string) => boolean;
  readonly artifacts: ArtifactsPort;
  readonly recall: RecallPort;
  readonly parts: PartsPort;
  readonly self: SelfPort;
  /** Absent: the agent has no mail. */
  readonly mail?: MailPort;
  /** Addresses whose holders are the owner. */
  readonly owners: readonly string[];
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  /** Names of all tools that are offered here, whether or not the Agent allows them. */
  readonly toolNames: readonly string[];
  /** How much of an output the model sees at once, if the Agent sets it. */
  readonly outputCharacters?: number;
  /** Absent: the call has the workspace until it ends. */
  readonly turn?: WorkspaceTurn;
}

/** Of the Agent, for tools that make jobs. */
export interface JobSettings {
  /** Of times without an offset. */
  readonly timeZone: string;
  readonly maxJobs: number;
  /** Whether the agent may begin work by itself. */
  readonly isEnabled: boolean;
  readonly allowsTool: (name: string) => boolean;
}

/** Of `channels.email`. */
export interface MailToolSettings {
  /** The agent's own address. */
  readonly address: string;
  /** Addresses, or `*@` and a domain; `*` means every address, where nothing is sent. */
  readonly allowedRecipients: readonly string[];
}

export interface ToolSettings {
  /** The result of `SandboxPort.probe`. Unavailable: the code tools stay listed and refuse with the hint. */
  readonly sandboxLanguages: readonly SandboxLanguage[] | SandboxUnavailable;
  /** Absent: code is enabled, in every language of the sandbox, within `CODE_LIMITS`. */
  readonly code?: CodeOptions;
  /** Absent: `fetch_url` does not exist. `*` means every public host, `*.example.org` every host below it. */
  readonly fetch?: FetchSettings;
  /** Absent: the system's network. */
  readonly fetchNetwork?: FetchNetwork;
  /** Absent: as an Agent has it that says nothing. */
  readonly jobs?: JobSettings;
  /** Absent: there is no tool of mail. */
  readonly mail?: MailToolSettings;
  /** Score of a forecast from which on a new plan is suggested. Absent: as an Agent has it that says nothing. */
  readonly replanThreshold?: number;
}

/** A complete tool. Facts that it does not declare count as the worst case. */
export interface ToolDescriptor<Input = unknown> {
  /** What the gate, the cycle and the record know about it. */
  readonly facts: DeclaredFacts;
  /** The tool for an Agent with these settings; undefined when the Agent has none. */
  offer(settings: ToolSettings): OfferedTool<Input> | undefined;
}

export interface OfferedTool<Input = unknown> {
  /** For the model: when to use it, what comes back, its limits. */
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** The tool's own time limit; the Agent's when absent. */
  readonly timeoutMs?: number;
  /** The most output that the model sees at once. The Agent's limit applies when this is absent or greater. */
  readonly outputCharacters?: number;
  /** The tool applies the Agent's `outputCharacters` itself, so that no page loses its middle. */
  readonly isPaged?: true;
  /** What the arguments name. The gate judges by it. */
  touches(input: Input): Pick<CallFacts, 'readPaths' | 'writePaths' | 'domains' | 'factKey'>;
  /** Whether the call would replace a file, or a trusted fact. Absent: every call that names one counts as replacing. */
  replaces?(input: Input, context: Pick<ToolContext, 'workspaceDirectory' | 'facts'>): Promise<boolean>;
  /** SHA-256 of what the call would replace; undefined when it replaces nothing. An approval of the call is bound to it. */
  standing?(input: Input, context: Pick<ToolContext, 'workspaceDirectory' | 'facts'>): Promise<string | undefined>;
  /**
   * Why a person has to approve the call, as what is recorded has it: one sentence that says what the call would do. Undefined: the
   * tool has no question of its own. Pure; the gate asks it when the model answers and again just before the call runs, so nothing
   * that a prompt says can answer it.
   */
  asks?(input: Input, known: StatesOfParts): string | undefined;
  run(input: Input, context: ToolContext, signal: AbortSignal): Promise<ToolOutput>;
  /**
   * After a crash: the output of the call, if it can still be found. Absent: the result is unknown. Changes nothing; a
   * tool that only reads may read again.
   */
  lookup?(input: Input, context: ToolContext, signal: AbortSignal): Promise<ToolOutput | undefined>;
}

/** A tool in a registry: what an Agent is offered, with all facts. */
export interface Tool extends OfferedTool {
  readonly facts: ToolFacts;
}
