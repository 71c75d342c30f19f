/** Hands a command of the inbox to the machine that it addresses. */
import { answerInWork } from '@retainer/mind/cycle/state';
import { noteRun } from '@retainer/mind/projections/open-work';
import type { Command } from '@retainer/mind/run/inbox';
import type { AgentMemory } from './agent-memory.ts';
import type { AsideKeeper, Driven } from './aside-keeper.ts';

/** Resolves when the machine has recorded it. A machine that fails sets its run aside. @throws if it belongs to no run */
export async function carryOut(
  { cycles, runs, keeper }: Driven & { readonly keeper: AsideKeeper },
  memory: AgentMemory,
  originId: string,
  command: Exclude<Command, { type: 'DecideCommand' }>,
): Promise<void> {
  switch (command.type) {
    case 'StartRun': {
      // A crash may follow any record after the acceptance: the run may already have begun or ended.
      const { runs: known } = memory.known;
      if (known.ids.has(command.spec.runId)) return;
      noteRun(known, command.spec.runId);
      return keeper.guarded(command.spec.runId, () => runs.admit(command.spec));
    }
    case 'DecideApproval':
      return keeper.guarded(cycles.runOf(command.requestId) ?? '', () => cycles.decideApproval(command));
    case 'AnswerQuestion':
      return keeper.guarded(command.runId, () => {
        // A run asks before its work, a cycle in the middle of it.
        const decision = answerInWork(cycles.states(), command);
        return decision === undefined ? runs.answer(command) : cycles.decideApproval(decision);
      });
    case 'RetryRun':
      return keeper.tryAgain(command.runId, command.by);
    case 'ReportFalsePositive':
      return memory.reportFalsePositive(command);
    case 'TrustFile':
      return memory.trustFile(command);
    case 'ChangeMemory':
      return memory.change(command, originId);
    case 'TendMemory':
      return memory.wantDream(command, originId);
    case 'CancelRun':
      if (await keeper.giveUp(command.runId, command.by, command.reason)) return undefined;
      return keeper.guarded(command.runId, () => runs.cancel(command.runId, command.by, command.reason));
  }
}
