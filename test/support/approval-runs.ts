/** One run at a time through the real runtime, gate and driver, by a clock that the test moves: who is asked, and what runs. */
import type { ModelAnswer, ModelRequest } from '@retainer/mind/request/model-request';
import type { CycleEvent } from '@retainer/mind/cycle/event';
import { compileGate } from '@retainer/mind/gate/compile-gate';
import type { Gate } from '@retainer/mind/gate/gate';
import type { JournalRecord } from '@retainer/journal/journal';
import type { AgentRuntime } from '@retainer/agent-pod/loop/agent-runtime';
import type { ModelPort } from '@retainer/agent-pod/ports/ports';
import type { Json } from '@retainer/contract/std/canonical-json';
import { characterSpec } from './agents.ts';
import { config } from './cycles.ts';
import { makeRuntime, World } from './crash-world.ts';
import { manualClock, type ManualClock } from './manual-clock.ts';
import { MemoryJournal } from './memory-journal.ts';
import { runSpec } from './runs.ts';
import { testTools } from './known-tools.ts';

export type Call = readonly [tool: string, input: Json];

export type Asked = Extract<CycleEvent, { kind: 'ApprovalRequested' }>;

/** Says of each turn of the executor which calls it makes; none ends the work. */
export type Plan = (turn: number, clock: ManualClock) => readonly Call[];

const oneStep = '<perception><task slug="work" shape="SingleStep"><intent>Do it.</intent></task></perception>';

export class ApprovalRun {
  readonly journal = new MemoryJournal();
  readonly world = new World();
  readonly clock = manualClock();
  readonly runtime: AgentRuntime;
  readonly runId: string;
  #origins = 0;

  constructor(plan: Plan, runId = 'r') {
    this.runId = runId;
    const onFault = (error: unknown): never => {
      throw error;
    };
    const { journal, world, clock } = this;
    this.runtime = makeRuntime({ journal, world, model: planned(plan, clock), clock, gate: realGate(), onFault });
  }

  async begin(limits?: { readonly requestsMax: number; readonly refusalsMax: number }): Promise<this> {
    await this.runtime.start();
    const task = { namespace: 'default', name: this.runId };
    const approvals = limits === undefined ? {} : { approvals: limits };
    const spec = runSpec({ runId: this.runId, task, ...approvals }, [
      'look',
      'change',
      'send',
      'request_approval',
      'ask_person',
    ]);
    await this.runtime.accept(`task:${this.runId}`, 'test', { type: 'StartRun', spec });
    await this.#untilStill();
    return this;
  }

  /** Takes a command from elsewhere. */
  async take(originId: string, command: Parameters<AgentRuntime['accept']>[2]): Promise<void> {
    await this.runtime.accept(originId, 'test', command);
    await this.#untilStill();
  }

  /** Leaves a decision, as any program with access to the spool can. */
  async decide(requestId: string, argumentsDigest: string, decision: 'Approve' | 'Deny' = 'Approve'): Promise<void> {
    this.#origins += 1;
    const command = {
      type: 'DecideApproval',
      requestId,
      argumentsDigest,
      decision,
      by: 'ann',
      reason: 'said so',
    } as const;
    await this.runtime.accept(`decide:${this.#origins}`, 'test', command);
    await this.#untilStill();
  }

  /** Lets the time of the request that waits run out. */
  async wait(durationMs: number): Promise<void> {
    this.clock.advance(durationMs);
    await this.#untilStill();
  }

  asked(): readonly Asked[] {
    return eventsOf(this.journal.records, 'ApprovalRequested');
  }

  /** Arguments of the calls of a tool that really ran. */
  ran(tool: string): readonly Json[] {
    const requested = eventsOf(this.journal.records, 'ToolRequested').filter((it) => it.tool === tool);
    return requested.filter((it) => this.world.effects.has(it.callId)).map((it) => it.input);
  }

  rejections(rule: string): number {
    return eventsOf(this.journal.records, 'GateDecided').filter((it) => it.rule === rule).length;
  }

  /** Until nothing goes on but waiting for a person whose time is not over, or nothing at all. */
  async #untilStill(): Promise<void> {
    while (!this.#isStill()) await new Promise((resolve) => setImmediate(resolve));
  }

  #isStill(): boolean {
    if (this.runtime.openRuns().length === 0) return true;
    const cycles = this.runtime.openCycles();
    const nowMs = this.clock.nowMs();
    const waits = cycles.map(
      ({ pendingApprovals, pendingModelCall, pendingTools }) =>
        pendingModelCall === undefined &&
        pendingTools.length === 0 &&
        pendingApprovals.length > 0 &&
        pendingApprovals.every((it) => it.expiresAtMs > nowMs),
    );
    return waits.length > 0 && waits.every(Boolean);
  }

  async end(): Promise<void> {
    await this.runtime.stop();
  }
}

/** Of the small character: `send` writes outside, so it needs leave. */
function realGate(): Gate {
  const gate = compileGate(characterSpec().spec, config.gate.characterDigest, testTools);
  if (!gate.ok) throw new Error(gate.error.join('; '));
  return gate.value;
}

function eventsOf<K extends CycleEvent['kind']>(
  records: readonly JournalRecord[],
  kind: K,
): readonly Extract<CycleEvent, { kind: K }>[] {
  return records
    .filter((it) => it.kind === kind)
    .map((it) => ({ kind, ...(it.payload as object) }) as Extract<CycleEvent, { kind: K }>);
}

function planned(plan: Plan, clock: ManualClock): ModelPort {
  let turn = 0;
  return {
    name: 'planned',
    infer: (request) => {
      if (request.role !== 'executor') return Promise.resolve({ ok: true, value: answer(request, [], oneStep) });
      turn += 1;
      return Promise.resolve({ ok: true, value: answer(request, plan(turn, clock), 'done') });
    },
  };
}

function answer(request: ModelRequest, calls: readonly Call[], text: string): ModelAnswer {
  const uses = calls.map(([name, input], index) => ({
    type: 'ToolUse' as const,
    id: `use-${request.messages.length}-${index}`,
    name,
    input,
  }));
  return {
    content: uses.length > 0 ? uses : [{ type: 'Text', text }],
    stop: uses.length > 0 ? 'ToolUse' : 'EndTurn',
    usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
    model: request.model,
    latencyMs: 1,
    attempts: 1,
  };
}
