/**
 * The calls of cycles, each in its turn in its lane.
 *
 * I1  What the choice of an address tells its server is on record before the call runs.
 * I2  A call that an earlier process began is looked up, never made again. It takes a turn like any other, because a program that
 *     still runs brings its files back.
 */
import { agentName, type CycleEvent, type CycleInput } from '@retainer/mind/cycle/event';
import { readSoFar } from '@retainer/mind/cycle/read-texts';
import type { CallRecord, CycleState } from '@retainer/mind/cycle/state';
import type { ToolOutcome } from '@retainer/mind/cycle/tool-outcome';
import type { KnownTools } from '@retainer/mind/gate/tool-facts';
import type { WorkspaceTurn } from '../ports/sandbox-run.ts';
import type { Permit } from '../ports/tool.ts';
import { noteChoice } from './choice-notes.ts';
import type { CycleParts } from './cycle-driver.ts';
import { endpointOf, Lanes } from './lanes.ts';
import { refusedOutcome } from './refusal-text.ts';
import { isCancelled, type Running } from './running-set.ts';
import { WorkspaceTurns } from './workspace-turns.ts';

export interface RunningCycle extends Running<CycleState, CycleInput, CycleEvent> {
  /** While it is found out how the cycle begins. A cancellation meanwhile is recorded with the start. */
  beginning?: { cancelled?: { readonly by: string; readonly reason: string } };
}

type Requested = Extract<CycleEvent, { kind: 'ToolRequested' }>;

export class ToolCalls {
  readonly #parts: CycleParts;
  readonly #workspace: WorkspaceTurns;
  readonly #lanes: Lanes;

  constructor(parts: CycleParts) {
    this.#parts = parts;
    this.#workspace = new WorkspaceTurns(parts.clock, parts.codeMax ?? 1);
    this.#lanes = new Lanes(this.#workspace);
  }

  /** Makes a call whose request is durable. Resolves when its outcome is. */
  make(running: RunningCycle, event: Requested, state: CycleState): Promise<void> {
    const permit = permitOf(state, event, this.#parts.config.catalog.known);
    return this.#inTurn(permit, event.effectClass, async (turn) => {
      if (await isCancelled(running)) return;
      const refusal =
        this.#parts.oversight.refusal(permit.callId)?.message ?? (await noteChoice(event, permit, this.#parts));
      if (refusal !== undefined) return this.#feed(running, permit.callId, refusedOutcome(refusal));
      const outcome = await this.#parts.executor.execute(permit, running.abort.signal, turn);
      if (running.abort.signal.aborted) return;
      await this.#feed(running, permit.callId, outcome);
    });
  }

  /** Resolves when the record says what became of a call that an earlier process began, or that nobody can tell. */
  find(running: RunningCycle, call: CallRecord, state: CycleState): Promise<void> {
    const permit = permitOf(state, call, this.#parts.config.catalog.known);
    return this.#inTurn(permit, call.effectClass, (turn) => this.#find(running, permit, turn));
  }

  /** Does something with the workspace that is no call, after the calls of the run. */
  inWorkspace(runId: string, work: () => Promise<void>): Promise<void> {
    return this.#workspace.take({ runId, runsCode: false }, work);
  }

  #inTurn(
    { runId, cycleId, tool, input }: Permit,
    effectClass: number | undefined,
    work: (turn?: WorkspaceTurn) => Promise<void>,
  ): Promise<void> {
    if (effectClass === 0) return work();
    const facts = this.#parts.config.catalog.known.factsOf(tool);
    return this.#lanes.take({ runId, cycleId, runsCode: facts.runsCode, endpoint: endpointOf(facts, input) }, work);
  }

  async #find(running: RunningCycle, permit: Permit, turn: WorkspaceTurn | undefined): Promise<void> {
    const { signal } = running.abort;
    if (signal.aborted) return;
    const { executor, journal, clock } = this.#parts;
    const outcome = await executor.lookup(permit, signal, turn);
    if (signal.aborted) return;
    const { callId } = permit;
    if (outcome !== undefined) return this.#feed(running, callId, outcome);
    await running.instance.feed({ kind: 'EffectLost', atMs: clock.nowMs(), callId, epoch: journal.epoch });
  }

  async #feed({ instance }: RunningCycle, callId: string, outcome: ToolOutcome): Promise<void> {
    const recorded = { ...outcome, files: [...outcome.files] };
    await instance.feed({ kind: 'ToolFinished', atMs: this.#parts.clock.nowMs(), callId, outcome: recorded });
  }
}

/** Permission for one call of a cycle, as the cycle's record has it. */
export function permitOf(
  state: CycleState,
  call: {
    readonly callId: string;
    readonly tool: string;
    readonly input: unknown;
    readonly argumentsDigest: string;
    readonly approvalId?: string;
  },
  known: KnownTools,
): Permit {
  return {
    callId: call.callId,
    cycleId: state.spec.cycleId,
    runId: state.spec.runId,
    tool: call.tool,
    input: call.input,
    argumentsDigest: call.argumentsDigest,
    agent: agentName(state.spec),
    autonomous: state.spec.autonomous,
    read: readSoFar(state, known, call.argumentsDigest),
    ...(state.spec.blocked === undefined ? {} : { blocked: state.spec.blocked }),
    ...(call.approvalId === undefined ? {} : { approvalId: call.approvalId }),
  };
}
