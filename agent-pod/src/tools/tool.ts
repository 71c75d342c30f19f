/** What a tool is. One descriptor in one file of `catalog/`; `registry.ts` lists them; `execute.ts` is the only place that calls `run`. */
import type { z } from 'zod';
import type { WrittenFile } from '@retainer/mind/cycle/tool-outcome';
import type { FreeFiles } from '@retainer/mind/gate/provenance/free-files';
import type { Label } from '@retainer/mind/gate/provenance/label';
import type { DeclaredFacts, ToolFacts } from '@retainer/mind/gate/tool-facts';
import type { CallFacts } from '@retainer/mind/gate/verdict';
import type { SandboxPort, SandboxUnavailable } from '../ports/ports.ts';
import type { SandboxLanguage } from '../ports/sandbox-run.ts';
import type { ArtifactsPort, FactsPort } from '../ports/tool.ts';
import type { CodeOptions } from './code-run.ts';
import type { FetchNetwork, FetchSettings } from './fetch-page.ts';

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

/** What the Agent and its machine offer to tools. */
export interface ToolSettings {
  /** What `SandboxPort.probe` found. Unavailable: the code tools stay listed and refuse with the hint. */
  readonly sandboxLanguages: readonly SandboxLanguage[] | SandboxUnavailable;
  /** Absent: code is enabled, in every language of the sandbox, within `CODE_LIMITS`. */
  readonly code?: CodeOptions;
  /** Absent: `fetch_url` does not exist. `*` is every public host, `*.example.org` every host below. */
  readonly fetch?: FetchSettings;
  /** Absent: that of the system. */
  readonly fetchNetwork?: FetchNetwork;
}

/** A tool, whole. What `facts` does not declare counts as the worst case. */
export interface ToolDescriptor<Input = unknown> {
  /** What the gate, the cycle and the record are told of it. */
  readonly facts: DeclaredFacts;
  /** The tool of an Agent with these settings; undefined where it has none. */
  offer(settings: ToolSettings): OfferedTool<Input> | undefined;
}

export interface OfferedTool<Input = unknown> {
  /** For the model: when to use it, what comes back, its limits. */
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** Limit of its own; that of the Agent where absent. */
  readonly timeoutMs?: number;
  /** Most of the output that the model sees at once; that of the Agent where absent or less. */
  readonly outputCharacters?: number;
  /** Keeps to the Agent's `outputCharacters` itself, so that no page is shown without its middle. */
  readonly isPaged?: true;
  /** What the arguments name: the gate judges on it. */
  touches(input: Input): Pick<CallFacts, 'readPaths' | 'writePaths' | 'domains' | 'factKey'>;
  /** Whether it would replace a file, or a fact that is believed. Absent: every call that names one does. */
  replaces?(input: Input, context: Pick<ToolContext, 'workspaceDirectory' | 'facts'>): Promise<boolean>;
  run(input: Input, context: ToolContext, signal: AbortSignal): Promise<ToolOutput>;
  /**
   * After a crash: the output of the call, if the world knows it. Absent: the result is unknown. Changes nothing; a tool
   * that only reads may read again.
   */
  lookup?(input: Input, context: ToolContext, signal: AbortSignal): Promise<ToolOutput | undefined>;
}

/** One of a registry: what an Agent is offered, with all facts. */
export interface Tool extends OfferedTool {
  readonly facts: ToolFacts;
}
