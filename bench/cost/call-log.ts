/** The model calls of runs, as a model port sees them. */
import { roleName } from '@retainer/contract/api/roles';
import type { ModelPort } from '@retainer/agent-pod/ports/ports';
import { noUsage } from '@retainer/mind/cycle/state';
import type { Usage } from '@retainer/mind/request/model-request';

export interface CallRow {
  readonly task: string;
  readonly role: string;
  /** A scorer, a probe or the quarantine reader asks; not the work. */
  readonly isGate: boolean;
  /** The Archivist asks, after the reply. */
  readonly isMemory: boolean;
  readonly usage: Usage;
  /** Position in the one order of all beginnings and ends of calls. */
  readonly began: number;
  readonly ended: number;
}

const GATE_ROLES = /^(?:gate-|quarantine-reader$)/;

export class CallLog {
  readonly #rows: CallRow[] = [];
  /** The Task at work. */
  task = '';
  #moment = 0;

  watching(model: ModelPort): ModelPort {
    return {
      name: model.name,
      infer: async (request, options) => {
        const began = (this.#moment += 1);
        const answer = await model.infer(request, options);
        this.#rows.push({
          task: this.task,
          role: request.role,
          isGate: GATE_ROLES.test(request.role),
          isMemory: request.role === roleName('Archivist'),
          usage: answer.ok ? answer.value.usage : noUsage,
          began,
          ended: (this.#moment += 1),
        });
        return answer;
      },
    };
  }

  rows(): readonly CallRow[] {
    return this.#rows;
  }

  /** The most calls of which each began after the one before had ended. */
  static inSequence(rows: readonly CallRow[]): number {
    let [count, lastEnd] = [0, 0];
    for (const { began, ended } of rows.toSorted((a, b) => a.ended - b.ended)) {
      if (began < lastEnd) continue;
      count += 1;
      lastEnd = ended;
    }
    return count;
  }
}
