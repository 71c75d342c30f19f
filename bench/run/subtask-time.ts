/** How long the subtasks of a run took together. */
import type { RunEvent } from '@retainer/mind/run/event';

/** From the first cycle of an executor to the last outcome of a subtask, milliseconds. */
export function subtaskTimeMs(events: readonly RunEvent[]): number {
  const sent = events.flatMap((it) => (it.kind === 'MessageSent' ? it.messages : []));
  const startMs = sent.find((it) => it.type === 'SubTaskDispatch')?.atMs ?? 0;
  const endMs = sent.findLast((it) => it.type === 'SubTaskOutcome')?.atMs ?? startMs;
  return endMs - startMs;
}
