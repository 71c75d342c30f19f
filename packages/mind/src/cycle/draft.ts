/** A decision in progress: the events so far, and the state after them. Lives within one call of `decideCycle`. */
import type { GateContext } from '../gate/verdict.ts';
import type { Gate } from '../gate/gate.ts';
import type { ToolCatalog } from './catalog.ts';
import { agentName, type CycleDecision, type CycleEvent, type CycleInput } from './event.ts';
import { evolveCycle } from './evolve.ts';
import { readSoFar } from './read-texts.ts';
import type { CycleState, OpenCall } from './state.ts';

/** What a decision depends on besides the state. Fixed for the life of the process; recorded with the character's digest. */
export interface CycleConfig {
  readonly gate: Gate;
  readonly catalog: ToolCatalog;
}

export interface Draft {
  state: CycleState;
  readonly events: CycleEvent[];
  readonly config: CycleConfig;
}

export function openDraft(state: CycleState | undefined, input: CycleInput, config: CycleConfig): Draft {
  return { state: evolveCycle(state, input, config.catalog.known), events: [input], config };
}

export function push(draft: Draft, event: CycleDecision): void {
  draft.events.push(event);
  draft.state = evolveCycle(draft.state, event, draft.config.catalog.known);
}

/** @param call  the call that the tool gate judges */
export function gateContext({ state, config }: Pick<Draft, 'state' | 'config'>, call?: OpenCall): GateContext {
  return {
    agent: agentName(state.spec),
    autonomous: state.spec.autonomous,
    nowMs: state.nowMs,
    approvals: state.approvals,
    read: readSoFar(state, config.catalog.known),
    ...(state.spec.override === undefined ? {} : { override: state.spec.override }),
    ...(state.spec.repliesAs === undefined ? {} : { repliesAs: state.spec.repliesAs }),
    ...(call === undefined ? {} : callContext(call)),
  };
}

function callContext(call: OpenCall): Partial<GateContext> {
  return {
    ...(call.holdsSecret === true ? { holdsSecret: true } : {}),
    ...(call.replaces === true ? { replaces: true } : {}),
    ...(call.standing === undefined ? {} : { standing: call.standing }),
    ...(call.toolAsks === undefined ? {} : { toolAsks: call.toolAsks }),
    ...(call.deniedBefore === undefined ? {} : { deniedBefore: call.deniedBefore }),
  };
}

/** Ends the cycle. Everything still open gets its answer first, so that the history stays valid. */
export function endCycle(draft: Draft, end: Omit<Extract<CycleDecision, { kind: 'CycleEnded' }>, 'kind'>): void {
  const why = end.reason ?? end.outcome;
  for (const { callId, tool } of draft.state.openCalls.filter((it) => it.result === undefined)) {
    const text = draft.state.pendingTools.includes(callId)
      ? `[unknown] The cycle ended while this call was running: ${why}. It may or may not have taken effect.`
      : `[ended] The cycle ended before this call was run: ${why}.`;
    push(draft, { kind: 'CallAnswered', callId, tool, why: 'CycleEnded', text });
  }
  push(draft, { kind: 'CycleEnded', ...end });
}

/** The newest text of an assistant turn: the only result when a cycle must stop early. */
export function latestText(state: CycleState): string {
  const texts = state.messages
    .filter((message) => message.role === 'Assistant')
    .map((message) =>
      message.content
        .map((block) => (block.type === 'Text' ? block.text : ''))
        .join('')
        .trim(),
    );
  return texts.findLast((text) => text.length > 0) ?? '';
}
