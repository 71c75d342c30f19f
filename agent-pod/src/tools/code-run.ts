/** What `bash` and `run_code` share: one run in the sandbox and its result as text. */
import type { SandboxLanguage, SandboxLimits, SandboxResult, SandboxUnavailable } from '../loop/ports.ts';
import type { ToolContext, ToolOutput } from './tool.ts';
import { changedFiles, snapshotWorkspace } from './workspace-snapshot.ts';

/** Characters. A longer program belongs into a file that the script runs. */
export const MAX_SCRIPT_CHARACTERS = 256 * 1024;

/** Source: springdrift 11 (60 s, 512 MB). Output: reliability-security 7, row 23 (at most 1 MiB kept). */
export const CODE_LIMITS: SandboxLimits = {
  timeoutMs: 60_000,
  memoryBytes: 512 * 1024 * 1024,
  processes: 128,
  outputBytes: 512 * 1024,
  fileBytes: 256 * 1024 * 1024,
};

/** Longer than the sandbox's own limit: its answer says what happened, the chokepoint's would not. */
export const CODE_TIMEOUT_MS = CODE_LIMITS.timeoutMs + 15_000;

/** What the probe of the sandbox found. */
export type SandboxOffer = readonly SandboxLanguage[] | SandboxUnavailable;

export function isUnavailable(offer: SandboxOffer): offer is SandboxUnavailable {
  return 'reason' in offer;
}

export interface CodeInput {
  readonly language: SandboxLanguage;
  readonly script: string;
}

/** Runs a script and lists what it wrote. Refuses where nothing isolates or the language is not there. */
export async function runCode(
  offer: SandboxOffer,
  input: CodeInput,
  context: ToolContext,
  signal: AbortSignal,
): Promise<ToolOutput> {
  const refusal = refusalOf(offer, input.language);
  if (refusal !== undefined) return { isError: true, text: refusal };
  const before = await snapshotWorkspace(context.workspaceDirectory);
  const result = await context.sandbox.run(
    {
      idempotencyKey: context.callId,
      language: input.language,
      script: input.script,
      stdin: '',
      workspaceDirectory: context.workspaceDirectory,
      readOnlyPaths: context.readOnlyPaths,
      limits: CODE_LIMITS,
    },
    signal,
  );
  const changes = await changedFiles(context.workspaceDirectory, before);
  return renderResult(result, changes);
}

/** The result of an earlier run; what it wrote is no longer to be told from what others wrote. */
export async function lookupCode(context: ToolContext): Promise<ToolOutput | undefined> {
  const result = await context.sandbox.lookup(context.callId);
  return result === undefined ? undefined : renderResult(result, { files: [], notes: [] });
}

function refusalOf(offer: SandboxOffer, language: SandboxLanguage): string | undefined {
  if (isUnavailable(offer)) return `Code cannot run here: ${offer.reason} ${offer.fix}`;
  if (offer.includes(language)) return undefined;
  return `This sandbox has no ${language}. It has: ${offer.join(', ')}.`;
}

type Changes = Awaited<ReturnType<typeof changedFiles>>;

function renderResult(result: SandboxResult, changes: Changes): ToolOutput {
  const lines = [endLine(result)];
  if (result.stdout !== '') lines.push(withoutLastBreak(result.stdout));
  if (result.stderr !== '') lines.push('stderr:', withoutLastBreak(result.stderr));
  if (result.droppedBytes > 0)
    lines.push(`[${result.droppedBytes} bytes of output were dropped: write long output to a file]`);
  lines.push(...changes.notes.map((note) => `[${note}]`));
  const timedOut = result.end === 'TimedOut';
  return {
    isError: timedOut || result.exitCode !== 0,
    text: lines.join('\n'),
    exitCode: result.exitCode,
    files: changes.files,
    timedOut,
  };
}

function endLine(result: SandboxResult): string {
  const why = result.reason === undefined ? '' : ` (${result.reason})`;
  if (result.end === 'TimedOut') return `timed out after ${CODE_LIMITS.timeoutMs / 1000} s`;
  return `exit code ${result.exitCode}${why}`;
}

function withoutLastBreak(text: string): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}
