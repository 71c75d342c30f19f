/** A call that waits for a person: what it would do, and how to decide. Pure. */
import { renderEffect } from '@retainer/agent-pod/review/tell-records';
import type { Json } from '@retainer/contract/std/canonical-json';
import { printable } from '@retainer/contract/std/printable';

export interface WaitingCall {
  readonly requestId: string;
  readonly tool: string;
  readonly input: unknown;
  readonly calls: number;
  readonly effectClass: number;
  readonly agentSays?: string;
  readonly standing?: string;
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

export function decideCommand(requestId: string, dataDirectory: string): string {
  return `retainer approve ${requestId} --data ${dataDirectory} --reason "…" (--deny refuses)`;
}
