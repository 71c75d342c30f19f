/**
 * What a call waits for: the workspace, or the endpoint outside that it asks. A slow server holds up those who ask it, and no code.
 *
 * I1  Calls to one endpoint run one after the other, in the order of their requests. The workspace has `WorkspaceTurns`.
 * I2  Calls of one cycle follow each other in the order of their requests, each after the end of the one before it, whatever they
 *     wait for.
 * I3  A call stands in no lane while it waits for an earlier call of its cycle in another lane.
 *
 * Source: springdrift 7 (tools run in sequence). Differs: only calls that share something, and those of one cycle, wait for each other.
 */
import type { ToolFacts } from '@retainer/mind/gate/tool-facts';
import type { WorkspaceTurn } from '../ports/sandbox-run.ts';
import { InTurn } from './in-turn.ts';
import type { TurnOf, WorkspaceTurns } from './workspace-turns.ts';

type Facts = Pick<ToolFacts, 'name' | 'reachesOutside' | 'runsCode' | 'writes' | 'target'>;

/** @returns the host that a call asks, else the tool's name; undefined for a call that needs the workspace */
export function endpointOf(facts: Facts, input: unknown): string | undefined {
  if (!facts.reachesOutside || facts.runsCode || facts.writes !== 'Nothing') return undefined;
  const part = facts.target?.parts.find(({ as }) => as === 'Address');
  return (part && hostAt(input, part.member)) ?? facts.name;
}

function hostAt(input: unknown, member: string): string | undefined {
  if (typeof input !== 'object' || input === null || !Object.hasOwn(input, member)) return undefined;
  const address: unknown = Reflect.get(input, member);
  return typeof address === 'string' && URL.canParse(address) ? new URL(address).host : undefined;
}

export interface LaneOf extends TurnOf {
  readonly cycleId: string;
  /** See `endpointOf`. */
  readonly endpoint: string | undefined;
}

type Work = (turn?: WorkspaceTurn) => Promise<void>;

/** The last call of a cycle that has not ended. */
interface Last {
  readonly endpoint: string | undefined;
  /** What it waits for before it stands in its lane; absent: nothing. */
  readonly after: Promise<void> | undefined;
  readonly ended: Promise<void>;
}

export class Lanes {
  readonly #workspace: WorkspaceTurns;
  readonly #endpoints = new InTurn();
  readonly #cycles = new Map<string, Last>();

  constructor(workspace: WorkspaceTurns) {
    this.#workspace = workspace;
  }

  /** Calls `work` when it is the call's turn, with a turn if it has the workspace. Settles as it does. */
  take(call: LaneOf, work: Work): Promise<void> {
    const { cycleId, endpoint } = call;
    const earlier = this.#cycles.get(cycleId);
    const after = earlier?.endpoint === endpoint ? earlier?.after : earlier?.ended;
    const result = after === undefined ? this.#stand(call, work) : after.then(() => this.#stand(call, work));
    const ended = result
      .catch(() => undefined)
      .then(() => {
        if (this.#cycles.get(cycleId) === last) this.#cycles.delete(cycleId);
      });
    const last: Last = { endpoint, after, ended };
    this.#cycles.set(cycleId, last);
    return result;
  }

  #stand({ endpoint, ...turn }: LaneOf, work: Work): Promise<void> {
    if (endpoint === undefined) return this.#workspace.take(turn, work);
    return this.#endpoints.take(endpoint, () => work());
  }
}
