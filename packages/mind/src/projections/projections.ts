/** The table of projections: what of the record the agent keeps in memory. A store has a row here, or a reason below. */
import { invariant } from '@retainer/contract/std/invariant';
import { artifacts } from '../memory/artifacts.ts';
import { facts } from '../memory/facts.ts';
import { inbox } from '../run/inbox.ts';
import { megrams } from '../memory/megrams.ts';
import { narratedRuns, newestRuns } from '../memory/narrative.ts';
import { cycles, runs } from './open-work.ts';
import type { Omitted, Projection, Recorded } from '../memory/projection.ts';

type Table = Readonly<Record<string, Projection<unknown>>>;

/** In the order in which they are folded: which runs are open is known before a row asks for the records of those alone. */
export const projections = {
  inbox,
  runs,
  cycles,
  facts,
  artifacts,
  megrams,
  newestRuns,
  narratedRuns,
} as const satisfies Table;

/** Stores of which nothing is folded. */
export const unfoldedStores: Readonly<Record<string, Omitted>> = {
  agent: { because: 'what the agent was started with and what its gates found are for people and for replay' },
};

type StateOf<P> = P extends Projection<infer State> ? State : never;

/** A row and its state. */
export interface Folded {
  readonly name: string;
  readonly projection: Projection<unknown>;
  readonly state: unknown;
}

export class Projections {
  /** In the order in which they are folded. */
  readonly rows: readonly Folded[];
  /** Of the rows of the table, by name. */
  readonly states: { readonly [Name in keyof typeof projections]: StateOf<(typeof projections)[Name]> };

  /** @param more  rows beside those of the table */
  constructor(more: Table = {}) {
    this.rows = Object.entries<Projection<unknown>>({ ...projections, ...more }).map(([name, projection]) => {
      return { name, projection, state: projection.start() };
    });
    this.states = Object.fromEntries(this.rows.map(({ name, state }) => [name, state])) as Projections['states'];
  }

  /** Takes a record that was just written, in the order of its store. Throws where its store has no row and no reason for it. */
  take(record: Recorded): void {
    const rows = this.rows.filter(({ projection }) => projection.store === record.store);
    invariant(
      rows.length > 0 || Object.hasOwn(unfoldedStores, record.store),
      `store ${record.store} has no row in the table of projections`,
    );
    for (const { projection, state } of rows) projection.take(state, record);
  }
}
