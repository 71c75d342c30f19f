/** How many model calls of a run had to wait for one another. Source: artoo A.14. */
import type { RunEvent } from '@retainer/mind/run/event';

/**
 * The longest chain of cycles of which each began after the one before had ended, counted in model calls. What a gate asks a
 * model is none of them.
 *
 * @param events  of one run, in their order
 */
export function callsInSequence(events: readonly RunEvent[]): number {
  const before = new Map<string, number>();
  let longest = 0;
  for (const event of events) {
    if (event.kind === 'CycleRequested') before.set(event.spec.cycleId, longest);
    if (event.kind === 'CycleConcluded')
      longest = Math.max(longest, (before.get(event.cycleId) ?? 0) + event.modelCalls);
  }
  return longest;
}

/** From the first cycle of an executor to the last outcome of a subtask, milliseconds. */
export function subtaskTimeMs(events: readonly RunEvent[]): number {
  const sent = events.flatMap((it) => (it.kind === 'MessageSent' ? it.messages : []));
  const startMs = sent.find((it) => it.type === 'SubTaskDispatch')?.atMs ?? 0;
  const endMs = sent.findLast((it) => it.type === 'SubTaskOutcome')?.atMs ?? startMs;
  return endMs - startMs;
}
