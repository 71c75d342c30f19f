/**
 * The table of projections: the state that the agent folds from its record and keeps in memory. Each store has a row.
 */
import { invariant } from '@retainer/contract/std/invariant';
import { dreamKinds } from '../archive/dream-event.ts';
import { appliedChanges } from '../part/applied-changes.ts';
import { inbox } from '../run/inbox.ts';
import { projectionsOfParts } from '../parts/derived.ts';
import { denials } from './denials.ts';
import { dreams } from './dreams.ts';
import { cycleFigures } from './cycle-figures.ts';
import { archives } from './open-archives.ts';
import { cycles, runs } from './open-work.ts';
import { modifiedByGates, recentWork } from './recent-work.ts';
import { runFigures } from './run-figures.ts';
import type { Projection, Recorded } from '../part/projection.ts';

type Table = Readonly<Record<string, Projection<unknown>>>;

/** In the order in which they are folded: the open runs must be known before the rows that need only their records. */
export const projections = {
  inbox,
  runs,
  archives,
  dreams,
  cycles,
  ...projectionsOfParts,
  runFigures,
  cycleFigures,
  recentWork,
  modifiedByGates,
  denials,
  dreamChanges: appliedChanges('dream', dreamKinds),
} as const satisfies Table;

type StateOf<P> = P extends Projection<infer State> ? State : never;

export interface Folded {
  readonly name: string;
  readonly projection: Projection<unknown>;
  readonly state: unknown;
}

export class Projections {
  /** In the order in which they are folded. */
  readonly rows: readonly Folded[];
  /** States of the table's rows, by name. */
  readonly states: { readonly [Name in keyof typeof projections]: StateOf<(typeof projections)[Name]> };

  /** @param more  rows in addition to those of the table */
  constructor(more: Table = {}) {
    this.rows = Object.entries<Projection<unknown>>({ ...projections, ...more }).map(([name, projection]) => {
      return { name, projection, state: projection.start() };
    });
    this.states = Object.fromEntries(this.rows.map(({ name, state }) => [name, state])) as Projections['states'];
  }

  /** Applies a newly written record, in the order of its store. Throws if the store has no row. */
  take(record: Recorded): void {
    const rows = this.rows.filter(({ projection }) => projection.store === record.store);
    invariant(rows.length > 0, `store ${record.store} has no row in the table of projections`);
    for (const { projection, state } of rows) projection.take(state, record);
  }
}
