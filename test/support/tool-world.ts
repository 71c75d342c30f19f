/** A chokepoint with everything around it in memory, but the workspace: that is a real directory. */
import { storesOfParts } from '@retainer/mind/parts/derived';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { compileGate } from '@retainer/mind/gate/compile-gate';
import type { CharacterPolicy } from '@retainer/mind/gate/character-policy';
import type { KnownTools } from '@retainer/mind/gate/tool-facts';
import type { Label } from '@retainer/mind/gate/provenance/label';
import type { Approval } from '@retainer/mind/gate/verdict';
import type { Gate } from '@retainer/mind/gate/gate';
import { factsUnder, heldLike, type Facts } from '@retainer/mind/parts/facts/facts';
import { Projections } from '@retainer/mind/projections/projections';
import type { MailPort } from '@retainer/agent-pod/ports/mail';
import type { SandboxPort } from '@retainer/agent-pod/ports/ports';
import type { SandboxRequest, SandboxResult } from '@retainer/agent-pod/ports/sandbox-run';
import type { SelfPort } from '@retainer/agent-pod/ports/self';
import type { ServingPort } from '@retainer/agent-pod/ports/serving-port';
import { createExecutor, type Executor, type ExecutorOptions } from '../../agent-pod/src/tools/execute.ts';
import { fileRecords } from '../../agent-pod/src/loop/file-records.ts';
import { createRegistry } from '../../agent-pod/src/parts/catalog.ts';
import type { ToolRegistry } from '../../agent-pod/src/tools/registry.ts';
import type {
  FactsPort,
  ArtifactsPort,
  FilesPort,
  MemoryQuestion,
  NewArtifact,
  Permit,
  RememberedText,
  PartsPort,
} from '@retainer/agent-pod/ports/tool';
import type { ToolOutcome } from '@retainer/mind/cycle/tool-outcome';
import { sha256Hex } from '../../contract/src/std/hash.ts';
import { changesSince, contentsOf } from './workspace-changes.ts';
import { observed } from './observed.ts';
import { manualClock, type ManualClock } from './manual-clock.ts';

export interface ToolWorld {
  readonly workspace: string;
  readonly registry: ToolRegistry;
  readonly executor: Executor;
  readonly parts: PartsPort;
  readonly clock: ManualClock;
  readonly artifacts: Map<string, string>;
  /** What was kept, in order. */
  readonly kept: readonly NewArtifact[];
  readonly sandboxRequests: SandboxRequest[];
  /** A permit for these arguments, as the cycle would make it. */
  permit(tool: string, input: unknown, parts?: Partial<Permit>): Permit;
  call(tool: string, input: unknown): Promise<ToolOutcome>;
}

export interface ToolWorldOptions {
  readonly policy?: CharacterPolicy;
  readonly approvals?: readonly Approval[];
  /** What the record says was accepted; the default: whatever a permit says. */
  readonly accepted?: ExecutorOptions['accepted'];
  /** Absent: nobody refused anything. */
  readonly deniedBefore?: ExecutorOptions['deniedBefore'];
  readonly registry?: ToolRegistry;
  readonly gate?: Gate;
  /** Default: none. */
  readonly holdsSecret?: (argumentsText: string) => boolean;
  /** What the record makes of the value of a fact; the default keeps it. */
  readonly asStored?: (value: string) => string;
  readonly outputCharacters?: number;
  readonly toolTimeoutMs?: number;
  /** What memory answers; absent: nothing. */
  readonly remembered?: (question: MemoryQuestion) => readonly RememberedText[];
  /** What the agent answers about itself; absent: nothing was done yet. */
  readonly self?: SelfPort;
  /** Absent: what parts keep is kept in memory. */
  readonly parts?: PartsPort;
  /** Absent: nothing inside the sandbox can be reached. */
  readonly serving?: ServingPort;
  /** Absent: the agent has no mail. */
  readonly mail?: MailPort;
  /** What a script does; the default prints nothing and ends well. */
  readonly script?: (request: SandboxRequest, signal: AbortSignal) => Promise<Partial<SandboxResult>>;
}

const endedWell: SandboxResult = { end: 'Exited', exitCode: 0, stdout: '', stderr: '', droppedBytes: 0, durationMs: 1 };

/** What tools write is checked and folded as the record has it. */
function partsInMemory(known: Projections, clock: ManualClock): PartsPort {
  let seq = 0;
  return {
    known: () => known.states,
    write: (records) => {
      for (const { store, kind, payload, runId, cycleId } of records) {
        const schema = storesOfParts.find(({ name }) => name === store)?.kinds[kind];
        if (schema === undefined) throw new Error(`store ${store} has no kind ${kind}`);
        const of = { ...(runId === undefined ? {} : { runId }), ...(cycleId === undefined ? {} : { cycleId }) };
        known.take({ store, kind, seq, timeMs: clock.nowMs(), payload: schema.parse(payload) as never, ...of });
        seq += 1;
      }
      return Promise.resolve();
    },
  };
}

export function toolWorld(options: ToolWorldOptions = {}): ToolWorld {
  const workspace = temporaryDirectory();
  const registry = options.registry ?? createRegistry({ sandboxLanguages: ['bash', 'javascript'] });
  const clock = manualClock();
  const [artifacts, kept]: [Map<string, string>, NewArtifact[]] = [new Map(), []];
  const known = new Projections();
  const sandboxRequests: SandboxRequest[] = [];
  const sandbox = sandboxInMemory(options, workspace, sandboxRequests);
  const parts = options.parts ?? partsInMemory(known, clock);
  const executor = createExecutor({
    registry,
    gate: options.gate ?? gateFor(options.policy ?? {}, registry.known),
    clock,
    workspaceDirectory: workspace,
    sandbox,
    files: filesInMemory(clock),
    facts: factsInMemory(known, clock, options.asStored),
    artifacts: artifactsInMemory(artifacts, kept),
    mail: () => options.mail,
    ...{ self: options.self ?? observed({}), deniedBefore: options.deniedBefore ?? (() => ({})) },
    recall: { search: (question) => Promise.resolve(options.remembered?.(question) ?? []) },
    parts,
    holdsSecret: options.holdsSecret ?? (() => false),
    accepted: options.accepted ?? ((permit) => permit),
    approval: (id) => options.approvals?.find(({ requestId }) => requestId === id),
    ...(options.outputCharacters === undefined ? {} : { outputCharacters: options.outputCharacters }),
    ...(options.toolTimeoutMs === undefined ? {} : { toolTimeoutMs: options.toolTimeoutMs }),
  });
  const permit = (tool: string, input: unknown, more: Partial<Permit> = {}): Permit => {
    const facts_ = registry.parse(tool, input);
    const argumentsDigest = facts_.ok ? facts_.value.argumentsDigest : 'none';
    return {
      callId: 'call-1',
      cycleId: 'cycle-1',
      runId: 'run-1',
      tool,
      input,
      argumentsDigest,
      agent: 'executor',
      autonomous: false,
      read: { items: [], addresses: [], instructions: [] },
      ...more,
    };
  };
  const call = (tool: string, input: unknown): Promise<ToolOutcome> =>
    executor.execute(permit(tool, input), new AbortController().signal);
  return { workspace, registry, executor, parts, clock, artifacts, kept, sandboxRequests, permit, call };
}

function sandboxInMemory(options: ToolWorldOptions, workspace: string, requests: SandboxRequest[]): SandboxPort {
  const results = new Map<string, SandboxResult>();
  return {
    probe: () => Promise.resolve({ ok: true, value: { description: 'in memory', languages: ['bash', 'javascript'] } }),
    async run(request, signal) {
      requests.push(request);
      const before = contentsOf(workspace);
      const ended = await options.script?.(request, signal);
      const result = { ...endedWell, changes: changesSince(workspace, before), ...ended };
      results.set(request.idempotencyKey, result);
      return result;
    },
    lookup: (key) => Promise.resolve(results.get(key)),
    ...(options.serving === undefined ? {} : { serving: options.serving }),
  };
}

function factsInMemory(known: Projections, clock: ManualClock, asStored: ToolWorldOptions['asStored']): FactsPort {
  const facts = (): Facts => known.states.facts;
  return {
    write: ({ runId, cycleId, value: written, ...fact }) => {
      const value = asStored?.(written) ?? written;
      const payload = { ...fact, value, evidence: [...fact.evidence] };
      const before = heldLike(facts(), { ...fact, runId, cycleId });
      const head = { store: 'fact', kind: 'FactWritten', seq: 0, timeMs: clock.nowMs() };
      known.take({ ...head, payload, runId, cycleId });
      const after = heldLike(facts(), { ...fact, runId, cycleId });
      return Promise.resolve(after === before ? after : undefined);
    },
    read: (prefix, reader) => factsUnder(facts(), prefix, reader),
  };
}

function artifactsInMemory(texts: Map<string, string>, kept: NewArtifact[]): ArtifactsPort {
  const labels = new Map<string, Label>();
  return {
    put: (artifact) => {
      const { text, label } = artifact;
      kept.push(artifact);
      const id = sha256Hex(text);
      if (!texts.has(id) && label !== undefined) labels.set(id, label);
      texts.set(id, text);
      return Promise.resolve(id);
    },
    read: (id) => {
      const [text, label] = [texts.get(id), labels.get(id)];
      return Promise.resolve(text === undefined ? undefined : { text, ...(label === undefined ? {} : { label }) });
    },
  };
}

function filesInMemory(clock: ManualClock): FilesPort {
  const projections = new Projections();
  const known = (): Projections['states']['files'] => projections.states.files;
  return {
    known,
    addedBy: (runId) => projections.states.additions.get(runId) ?? { files: 0, bytes: 0 },
    record: (changes, by) => {
      const records = fileRecords(changes, by, known());
      for (const record of records) projections.take({ ...record, seq: 0, timeMs: clock.nowMs() });
      return Promise.resolve();
    },
  };
}

/** Gone when the test is over. */
export function temporaryDirectory(): string {
  const directory = realpathSync(mkdtempSync(path.join(tmpdir(), 'retainer-tools-')));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

function gateFor(policy: CharacterPolicy, known: KnownTools): Gate {
  const gate = compileGate(policy, 'digest', known);
  if (!gate.ok) throw new Error(gate.error.join('\n'));
  return gate.value;
}
