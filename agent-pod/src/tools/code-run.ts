/** The common part of `bash` and `run_code`: one run in the sandbox, and its result as text. */
import type { SandboxUnavailable } from '../ports/ports.ts';
import type { SandboxLanguage, SandboxLimits, SandboxResult } from '../ports/sandbox-run.ts';
import type { WrittenFile } from '@retainer/mind/cycle/tool-outcome';
import { join, type Label } from '@retainer/mind/gate/provenance/label';
import type { DeclaredFacts } from '@retainer/mind/gate/tool-facts';
import type { ToolContext, ToolOutput, ToolSettings } from './tool.ts';
import { keptFiles, keptNotes } from './kept-files.ts';
import { ownWords } from './workspace-labels.ts';
import { changedFiles, MAX_LISTED_FILES, snapshotWorkspace } from './workspace-snapshot.ts';
import type { Walk } from './workspace-walk.ts';

/** Characters. A longer program belongs in a file that the script runs. */
export const MAX_SCRIPT_CHARACTERS = 256 * 1024;

/** Source: springdrift 11 (60 s, 512 MB). Output: reliability-security 7, row 23 (at most 1 MiB kept). */
export const CODE_LIMITS: SandboxLimits = {
  timeoutMs: 60_000,
  memoryBytes: 512 * 1024 * 1024,
  processes: 128,
  outputBytes: 512 * 1024,
  fileBytes: 256 * 1024 * 1024,
};

/** The chokepoint waits this much longer than the sandbox's own limit: only the sandbox's answer says what happened. */
const SANDBOX_GRACE_MS = 15_000;

export interface CodeOptions {
  /** False: the tools do not exist. */
  readonly enabled?: boolean;
  /** All languages when absent. Languages that the sandbox lacks are left out. */
  readonly languages?: readonly SandboxLanguage[];
  /** They replace `CODE_LIMITS`. */
  readonly limits?: Partial<SandboxLimits>;
  /** The longest start of the sandbox. */
  readonly startTimeoutMs?: number;
  /** Whether code may keep ports open; false when absent. */
  readonly serve?: boolean;
  /** Whether code may reach hosts; false when absent. */
  readonly reachesHosts?: boolean;
}

/** Facts of every code tool. A script has no network and only the workspace: local and reversible. Source: artoo C. */
export const codeFacts = {
  effectClass: 1,
  reachesOutside: false,
  runsCode: true,
  reportsFailures: true,
  writes: 'Anything',
  output: { source: 'Workspace', trust: 'Untrusted', readers: 'Principal' },
  target: { kind: 'Command', parts: [{ member: 'script', as: 'Line' }] },
} as const satisfies Partial<DeclaredFacts>;

export interface CodePlace {
  readonly offer: SandboxOffer;
  /** The languages that the Agent allows, whether the sandbox has them or not. */
  readonly allowed: readonly SandboxLanguage[];
  readonly limits: SandboxLimits;
  readonly startTimeoutMs: number;
  /** Programs may read what other hosts say. */
  readonly reachesHosts: boolean;
}

const ALL_LANGUAGES: readonly SandboxLanguage[] = ['javascript', 'python', 'bash'];

/**
 * Offers only languages that the Agent allows.
 *
 * @returns undefined when the Agent rules code out; when only the machine lacks code, each call says so
 */
export function codePlace({ sandboxLanguages: offer, code: options = {} }: ToolSettings): CodePlace | undefined {
  const allowed = ALL_LANGUAGES.filter((language) => options.languages?.includes(language) ?? true);
  if (options.enabled === false || allowed.length === 0) return undefined;
  return {
    offer: isUnavailable(offer) ? offer : offer.filter((language) => allowed.includes(language)),
    allowed,
    limits: { ...CODE_LIMITS, ...options.limits },
    startTimeoutMs: options.startTimeoutMs ?? 0,
    reachesHosts: options.reachesHosts === true,
  };
}

/** Languages that the model sees: all allowed ones if the sandbox has none of them; a call then says what is missing. */
export function offeredLanguages({ offer, allowed }: CodePlace): readonly SandboxLanguage[] {
  const offered = isUnavailable(offer) ? [] : allowed.filter((language) => offer.includes(language));
  return offered.length === 0 ? allowed : offered;
}

export function codeTimeoutMs({ limits, startTimeoutMs }: CodePlace): number {
  return startTimeoutMs + limits.timeoutMs + SANDBOX_GRACE_MS;
}

export function describePlace({ limits }: CodePlace): string {
  const mebibytes = Math.floor(limits.memoryBytes / (1024 * 1024));
  return `no network, only /workspace is kept, ${limits.timeoutMs / 1000} seconds, ${mebibytes} MiB`;
}

type SandboxOffer = readonly SandboxLanguage[] | SandboxUnavailable;

function isUnavailable(offer: SandboxOffer): offer is SandboxUnavailable {
  return 'reason' in offer;
}

export interface CodeInput {
  readonly language: SandboxLanguage;
  readonly script: string;
}

/** Runs a script and lists the files that it wrote. Refuses when nothing isolates the code or the language is missing. */
export async function runCode(
  place: CodePlace,
  input: CodeInput,
  context: ToolContext,
  signal: AbortSignal,
): Promise<ToolOutput> {
  const { offer, limits } = place;
  const refusal = refusalOf(offer, input.language);
  if (refusal !== undefined) return { isError: true, text: refusal, label: ownWords };
  const before = await snapshotWorkspace(context.workspaceDirectory);
  const label = await programLabel(place, context, before);
  const kept = await keptFiles(context);
  const result = await context.sandbox.run(
    {
      idempotencyKey: context.callId,
      language: input.language,
      script: input.script,
      stdin: '',
      workspaceDirectory: context.workspaceDirectory,
      readOnlyPaths: [...context.readOnlyPaths, ...kept],
      limits,
    },
    signal,
  );
  const { files, gone, notes } = await changedFiles(context.workspaceDirectory, before);
  const told = { files: files.slice(0, MAX_LISTED_FILES), label, notes };
  if (result.exitCode !== 0) told.notes = [...notes, ...keptNotes(kept)];
  return { ...renderResult(result, told, limits), changes: { files, gone, label, why: 'Program' } };
}

/** The label of all that a program prints and writes: its script is the cycle's, and it may have read all of these files. */
export async function programLabel(
  { reachesHosts }: Pick<CodePlace, 'reachesHosts'>,
  { carried, labels }: Pick<ToolContext, 'carried' | 'labels'>,
  seen: Walk,
): Promise<Label> {
  const label = join(await labels.ofAll(seen), carried);
  return reachesHosts ? { ...label, trust: 'Untrusted' } : label;
}

/** The result of an earlier run. Its files can no longer be told from those of other calls. */
export async function lookupCode({ limits }: CodePlace, context: ToolContext): Promise<ToolOutput | undefined> {
  const result = await context.sandbox.lookup(context.callId);
  return result === undefined ? undefined : renderResult(result, { files: [], notes: [] }, limits);
}

/** Undefined when the language can be run. */
export function refusalOf(offer: SandboxOffer, language: SandboxLanguage): string | undefined {
  if (isUnavailable(offer)) return `Code cannot run here: ${offer.reason} ${offer.fix}`;
  if (offer.includes(language)) return undefined;
  return `This sandbox has no ${language}. It has: ${offer.join(', ') || 'no language that is allowed'}.`;
}

/** What is told of a run besides its output. */
interface Told {
  readonly files: readonly WrittenFile[];
  notes: readonly string[];
  /** Of its output. Absent: nobody knows what it read. */
  readonly label?: Label;
}

export function renderResult(result: SandboxResult, told: Told, limits: SandboxLimits): ToolOutput {
  const lines = [endLine(result, limits)];
  if (result.stdout !== '') lines.push(withoutLastBreak(result.stdout));
  if (result.stderr !== '') lines.push('stderr:', withoutLastBreak(result.stderr));
  if (result.droppedBytes > 0)
    lines.push(`[${result.droppedBytes} bytes of output were dropped: write long output to a file]`);
  lines.push(...told.notes.map((note) => `[${note}]`));
  const timedOut = result.end === 'TimedOut';
  return {
    isError: timedOut || result.exitCode !== 0,
    text: lines.join('\n'),
    exitCode: result.exitCode,
    files: told.files,
    timedOut,
    ...(told.label === undefined ? {} : { label: told.label }),
  };
}

function endLine(result: SandboxResult, limits: SandboxLimits): string {
  const why = result.reason === undefined ? '' : ` (${result.reason})`;
  if (result.end === 'TimedOut') return `timed out after ${limits.timeoutMs / 1000} s`;
  return `exit code ${result.exitCode}${why}`;
}

function withoutLastBreak(text: string): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}
