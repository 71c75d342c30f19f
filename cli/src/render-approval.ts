/** A call that waits for a person: what it would do, and how to decide. Pure. */
import { renderEffect, type Covered } from '@retainer/agent-pod/review/tell-records';
import type { Json } from '@retainer/contract/std/canonical-json';
import { printable } from '@retainer/contract/std/printable';

export interface WaitingCall extends Pick<Covered, 'standing' | 'named'> {
  readonly requestId: string;
  readonly tool: string;
  readonly input: unknown;
  readonly calls: number;
  readonly effectClass: number;
  readonly agentSays?: string;
}

/** The effect in our words, then the model's own. No character of them steers a terminal. */
export function effectLines(call: WaitingCall): readonly string[] {
  const { line, details } = renderEffect(call.tool, call.input as Json, call);
  return [
    `effect: ${line}`,
    ...details.map((it) => `  ${it}`),
    ...(call.agentSays === undefined ? [] : [`the agent says: ${JSON.stringify(printable(call.agentSays))}`]),
  ];
}

export interface CalledWith {
  readonly program: string;
  /** They reach the place where the call waits. */
  readonly options: string;
}

export function decideCommand(requestId: string, { program, options }: CalledWith): string {
  return `${program} approve ${requestId} ${options} --reason "…" (--deny refuses)`;
}
