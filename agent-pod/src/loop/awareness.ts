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
  readonly onFinding: (finding: Finding) => void;
  readonly onFault: (error: unknown) => void;
}

export function awareness(
  parts: RuntimeParts,
  { memory, runtime, onFinding, onFault }: Around,
): { readonly oversight: Oversight; readonly self: SelfKeeper } {
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
