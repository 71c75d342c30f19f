/** Hands a command of the inbox to the machine that it addresses, or to the part that it is told to. */
import { noteRun } from '@retainer/mind/projections/open-work';
import type { Command } from '@retainer/mind/run/inbox';
import { carryOutOfParts, decideOfParts } from '../parts/derived.ts';
import type { Machines } from '../parts/pod-part.ts';
import type { AgentMemory } from './agent-memory.ts';
import type { AsideKeeper, Driven } from './aside-keeper.ts';

type Machine = Driven & { readonly keeper: AsideKeeper };

/** Resolves when the command is recorded. A machine that fails sets its run aside. @throws if it belongs to no run */
export async function carryOut(
  machine: Machine,
  memory: AgentMemory,
  originId: string,
  command: Exclude<Command, { type: 'DecideCommand' }>,
): Promise<void> {
  const { runs, keeper } = machine;
  switch (command.type) {
    case 'StartRun': {
      // A crash may follow any record after the acceptance: the run may already have begun or ended.
      const { runs: known } = memory.known;
      if (known.ids.has(command.spec.runId)) return;
      noteRun(known, command.spec.runId);
      const { spec, held } = command;
      return keeper.guarded(spec.runId, () => (held === undefined ? runs.admit(spec) : keeper.hold(spec.runId, held)));
    }
    case 'TendMemory':
      return memory.wantDream(command, originId);
    case 'CancelRun':
      if (await keeper.giveUp(command.runId, command.by, command.reason)) return;
      return keeper.guarded(command.runId, () => runs.cancel(command.runId, command.by, command.reason));
    default: {
      const records = decideOfParts(memory.known, command, { originId, atMs: memory.nowMs() });
      return records === undefined ? carryOutOfParts(machinesOf(machine), command) : memory.writeAny('Person', records);
    }
  }
}

function machinesOf({ cycles, runs, keeper }: Machine): Machines {
  return {
    cycles: () => cycles.states(),
    runOf: (requestId) => cycles.runOf(requestId),
    decideApproval: (decision) => cycles.decideApproval(decision),
    answer: (command) => runs.answer(command),
    tryAgain: (runId, by) => keeper.tryAgain(runId, by),
    guarded: (runId, work) => keeper.guarded(runId, work),
  };
}
