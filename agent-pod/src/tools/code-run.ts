/** The common part of `bash` and `run_code`: one run in the sandbox, and its result as text. */
import { z } from 'zod';
import type { SandboxUnavailable } from '../ports/ports.ts';
import type { SandboxLanguage, SandboxLimits, SandboxResult } from '../ports/sandbox-run.ts';
import type { WrittenFile } from '@retainer/mind/cycle/tool-outcome';
import type { Label } from '@retainer/mind/gate/provenance/label';
import type { DeclaredFacts } from '@retainer/mind/gate/tool-facts';
import { parseWorkspacePath, WORKSPACE_ROOT } from '@retainer/mind/gate/workspace-path';
import type { OfferedTool, ToolContext, ToolOutput, ToolSettings } from './tool.ts';
import { INPUT_CHARACTERS_MAX, INPUTS_MAX, programView, type ProgramView } from './program-view.ts';
import { ownWords, unknownFiles } from './workspace-labels.ts';
import { MAX_LISTED_FILES } from './workspace-snapshot.ts';

/** Characters. A longer program belongs in a file that the script runs. */
export const MAX_SCRIPT_CHARACTERS = 256 * 1024;

const MEBIBYTE = 1024 * 1024;

/** As a quantity. */
export function inMebibytes(bytes: number): string {
  return `${Math.floor(bytes / MEBIBYTE)}Mi`;
}

/** Source: springdrift 11 (60 s, 512 MB). Output: reliability-security 7, row 23 (at most 1 MiB kept). */
export const CODE_LIMITS: SandboxLimits = {
  timeoutMs: 60_000,
  memoryBytes: 512 * 1024 * 1024,
  processes: 128,
  outputBytes: 512 * 1024,
  fileBytes: 256 * 1024 * 1024,
};

/**
 * The chokepoint waits this much longer than the sandbox's own limit: only the sandbox's answer says what happened. 5 s of them
 * are for calls that began before (`ORDER_WAIT_MS`).
 */
const SANDBOX_GRACE_MS = 20_000;

export interface CodeOptions {
  /** False: the tools do not exist. */
  readonly enabled?: boolean;
  /** All languages when absent. Languages that the sandbox lacks are left out. */
  readonly languages?: readonly SandboxLanguage[];
  /** They replace `CODE_LIMITS`. */
  readonly limits?: Partial<SandboxLimits>;
  /** A quantity, as `1Gi`, where the sandbox has another one than `CODE_LIMITS`. */
  readonly memory?: string;
  /** The longest start of the sandbox. */
  readonly startTimeoutMs?: number;
  /** Whether code may keep ports open; false when absent. */
  readonly serve?: boolean;
  /** Whether code may reach hosts; false when absent. */
  readonly reachesHosts?: boolean;
}

/**
 * Facts of every code tool. A script has only the workspace: local and reversible. What it may say to hosts that the Agent allows is
 * not judged here. Source: artoo C.
 */
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
  readonly memory: string;
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
    memory: options.memory ?? inMebibytes(CODE_LIMITS.memoryBytes),
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

export function describePlace({ limits, memory, reachesHosts }: CodePlace): string {
  const network = reachesHosts ? 'no network but the hosts that the Agent allows' : 'no network';
  return `${network}, only /workspace is kept, ${limits.timeoutMs / 1000} seconds, ${quantityText(memory)}`;
}

/** As people write it: `512 MiB` for `512Mi`, `1 GB` for `1G`. */
function quantityText(quantity: string): string {
  const [, amount = quantity, unit = ''] = /^([\d.]+)([KMGTPE]i?)$/.exec(quantity) ?? [];
  return unit === '' ? `${amount} bytes` : `${amount} ${unit}B`;
}

type SandboxOffer = readonly SandboxLanguage[] | SandboxUnavailable;

function isUnavailable(offer: SandboxOffer): offer is SandboxUnavailable {
  return 'reason' in offer;
}

/** The argument of every code tool that names files which the program would not see otherwise. */
export const inputsArgument = z
  .array(z.string().min(1).max(INPUT_CHARACTERS_MAX))
  .max(INPUTS_MAX)
  .optional()
  .describe(
    'Files that the program needs and would not see: paths, directories or globs. It sees trusted files, those that the ' +
      'task names, and those of this run. Inputs are read-only, and what it prints and writes is untrusted then.',
  );

/** What a gate judges of a code call by its arguments: it reads its inputs. */
export function touchesInputs({ inputs = [] }: { readonly inputs?: readonly string[] | undefined }): CallTouches {
  const readPaths = inputs.flatMap((text) => {
    const path = parseWorkspacePath(text.split(/[*?]/)[0] || WORKSPACE_ROOT);
    return path.ok ? [path.value] : [];
  });
  return { readPaths, writePaths: [], domains: [] };
}

type CallTouches = ReturnType<OfferedTool['touches']>;

export interface CodeInput {
  readonly language: SandboxLanguage;
  readonly script: string;
  readonly inputs?: readonly string[] | undefined;
}

/** What a sandbox throws, whatever it is: the chokepoint tells its cause, and that no sandbox ran the program. */
export class SandboxFault extends Error {}

/** Runs a script and lists the files that it wrote. Refuses when nothing isolates the code or the language is missing. */
export async function runCode(
  place: CodePlace,
  input: CodeInput,
  context: ToolContext,
  signal: AbortSignal,
): Promise<ToolOutput> {
  const { offer, limits } = place;
  const refusal = refusalOf(offer, input.language);
  if (refusal !== undefined)
    return { isError: true, text: refusal, label: ownWords, ...(isUnavailable(offer) ? { sandboxFailed: true } : {}) };
  let view = await programView(context, input.inputs);
  const lookAgain = async (): Promise<ProgramView> => (view = await programView(context, input.inputs));
  const { shownPaths, keptPaths } = view;
  const { callId, runId, added, workspaceDirectory, readOnlyPaths, turn } = context;
  const request = {
    ...{ idempotencyKey: callId, language: input.language, script: input.script, stdin: '' },
    ...{ workspaceDirectory, readOnlyPaths, keptPaths, shownPaths, runId, added, limits },
    isTrusted: programLabel(place, view).trust === 'Trusted',
    ...(turn === undefined ? {} : { turn, lookAgain }),
  };
  const result = await context.sandbox.run(request, signal).catch((cause: unknown) => {
    throw new SandboxFault('no sandbox ran the program', { cause });
  });
  const notes = [...view.notes, ...readOnlyNotes(result, readOnlyPaths)];
  return withChanges(result, { label: programLabel(place, view), notes }, place);
}

/** The label of all that a program prints and writes: its script is the cycle's, and it may have read all that it saw. */
export function programLabel(
  { reachesHosts }: Pick<CodePlace, 'reachesHosts'>,
  { label }: Pick<ProgramView, 'label'>,
): Label {
  return reachesHosts ? { ...label, trust: 'Untrusted' } : label;
}

/** The result of an earlier run. Nobody knows any more what it saw. */
export async function lookupCode(
  place: CodePlace,
  { sandbox, callId, turn }: ToolContext,
  signal: AbortSignal,
): Promise<ToolOutput | undefined> {
  const result = await sandbox.lookup(callId, signal, turn);
  return result === undefined ? undefined : withChanges(result, { label: unknownFiles, notes: [] }, place);
}

/** A result with all that the program did to the workspace. */
function withChanges(
  result: SandboxResult,
  { label, notes }: { readonly label: Label; readonly notes: readonly string[] },
  place: CodePlace,
): ToolOutput {
  const { files = [], links = [], gone = [], added } = result.changes ?? {};
  const told = { files: files.slice(0, MAX_LISTED_FILES), label, notes: [...changeNotes(result), ...notes] };
  const made = links.slice(0, MAX_LISTED_FILES).map(({ path }) => path);
  return {
    ...renderResult(result, told, place),
    ...(result.changes === undefined ? {} : { gone: gone.slice(0, MAX_LISTED_FILES) }),
    ...(made.length === 0 ? {} : { links: made }),
    changes: {
      ...{ files, gone, label, why: 'Program' },
      ...(links.length === 0 ? {} : { links }),
      ...(added === undefined ? {} : { added }),
    },
  };
}

function changeNotes({ changes }: SandboxResult): readonly string[] {
  if (changes === undefined) return [];
  const { files, refused, conflicts = [], unlisted, leftOutFiles, leftOutBytes } = changes;
  const more = unlisted + Math.max(0, files.length - MAX_LISTED_FILES);
  const notes = more === 0 ? [] : [`${more} more files were written and are not listed`];
  if (leftOutFiles > 0)
    notes.push(`${leftOutFiles} files (${leftOutBytes} bytes) were not kept: a run adds no more to the workspace`);
  if (conflicts.length > 0)
    notes.push(
      `NOT WRITTEN, conflict: another task changed ${quoted(conflicts)} while this program ran. The change of the other ` +
        'stands; read it, and run the program again if it is still needed',
    );
  if (refused.length === 0) return notes;
  return [
    ...notes,
    `NOT WRITTEN, these stay as they were: ${quoted(refused)}. The task does not name them for changing, or a file that is hidden ` +
      'here has the name; write new files under other names',
  ];
}

function quoted(paths: readonly string[]): string {
  return paths.map((path) => JSON.stringify(path)).join(', ');
}

/** What a program prints when a mount refused it. */
const REFUSED_BY_MOUNT = /Read-only file system|EROFS|Permission denied|EACCES/;

/** The character's own paths are mounted read-only: only the program's words tell of a refusal. */
function readOnlyNotes({ stdout, stderr }: SandboxResult, readOnlyPaths: readonly string[]): readonly string[] {
  if (readOnlyPaths.length === 0 || !REFUSED_BY_MOUNT.test(`${stdout}${stderr}`)) return [];
  return [`a write was refused: read-only here are ${readOnlyPaths.map((path) => JSON.stringify(path)).join(', ')}`];
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
  readonly notes: readonly string[];
  /** Of its output. Absent: nobody knows what it read. */
  readonly label?: Label;
}

export function renderResult(
  result: SandboxResult,
  told: Told,
  { limits, reachesHosts }: Pick<CodePlace, 'limits' | 'reachesHosts'>,
): ToolOutput {
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
    // Any of it may be what a host said.
    ...(reachesHosts ? { othersAt: [''] } : {}),
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
