/** The message of a commit: what people and programs learn of it without its content. Pure. */
import type { Head } from '@retainer/journal/journal';
import { endedRun, type EndedRun, type WhatCame } from './what-came.ts';

export interface CommitNote {
  /** What happened, in at most {@link SUBJECT_CHARACTERS_MAX} characters. */
  readonly subject: string;
  /** `NAMESPACE/NAME`. */
  readonly agent: string;
  /** UUID; absent before the first start. */
  readonly individual?: string;
  /** Of the newest record, milliseconds since 1970. */
  readonly atMs: number;
  /** Agent-wide orders of the first and of the last record that came; absent if none did. */
  readonly firstOrder?: number;
  readonly lastOrder?: number;
  /** Runs that ended since the commit before, oldest first. */
  readonly runs: readonly EndedRun[];
  /** Heads that differ from the previous commit; the file `heads.json` has all of them. */
  readonly heads: readonly Head[];
}

/** What git shows of a subject on one line of a terminal. */
const SUBJECT_CHARACTERS_MAX = 72;
/** Runs named in a subject; more are counted by outcome. */
const RUNS_IN_SUBJECT_MAX = 2;
/** Runs named in a message; more end between two commits only in the first one of a long life. */
const RUNS_MAX = 20;

/** What a message says that the changes do not tell. */
type Named = Pick<CommitNote, 'agent' | 'individual' | 'atMs' | 'heads'>;

export function renderMessage({ agent, individual, atMs, heads }: Named, came: WhatCame): string {
  const { runs, first, last } = came;
  const more = runs.length - RUNS_MAX;
  return [
    subjectOf(came),
    '',
    `Agent: ${agent}`,
    ...(individual === undefined ? [] : [`Individual: ${individual}`]),
    `Time: ${new Date(atMs).toISOString()}`,
    ...(first === undefined ? [] : [`First-Order: ${first.order}`]),
    ...(last === undefined ? [] : [`Last-Order: ${last.order}`]),
    ...(more > 0 ? [`Earlier-Runs: ${more}`] : []),
    ...runs.slice(-RUNS_MAX).map(({ runId, outcome }) => `Run: ${runId}${outcome === undefined ? '' : ` ${outcome}`}`),
    ...heads.map(({ store, seq, hash, epoch }) => `Head: ${store} ${seq} ${hash} ${epoch}`),
    '',
  ].join('\n');
}

function subjectOf({ runs, records, files }: WhatCame): string {
  const told = runs.length > 0 ? runsText(runs) : records.size > 0 ? recordsText(records) : filesText(files);
  return told.length <= SUBJECT_CHARACTERS_MAX ? told : `${told.slice(0, SUBJECT_CHARACTERS_MAX - 1)}…`;
}

function runsText(runs: readonly EndedRun[]): string {
  const named = (run: EndedRun): string => `${run.task} ${run.outcome}`;
  if (runs.length === 1) return `run ${runs.map(named).join()}`;
  if (runs.length <= RUNS_IN_SUBJECT_MAX) return `runs ${runs.map(named).join(', ')}`;
  const outcomes = new Map<string, number>();
  for (const { outcome = 'ended' } of runs) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  return `${runs.length} runs: ${countsText(outcomes)}`;
}

function recordsText(records: WhatCame['records']): string {
  const count = [...records.values()].reduce((sum, it) => sum + it, 0);
  return `${count} ${count === 1 ? 'record' : 'records'}: ${countsText(records)}`;
}

/** `Accepted 10, Refused 2`: the most first. */
function countsText(counts: ReadonlyMap<string, number>): string {
  const sorted = [...counts].toSorted(([a, more], [b, most]) => most - more || (a < b ? -1 : 1));
  return sorted.map(([name, count]) => `${name} ${count}`).join(', ');
}

function filesText({ put, removed }: WhatCame['files']): string {
  return `files outside the record: ${put} written, ${removed} removed`;
}

const headLine = /^Head: ([a-z][a-z0-9-]*) (\d+) ([0-9a-f]{64}) (\d+)$/;
const runLine = /^Run: (\S+)(?: (\S+))?$/;
/** Of an earlier program. */
const EARLIER_SUBJECT = /^Record of (\S+) at /;

/** @returns undefined for a message of anybody else */
export function parseMessage(message: string): CommitNote | undefined {
  const lines = message.split('\n');
  const member = (name: string): string | undefined =>
    lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const subject = lines[0] ?? '';
  const agent = member('Agent') ?? EARLIER_SUBJECT.exec(subject)?.[1];
  const atMs = Date.parse(member('Time') ?? '');
  if (agent === undefined || Number.isNaN(atMs)) return undefined;
  const individual = member('Individual');
  const [firstOrder, lastOrder] = [member('First-Order'), member('Last-Order')].map(Number);
  return {
    ...{ subject, agent, atMs },
    ...(individual === undefined ? {} : { individual }),
    ...(isOrder(firstOrder) ? { firstOrder } : {}),
    ...(isOrder(lastOrder) ? { lastOrder } : {}),
    runs: lines.flatMap((line) => {
      const [, runId, outcome] = runLine.exec(line) ?? [];
      return runId === undefined ? [] : [endedRun(runId, outcome)];
    }),
    heads: lines.flatMap((line) => {
      const [, store, seq, hash = '', epoch] = headLine.exec(line) ?? [];
      return store === undefined ? [] : [{ store, seq: Number(seq), hash, epoch: Number(epoch) }];
    }),
  };
}

function isOrder(value: number | undefined): value is number {
  return Number.isSafeInteger(value);
}
