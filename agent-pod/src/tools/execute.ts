/**
 * The one chokepoint: nothing else runs a tool.
 *
 * I1  Exactly the permitted call runs: the arguments are parsed again, and their digest must equal the permit's.
 * I2  The gate is asked again at this moment, by its rules alone, because a score belongs to the verdict that the cycle recorded.
 *     That verdict must be an Accept of this call with these arguments and this approval. Calls that the steerer blocked do not
 *     run.
 * I3  A call ends in bounded time and with a bounded outcome, whatever its tool does. A tool that does not stop on request is
 *     abandoned, and its later output is dropped.
 * I4  A tool that throws ends as an `Error` outcome. Only a bug of this program (`InvariantError`) passes through.
 *
 * Source: design 4, 5; springdrift 2, 6; artoo A.5.
 */
import type { Json } from '@retainer/contract/std/canonical-json';
import type { Clock } from '@retainer/contract/std/clock';
import { sha256Hex } from '@retainer/contract/std/hash';
import { InvariantError } from '@retainer/contract/std/invariant';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { ApprovalRequest, REQUEST_APPROVAL } from '@retainer/mind/gate/approval-request';
import { blockedReason } from '@retainer/mind/gate/blocked-call';
import { targetOf } from '@retainer/mind/gate/tool-target';
import { ownAndNamed } from '@retainer/mind/gate/provenance/free-files';
import { carriedLabel, factLabel } from '@retainer/mind/gate/provenance/read-so-far';
import { OWNER, type Label } from '@retainer/mind/gate/provenance/label';
import type { Approval, CallFacts, DeniedBefore, GateContext } from '@retainer/mind/gate/verdict';
import type { Gate } from '@retainer/mind/gate/gate';
import type { AcceptedCall } from '@retainer/mind/cycle/state';
import type { Standing } from '@retainer/mind/gate/standing';
import type { SandboxPort } from '../ports/ports.ts';
import { boundOutput, type Bounds, type Caller } from './bound-output.ts';
import { SandboxFault } from './code-run.ts';
import { describeFault } from './describe-fault.ts';
import { FileDigests } from './file-digests.ts';
import { standingAt } from './standing-at.ts';
import { mayShow, withheldOutput } from './readable.ts';
import { parseArguments, type ParsedCall } from './parse-arguments.ts';
import type { ToolRegistry } from './registry.ts';
import type { WorkspaceTurn } from '../ports/sandbox-run.ts';
import type { MailPort } from '../ports/mail.ts';
import type { SelfPort } from '../ports/self.ts';
import type { ArtifactsPort, FactsPort, FilesPort, Permit, PartsPort, RecallPort } from '../ports/tool.ts';
import type { Tool, ToolContext, ToolOutput } from './tool.ts';
import { ownWords, WorkspaceLabels } from './workspace-labels.ts';
import { isBrought } from '@retainer/mind/gate/provenance/brought-by-calls';
import type { ToolOutcome, ToolStatus } from '@retainer/mind/cycle/tool-outcome';

/** The longest time that a tool may take to stop: a sandbox has to kill and collect its processes. */
export const SETTLE_GRACE_MS = 3000;

/** The default time limit of a call, for a tool and an Agent without one of their own. It equals the default of an Agent. */
const DEFAULT_TOOL_TIMEOUT_MS = 60_000;

export interface ExecutorOptions {
  readonly registry: ToolRegistry;
  readonly gate: Gate;
  readonly clock: Clock;
  readonly workspaceDirectory: string;
  readonly sandbox: SandboxPort;
  readonly facts: FactsPort;
  readonly files: FilesPort;
  readonly artifacts: ArtifactsPort;
  readonly recall: RecallPort;
  readonly parts: PartsPort;
  readonly self: SelfPort;
  /** Absent, or undefined: the agent has no mail. */
  readonly mail?: () => MailPort | undefined;
  /**
   * The approval with this request id, if a running cycle holds it. The cycle ensures that it is used for one call
   * only: the permit names it once. The chokepoint checks that it fits the arguments and is not too old.
   */
  approval(requestId: string): Approval | undefined;
  /** What people refused before, as far as it bears on a call of this run. */
  deniedBefore(call: { readonly runId: string; readonly argumentsDigest: string }): DeniedBefore;
  /** Whether a text holds a secret of the installation, in any encoding. */
  readonly holdsSecret: (text: string) => boolean;
  /** The recorded verdict on this call, if a running cycle's gate accepted it. */
  accepted(permit: Permit): AcceptedCall | undefined;
  /** Characters of an output that the model sees at once; `SHOWN_CHARACTERS` when absent. */
  readonly outputCharacters?: number;
  /** Longest call of a tool without its own limit, milliseconds; a minute when absent. */
  readonly toolTimeoutMs?: number;
}

export interface Executor {
  /**
   * Runs one call. Resolves for every fault of a tool; rejects only on a bug.
   *
   * @param turn  the workspace is the call's until it leaves it; absent: until it ends
   */
  execute(permit: Permit, signal: AbortSignal, turn?: WorkspaceTurn): Promise<ToolOutcome>;
  /**
   * After a crash: the outcome of a call with a recorded intent, if it can still be found. Begins nothing; a program that still
   * runs is followed to its end, and its files come back.
   *
   * @param turn  as of `execute`
   */
  lookup(permit: Permit, signal: AbortSignal, turn?: WorkspaceTurn): Promise<ToolOutcome | undefined>;
  /** Whether a call would replace a file, or a trusted fact. Changes nothing. */
  replaces(tool: string, input: unknown): Promise<boolean>;
  /** What the call would replace, if its tool can tell, and the files that it names. Changes nothing. */
  standing(tool: string, input: unknown): Promise<Standing | undefined>;
  /** Why the tool wants a person's permission for the call, as recorded state has it. */
  asks(tool: string, input: unknown): string | undefined;
  /** What people refused before, as far as it bears on the call. */
  deniedBefore(tool: string, input: unknown, runId: string): DeniedBefore;
}

interface Equipped extends ExecutorOptions {
  readonly labels: WorkspaceLabels;
  readonly digests: FileDigests;
}

interface AdmittedCall {
  readonly tool: Tool;
  readonly input: unknown;
  readonly facts: CallFacts;
  readonly context: ToolContext;
}

/** Shared abort reason: the error that `abort` makes by default costs more than the timer. */
const callEnded = new Error('the call has ended');

type Ending<T> =
  | { readonly kind: 'Finished'; readonly value: T }
  | { readonly kind: 'Failed'; readonly text: string; readonly sandboxFailed?: true }
  | { readonly kind: 'TimedOut' | 'Cancelled' };

export function createExecutor(given: ExecutorOptions): Executor {
  const { artifacts, files } = given;
  const options = {
    ...given,
    labels: new WorkspaceLabels(given.workspaceDirectory, files, given.clock),
    digests: new FileDigests(given.clock),
  };
  // Recorded before the outcome: a file that is known to be written has its label, whatever happens next.
  const finished = async (output: ToolOutput, permit: Permit, tool: Tool, durationMs: number): Promise<ToolOutcome> => {
    if (output.changes !== undefined) await files.record(output.changes, permit);
    const isShown = mayShow({ principal: permit.read.principal ?? OWNER }, output.label);
    const shown = isShown ? output : withheldOutput(tool.facts.name);
    return boundOutput(shown, artifacts, callerOf(permit, tool), { ...boundsOf(options, tool), durationMs });
  };
  return {
    async execute(permit, signal, turn) {
      const call = admit(options, permit, turn);
      if (!call.ok) return plainOutcome('Error', call.error, 0, ownWords);
      const refusal =
        blockedReason(permit.blocked, call.value.tool.facts, permit.input as Json) ??
        (await refusalOf(options, permit, call.value));
      if (refusal !== undefined) return plainOutcome('Error', refusal, 0, ownWords);
      const { tool, input, context } = call.value;
      const startedMs = options.clock.monotonicMs();
      const ending = await runBounded(options, tool, signal, (inner) => tool.run(input, context, inner));
      const durationMs = options.clock.monotonicMs() - startedMs;
      switch (ending.kind) {
        case 'Finished':
          return finished(ending.value, permit, tool, durationMs);
        case 'Failed':
          return {
            ...plainOutcome('Error', ending.text, durationMs),
            ...(ending.sandboxFailed === undefined ? {} : { sandboxFailed: true }),
          };
        case 'TimedOut':
          return timedOut(options, tool, durationMs);
        case 'Cancelled':
          return plainOutcome(
            'Cancelled',
            `${tool.facts.name} was stopped: the work it belongs to was cancelled.`,
            durationMs,
          );
      }
    },
    async lookup(permit, signal, turn) {
      const call = admit(options, permit, turn);
      if (!call.ok) return undefined;
      const { tool, input, context } = call.value;
      const ending = await runBounded(options, tool, signal, async (inner) => tool.lookup?.(input, context, inner));
      if (ending.kind !== 'Finished' || ending.value === undefined) return undefined;
      return finished(ending.value, permit, tool, 0);
    },
    async replaces(name, input) {
      const call = callable(options, name, input);
      return call !== undefined && wouldReplace(call.tool, call, options);
    },
    async standing(name, input) {
      const call = callable(options, name, input);
      return call === undefined ? undefined : standingAt(options, call);
    },
    asks(name, input) {
      const call = callable(options, name, input);
      return call?.tool.asks?.(call.input, options.parts.known());
    },
    deniedBefore(name, input, runId) {
      const call = callable(options, name, input);
      return call === undefined ? {} : options.deniedBefore({ runId, argumentsDigest: call.facts.argumentsDigest });
    },
  };
}

/** A call that could be made, before anybody permits it. For a request for an approval, the call that it names. */
function callable(
  options: Pick<ExecutorOptions, 'registry'>,
  name: string,
  input: unknown,
): (ParsedCall & { readonly tool: Tool }) | undefined {
  const asked = name === REQUEST_APPROVAL ? ApprovalRequest.safeParse(input) : undefined;
  if (asked?.success === true && asked.data.tool !== REQUEST_APPROVAL)
    return callable(options, asked.data.tool, asked.data.input);
  const tool = options.registry.tool(name);
  const parsed = tool === undefined ? undefined : parseArguments(tool, input);
  return tool === undefined || parsed?.ok !== true ? undefined : { tool, ...parsed.value };
}

/** A tool without `replaces` counts as one that replaces what the call names. */
async function wouldReplace(
  tool: Tool,
  { input, facts }: ParsedCall,
  context: Pick<ToolContext, 'workspaceDirectory' | 'facts'>,
): Promise<boolean> {
  if (tool.replaces === undefined) return facts.writePaths.length > 0 || facts.factKey !== undefined;
  return tool.replaces(input, context);
}

/** Parses the permitted arguments again and compares them with the permit (I1). */
function admit(options: Equipped, permit: Permit, turn?: WorkspaceTurn): Result<AdmittedCall, string> {
  const tool = permit.tool === REQUEST_APPROVAL ? undefined : options.registry.tool(permit.tool);
  if (tool === undefined) return err(`There is no tool ${JSON.stringify(permit.tool)} that could be run.`);
  const parsed = parseArguments(tool, permit.input);
  if (!parsed.ok) return err(parsed.error);
  const { input, facts } = parsed.value;
  if (facts.argumentsDigest !== permit.argumentsDigest) {
    return err(`${tool.facts.name} was not run: its arguments are not those that were permitted.`);
  }
  const { workspaceDirectory, sandbox, facts: factsPort, artifacts, recall, parts, self, gate, labels } = options;
  const { callId, cycleId, runId, read, autonomous } = permit;
  const { readOnlyPaths } = gate;
  const mail = options.mail?.();
  const shown = options.outputCharacters === undefined ? {} : { outputCharacters: options.outputCharacters };
  const context = {
    callId,
    cycleId,
    runId,
    principal: read.principal ?? OWNER,
    label: factLabel(facts.factKey, { read, autonomous }),
    carried: carriedLabel(read),
    named: read.addresses,
    owners: read.owners ?? [],
    labels,
    workspaceDirectory,
    readOnlyPaths,
    freeFiles: permit.approvalId === undefined ? gate.freeFiles({ read, autonomous }) : undefined,
    seenFiles: ownAndNamed(read),
    sandbox,
    facts: factsPort,
    added: options.files.addedBy(runId),
    isBrought: (cited: string) => isBrought(read.items, cited, options.registry.known),
    artifacts,
    recall,
    parts,
    self,
    nowMs: () => options.clock.nowMs(),
    toolNames: options.registry.names,
    ...shown,
    ...(mail === undefined ? {} : { mail }),
    ...(turn === undefined ? {} : { turn }),
  };
  return ok({ tool, input, facts, context });
}

function callerOf({ runId, cycleId, input }: Permit, { facts }: Tool): Caller {
  const target = targetOf(facts, input as Json);
  const isPage = target !== undefined && /^https?:/.test(target);
  return { tool: facts.name, runId, cycleId, ...(isPage ? { url: target } : {}) };
}

function boundsOf({ outputCharacters }: ExecutorOptions, tool: Tool): Omit<Bounds, 'durationMs'> {
  const own = tool.outputCharacters;
  const isPaged = tool.isPaged === true;
  if (isPaged || outputCharacters === undefined) return { shownCharacters: own, isPaged };
  return { shownCharacters: Math.min(own ?? outputCharacters, outputCharacters), isPaged };
}

function timeoutOf(options: ExecutorOptions, tool: Tool): number {
  return tool.timeoutMs ?? options.toolTimeoutMs ?? DEFAULT_TOOL_TIMEOUT_MS;
}

const CHANGED_SINCE =
  '[refused] What stands there has changed since a person approved this call, so it was not made. (rule approval/changed)';

function askedByTool(tool: Tool, input: unknown, parts: PartsPort): Pick<GateContext, 'toolAsks'> {
  const toolAsks = tool.asks?.(input, parts.known());
  return toolAsks === undefined ? {} : { toolAsks };
}

/** Asks the gate again (I2). Undefined when nothing forbids the call. */
async function refusalOf(options: Equipped, permit: Permit, call: AdmittedCall): Promise<string | undefined> {
  const accepted = options.accepted(permit);
  const isAccepted = accepted?.argumentsDigest === permit.argumentsDigest && accepted.approvalId === permit.approvalId;
  if (!isAccepted) return '[refused] No recorded verdict accepts exactly this call. (rule chokepoint/no-verdict)';
  const approval = permit.approvalId === undefined ? undefined : options.approval(permit.approvalId);
  const standing = approval === undefined ? undefined : (await standingAt(options, call))?.sha256;
  if (approval !== undefined && approval.standing !== standing) return CHANGED_SINCE;
  const verdict = options.gate.tool(call.facts, {
    agent: permit.agent,
    autonomous: permit.autonomous,
    nowMs: options.clock.nowMs(),
    read: permit.read,
    holdsSecret: options.holdsSecret(call.facts.argumentsText),
    replaces: await wouldReplace(call.tool, call, call.context),
    approvals: approval === undefined ? [] : [approval],
    ...(standing === undefined ? {} : { standing }),
    ...askedByTool(call.tool, call.input, options.parts),
    deniedBefore: options.deniedBefore(permit),
  });
  return verdict.kind === 'Accept' ? undefined : `[refused] ${verdict.reason} (rule ${verdict.rule})`;
}

/** Runs one step of a tool within its time (I3) and turns an exception into an ending (I4). */
async function runBounded<T>(
  options: ExecutorOptions,
  tool: Tool,
  signal: AbortSignal,
  step: (inner: AbortSignal) => Promise<T>,
): Promise<Ending<T>> {
  const { clock } = options;
  const stop = new AbortController();
  const timers = new AbortController();
  const onCancel = (): void => stop.abort(signal.reason);
  if (signal.aborted) return { kind: 'Cancelled' };
  signal.addEventListener('abort', onCancel, { once: true });
  const running = settle(tool, step, stop.signal);
  try {
    const sooner = await Promise.race([
      running,
      timeUp(clock, timeoutOf(options, tool), timers.signal),
      aborted(stop.signal),
    ]);
    if (sooner.kind === 'Finished' || sooner.kind === 'Failed') return sooner;
    stop.abort(new Error(sooner.kind));
    await Promise.race([running, timeUp(clock, SETTLE_GRACE_MS, timers.signal)]);
    return { kind: sooner.kind };
  } finally {
    timers.abort(callEnded);
    signal.removeEventListener('abort', onCancel);
  }
}

/** Rejects only on a bug, so that an abandoned tool cannot end the process later. */
async function settle<T>(
  tool: Tool,
  step: (inner: AbortSignal) => Promise<T>,
  signal: AbortSignal,
): Promise<Ending<T>> {
  try {
    return { kind: 'Finished', value: await step(signal) };
  } catch (cause) {
    const isSandbox = cause instanceof SandboxFault;
    const fault = isSandbox ? cause.cause : cause;
    if (fault instanceof InvariantError) throw fault;
    const text = `${tool.facts.name} failed: ${describeFault(fault)}`;
    return { kind: 'Failed', text, ...(isSandbox ? { sandboxFailed: true } : {}) };
  }
}

async function timeUp(clock: Clock, durationMs: number, signal: AbortSignal): Promise<{ readonly kind: 'TimedOut' }> {
  // The caller aborts the timer when the tool was faster: that rejection means nothing.
  await clock.sleep(durationMs, signal).catch(() => undefined);
  return { kind: 'TimedOut' };
}

function aborted(signal: AbortSignal): Promise<{ readonly kind: 'Cancelled' }> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve({ kind: 'Cancelled' });
    signal.addEventListener('abort', () => resolve({ kind: 'Cancelled' }), { once: true });
  });
}

/** @param label  absent: a tool may have put words of others into the text */
/** A sandbox ends a program that takes too long: where this comes first, it did not answer. */
function timedOut(options: ExecutorOptions, tool: Tool, durationMs: number): ToolOutcome {
  const { name, runsCode, reportsFailures } = tool.facts;
  const text = `${name} timed out after ${timeoutOf(options, tool) / 1000} s and was stopped.`;
  const mark = runsCode && reportsFailures ? { sandboxFailed: true as const } : {};
  return { ...plainOutcome('TimedOut', text, durationMs), ...mark };
}

function plainOutcome(status: ToolStatus, text: string, durationMs: number, label?: Label): ToolOutcome {
  const [outputBytes, outputSha256] = [Buffer.byteLength(text), sha256Hex(text)];
  const labelled = label === undefined ? {} : { label };
  return { status, text, outputBytes, outputSha256, files: [], durationMs, ...labelled };
}
