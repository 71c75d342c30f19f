/** What came into the record and beside it between two commits, counted from the changes themselves. Pure. */
import { recordLinesIn, type RecordLine } from '@retainer/journal/moment';
import { isOutsideRecord, type Change } from './capture.ts';
import { parseChunkPath } from './chunks.ts';

export interface EndedRun {
  readonly runId: string;
  /** Name of its Task, as far as the id of the run holds it. */
  readonly task: string;
  /** Absent in commits of earlier programs. */
  readonly outcome?: string;
}

export interface WhatCame {
  /** By store. */
  readonly records: ReadonlyMap<string, number>;
  /** Undefined if no record came. */
  readonly first: OrderAndTime | undefined;
  readonly last: OrderAndTime | undefined;
  /** That ended, oldest first. */
  readonly runs: readonly EndedRun[];
  /** Of workspace and configuration. */
  readonly files: { readonly put: number; readonly removed: number };
}

interface OrderAndTime {
  /** Agent-wide. */
  readonly order: number;
  /** Milliseconds since 1970. */
  readonly timeMs: number;
}

/** A run's id ends with digits of its origin, and with the number of a further attempt. */
const ID_DIGITS = /-[0-9a-f]{10}(?:-\d+)?$/;

export function endedRun(runId: string, outcome: string | undefined): EndedRun {
  return { runId, task: runId.replace(ID_DIGITS, ''), ...(outcome === undefined ? {} : { outcome }) };
}

export class CameCounter {
  readonly #records = new Map<string, number>();
  readonly #runs = new Map<string, EndedRun>();
  #first: OrderAndTime | undefined;
  #last: OrderAndTime | undefined;
  #put = 0;
  #removed = 0;

  take(change: Change): void {
    const path = change.kind === 'Put' ? change.file.path : change.path;
    if (isOutsideRecord(path)) this.#takeFile(change);
    if (change.kind === 'Remove' || !('bytes' in change.file.content)) return;
    const file = parseChunkPath(path)?.file;
    if (file === undefined) return;
    const store = file.slice(0, file.indexOf('/'));
    // Copies that a repair left hold lines of other stores, which came before.
    for (const line of recordLinesIn(change.file.content.bytes)) if (line.store === store) this.#takeLine(line);
  }

  came(): WhatCame {
    const files = { put: this.#put, removed: this.#removed };
    const runs = [...this.#runs.values()];
    return { records: this.#records, first: this.#first, last: this.#last, runs, files };
  }

  #takeFile({ kind }: Change): void {
    if (kind === 'Put') this.#put += 1;
    else this.#removed += 1;
  }

  #takeLine(line: RecordLine): void {
    const { store, order, timeMs, kind } = line;
    this.#records.set(store, (this.#records.get(store) ?? 0) + 1);
    if (this.#first === undefined || order < this.#first.order) this.#first = { order, timeMs };
    if (this.#last === undefined || order > this.#last.order) this.#last = { order, timeMs };
    if (kind === 'RunClosed') this.#takeEnd(line.whole());
  }

  #takeEnd({ runId, payload = {} }: ReturnType<RecordLine['whole']>): void {
    const { outcome } = payload as { readonly outcome?: unknown };
    // A message is read by its lines and its words.
    if (runId === undefined || /\s/.test(runId) || typeof outcome !== 'string' || /\s/.test(outcome)) return;
    this.#runs.set(runId, endedRun(runId, outcome));
  }
}
