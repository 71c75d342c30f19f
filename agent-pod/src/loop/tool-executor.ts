/** What cycles need of the chokepoint. */
import type { AcceptedCall } from '@retainer/mind/cycle/state';
import type { ToolOutcome } from '@retainer/mind/cycle/tool-outcome';
import type { Standing } from '@retainer/mind/gate/standing';
import type { Approval, DeniedBefore } from '@retainer/mind/gate/verdict';
import type { WorkspaceTurn } from '../ports/sandbox-run.ts';
import type { SelfPort } from '../ports/self.ts';
import type { ArtifactsPort, FactsPort, FilesPort, Permit, PartsPort, RecallPort } from '../ports/tool.ts';

export interface ToolExecutor {
  execute(permit: Permit, signal: AbortSignal, turn?: WorkspaceTurn): Promise<ToolOutcome>;
  /** The result of a call that an earlier process started, if it can still be found. Waits for a program that still runs. */
  lookup(permit: Permit, signal: AbortSignal, turn?: WorkspaceTurn): Promise<ToolOutcome | undefined>;
  /** Whether a call would replace a file, or a trusted fact. Changes nothing. */
  replaces(tool: string, input: unknown): Promise<boolean>;
  /** What stands where the call acts. Changes nothing. */
  standing(tool: string, input: unknown): Promise<Standing | undefined>;
  /** Why the tool wants a person's permission for the call, as recorded state has it. */
  asks(tool: string, input: unknown): string | undefined;
  /** What people refused before, as far as it bears on the call. */
  deniedBefore(tool: string, input: unknown, runId: string): DeniedBefore;
}

/** What the chokepoint needs of the agent's memory and of its running cycles. */
export interface ToolMemory {
  readonly facts: FactsPort;
  readonly files: FilesPort;
  readonly artifacts: ArtifactsPort;
  readonly recall: RecallPort;
  readonly parts: PartsPort;
  readonly self: SelfPort;
  approval(requestId: string): Approval | undefined;
  /** What people refused before, as far as it bears on a call of this run. */
  deniedBefore(call: { readonly runId: string; readonly argumentsDigest: string }): DeniedBefore;
  accepted(permit: Pick<Permit, 'callId' | 'cycleId'>): AcceptedCall | undefined;
}
