/** What goes over all cycles of one start: the oversight of the gates, and what the agent knows of itself. */
import type { CycleState } from '@retainer/mind/cycle/state';
import type { Finding } from '@retainer/mind/gate/meta/observer';
import type { RunState } from '@retainer/mind/run/state';
import type { AgentMemory } from './agent-memory.ts';
import { Oversight } from './oversight.ts';
import type { RuntimeParts } from './runtime-parts.ts';
import { SelfKeeper } from './self-keeper.ts';

interface Around {
  readonly memory: AgentMemory;
  readonly runtime: {
    readonly startedAtMs: number;
    openRuns(): readonly RunState[];
    openCycles(): readonly CycleState[];
  };
  readonly onFault: (error: unknown) => void;
}

export function awareness(
  parts: RuntimeParts,
  { memory, runtime, onFault }: Around,
): { readonly oversight: Oversight; readonly self: SelfKeeper } {
  const onFinding = (finding: Finding): void => {
    const { cycleId, intervention, detectors } = finding;
    const run = runtime.openRuns().find(({ roleCycles }) => roleCycles.has(cycleId));
    // For people. The cycles that an intervention concerns record it in their own start.
    memory.noteFinding(finding, run?.spec.runId).catch(onFault);
    if (intervention === 'Escalate')
      parts.onNotice?.(`the gates need a person: ${detectors.join(', ')} after cycle ${cycleId}`);
  };
  const oversight = new Oversight(parts.oversight, parts.costUsd, onFinding, (change, notice) => {
    parts.onNotice?.(notice);
    memory.noteGateChange(change).catch(onFault);
  });
  const self = new SelfKeeper({
    ...parts,
    oversight,
    known: () => memory.known,
    recall: (run) => memory.texts.forWork(run),
    startedAtMs: runtime.startedAtMs,
    runs: () => runtime.openRuns(),
    cycles: () => runtime.openCycles(),
    unreadRecords: () => memory.unread.length,
    write: (command) => void memory.write('Runtime', [command]).catch(onFault),
  });
  return { oversight, self };
}
