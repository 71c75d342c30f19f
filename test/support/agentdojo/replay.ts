/** Calls of a sequence through the real cycle, gate and chokepoint; only the model and the tools' answers are recorded ones. */
import { startOfParts } from '@retainer/mind/parts/derived';
import type { Json } from '@retainer/contract/std/canonical-json';
import { invariant } from '@retainer/contract/std/invariant';
import type { CycleEvent } from '@retainer/mind/cycle/event';
import { compileGate } from '@retainer/mind/gate/compile-gate';
import { addressesIn } from '@retainer/mind/gate/provenance/addresses';
import type { Gate } from '@retainer/mind/gate/gate';
import type { Approval } from '@retainer/mind/gate/verdict';
import { permitOf } from '../../../agent-pod/src/loop/tool-calls.ts';
import { observed } from '../observed.ts';
import { createExecutor, type Executor } from '../../../agent-pod/src/tools/execute.ts';
import { createRegistry } from '../../../agent-pod/src/parts/catalog.ts';
import type { ToolRegistry } from '../../../agent-pod/src/tools/registry.ts';
import { CycleUnderTest, cycleSpec } from '../cycles.ts';
import { MANUAL_START_MS, manualClock } from '../manual-clock.ts';
import { unavailableSandbox } from '../unavailable-sandbox.ts';
import type { Suite, UserTask } from './data.ts';
import { descriptorOf, type Scripted, type Stage, type Telling } from './descriptors.ts';
import type { PlainCall } from './simple-policies.ts';

/** Everything but what cannot be undone: whether a call may run is left to the flow of data. */
const character = { authority: { alone: [{ id: 'account', description: 'Works for its principal.', tools: ['*'] }] } };

/** More than any sequence needs. */
const MANY = 1_000_000;
const limits = { ...cycleSpec().limits, turns: MANY, toolCalls: MANY, failedTurnsInRow: MANY, tokens: MANY ** 2 };

export interface Played {
  /** `Repeated`: the cycle gave the result of the same call again, and ran nothing. */
  readonly kind: 'Ran' | 'Asked' | 'Refused' | 'Repeated';
  /** The tool ran: after a question, because a person approved it. */
  readonly hasRun: boolean;
  /** Of the tool gate's verdict; absent if it was not asked. */
  readonly rule?: string;
  readonly reason?: string;
}

/** What the replays of a suite share; they play one after another. */
export interface Theatre {
  readonly registry: ToolRegistry;
  readonly gate: Gate;
  readonly stage: Stage;
}

export function openTheatre({ tools }: Suite, telling: Telling): Theatre {
  const stage: Stage = { next: { output: '', isError: false, words: undefined }, ran: 0 };
  const registry = createRegistry(
    { sandboxLanguages: [] },
    tools.map((tool) => descriptorOf(tool, telling, stage)),
  );
  const gate = compileGate(character, 'c'.repeat(64), registry.known);
  invariant(gate.ok, 'compiles');
  return { registry, gate: gate.value, stage };
}

export class Replay {
  readonly #theatre: Theatre;
  readonly #cycle: CycleUnderTest;
  readonly #executor: Executor;
  readonly #approvals = new Map<string, Approval>();

  constructor(theatre: Theatre, task: UserTask) {
    this.#theatre = theatre;
    const { registry, gate } = theatre;
    const config = { gate, catalog: registry };
    const spec = {
      limits: { ...limits, costUsd: MANY, contextTokens: MANY },
      input: task.prompt,
      asked: task.prompt,
      addresses: [...addressesIn(task.prompt)],
      // As a planner names them who has read nothing but the request.
      planned: [...new Set(task.calls.map(({ tool }) => tool))],
    };
    this.#cycle = new CycleUnderTest({ ...spec, tools: [...registry.names] }, { config, nonce: 'f'.repeat(32) });
    this.#executor = createExecutor({
      registry,
      gate,
      clock: manualClock(),
      workspaceDirectory: '/nonexistent',
      sandbox: unavailableSandbox,
      facts: { write: () => Promise.resolve(undefined), read: () => [] },
      files: { known: () => new Map(), addedBy: () => ({ files: 0, bytes: 0 }), record: () => Promise.resolve() },
      artifacts: { put: () => Promise.resolve('none'), read: () => Promise.resolve(undefined) },
      recall: { search: () => Promise.resolve([]) },
      parts: { known: startOfParts, write: () => Promise.resolve() },
      self: observed({}),
      holdsSecret: () => false,
      deniedBefore: () => ({}),
      accepted: ({ callId }) => this.#cycle.now.acceptedCalls.find((it) => it.callId === callId),
      approval: (id) => this.#approvals.get(id),
    });
  }

  async play({ tool, args }: PlainCall, scripted: Scripted, person: 'Approve' | 'Deny'): Promise<Played> {
    this.#theatre.stage.next = scripted;
    const ranBefore = this.#theatre.stage.ran;
    const first = this.#cycle.answer({ calls: [[tool, args as Json]] });
    const asked = first.find((it) => it.kind === 'ApprovalRequested');
    const events = asked === undefined ? first : this.#decide(asked, person);
    const requested = events.find((it) => it.kind === 'ToolRequested');
    if (requested !== undefined) await this.#run(requested);
    const hasRun = this.#theatre.stage.ran > ranBefore;
    return { kind: asked === undefined ? kindOf(first, hasRun) : 'Asked', hasRun, ...verdictOn(first) };
  }

  #decide(
    asked: Extract<CycleEvent, { kind: 'ApprovalRequested' }>,
    decision: 'Approve' | 'Deny',
  ): readonly CycleEvent[] {
    const { requestId, argumentsDigest } = asked;
    const expiresAtMs = MANUAL_START_MS * 2;
    this.#approvals.set(requestId, { requestId, argumentsDigest, decision, by: 'ann', reason: 'said so', expiresAtMs });
    return this.#cycle.decideApproval(requestId, decision, argumentsDigest);
  }

  async #run(requested: Extract<CycleEvent, { kind: 'ToolRequested' }>): Promise<void> {
    const permit = permitOf(this.#cycle.now, requested, this.#theatre.registry.known);
    const outcome = await this.#executor.execute(permit, new AbortController().signal);
    const { callId } = requested;
    const recorded = { ...outcome, files: [...outcome.files] };
    this.#cycle.when({ kind: 'ToolFinished', atMs: this.#cycle.tick(), callId, outcome: recorded });
  }
}

function kindOf(events: readonly CycleEvent[], hasRun: boolean): Played['kind'] {
  if (hasRun) return 'Ran';
  return events.some((it) => it.kind === 'CallAnswered' && it.why === 'Repeated') ? 'Repeated' : 'Refused';
}

function verdictOn(events: readonly CycleEvent[]): Pick<Played, 'rule' | 'reason'> {
  const judged = events.filter((it) => it.kind === 'GateDecided').find(({ gate }) => gate === 'Tool');
  return judged === undefined ? {} : { rule: judged.rule, reason: judged.reason };
}
