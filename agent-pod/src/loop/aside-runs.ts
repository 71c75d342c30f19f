/**
 * The runs that this program leaves alone, with the record of it. A run whose decider or effect throws must not stop the agent.
 *
 * I1  A run is set aside in the record before it is forgotten here, so the next start leaves it alone, too.
 */
import type { Journal } from '@retainer/journal/journal';
import { defineProjection, eventOf, type Projection } from '@retainer/mind/part/projection';
import type { Command } from '@retainer/mind/run/inbox';
import { takeCycleRecord, type OpenCycles } from '@retainer/mind/projections/open-work';
import { noUsage } from '@retainer/mind/cycle/state';
import type { RunEvent, RunEventOf, RunSpec } from '@retainer/mind/run/event';
import { originOfTask, type ReplyTo } from '@retainer/mind/run/run-cause';
import type { Delivery } from '../ports/ports.ts';
import {
  heldBecause,
  setAsideFolds,
  setAsideKinds,
  type AsideRun,
  type AsideRuns,
  type Held,
} from '@retainer/mind/parts/aside/set-aside';
import { triedAgainFolds, type TriedAgain } from '@retainer/mind/parts/aside/tried-again';
import { errorPlace } from './error-place.ts';

const FAILED =
  'is set aside, because the program failed in it; `retainer retry` tries it again, `retainer cancel` ends it';

const GIVEN_UP = 'was cancelled while it was set aside; its work so far is in the record';

/** The sentence goes on after the run's id. */
export function heldText(held: Held): string {
  return `waits, because ${heldBecause(held)}; \`retainer task continue\` lets it go on, \`retainer task cancel\` ends it`;
}

/** A run that nobody drives at present. */
export class RunSetAsideError extends Error {
  override readonly name = 'RunSetAsideError';
  constructor(runId: string, run?: Pick<AsideRun, 'held' | 'isGivenUp'>) {
    const { held, isGivenUp = false } = run ?? {};
    super(`run ${runId} ${isGivenUp ? GIVEN_UP : held === undefined ? FAILED : heldText(held)}`);
  }
}

type RunResult = Omit<RunEventOf<'RunConcluded'>, 'kind'>;

/** Places of an error that the record keeps. */
const PLACES_MAX = 4;

/** @param runs  the state */
export function asideProjection(runs: AsideRuns): Projection<AsideRuns> {
  return defineProjection({
    store: 'agent',
    kinds: setAsideKinds,
    start: (): AsideRuns => runs,
    folds: setAsideFolds,
    others: { because: 'it is about no run that was set aside' },
    window: 'WholeStore',
    cached: { because: 'its store is small' },
  });
}

/** @param runs  the state */
export function triedAgainProjection(runs: TriedAgain): Projection<TriedAgain> {
  return defineProjection({
    store: 'agent',
    kinds: setAsideKinds,
    start: (): TriedAgain => runs,
    folds: triedAgainFolds,
    others: { because: 'it is about no run that is wanted again' },
    window: 'WholeStore',
    cached: { because: 'its store is small' },
  });
}

/** Kind of an error and where it was thrown. */
export function placesOf(error: unknown): readonly string[] {
  const { error: name, at } = errorPlace(error);
  return [name, ...at.slice(0, PLACES_MAX)];
}

/** What a person reads of a run that they cancelled while it was set aside. Nobody can tell what it used. */
export function givenUpDelivery(
  runId: string,
  { startedAtMs, held, ...run }: AsideRun,
  { reason, atMs }: { readonly reason: string; readonly atMs: number },
): Delivery {
  const why = held === undefined ? 'the program had failed in this run' : heldBecause(held);
  const summary = `Cancelled while it was set aside, because ${why}; its work so far is in the record.`;
  const body: RunResult = {
    outcome: 'Cancelled',
    summary,
    reasons: [reason],
    criteria: [],
    unmet: [],
    files: [],
    replans: 0,
    partial: true,
    usage: noUsage,
    costUsd: 0,
    isCostComplete: false,
    startedAtMs,
    endedAtMs: atMs,
  };
  return { deliveryId: `${runId}-given-up`, ...replyToOf(run), runId, body };
}

function replyToOf({ task, notice, letter }: Pick<AsideRun, 'task' | 'notice' | 'letter'>): ReplyTo {
  if (letter !== undefined) return { channel: 'Mail', target: letter };
  return notice === undefined ? originOfTask(task).replyTo : { channel: 'Notice', target: notice };
}

export interface RecordedRun {
  /** None: the program failed before the first record. */
  readonly events: readonly RunEvent[];
  readonly cycles: OpenCycles;
  readonly spec: RunSpec | undefined;
}

/** Reads one run and its cycles from the record. */
export async function readRun(journal: Pick<Journal, 'read'>, runId: string): Promise<RecordedRun> {
  const events: RunEvent[] = [];
  for await (const record of journal.read('run')) if (record.runId === runId) events.push(eventOf<RunEvent>(record));
  const cycles: OpenCycles = new Map();
  for await (const record of journal.read('cycle')) if (record.runId === runId) takeCycleRecord(cycles, record);
  return { events, cycles, spec: (await askedFor(journal, runId))?.spec };
}

/** A run by what a person calls it. */
export type NamedRun = Pick<AsideRun, 'task' | 'startedAtMs' | 'notice' | 'letter'>;

/** Also where the record of the run cannot be read. Undefined: there is no such run. */
export async function nameRun(journal: Pick<Journal, 'read'>, runId: string): Promise<NamedRun | undefined> {
  const asked = await askedFor(journal, runId);
  if (asked !== undefined) {
    const { task, replyTo } = asked.spec;
    const { namespace, name } = task;
    const notice = replyTo.channel === 'Notice' ? { notice: replyTo.target } : {};
    const letter = replyTo.channel === 'Mail' ? { letter: replyTo.target } : {};
    return { task: { namespace, name }, startedAtMs: asked.atMs, ...notice, ...letter };
  }
  for await (const record of journal.read('run'))
    if (record.runId === runId) return { task: { namespace: 'unknown', name: runId }, startedAtMs: record.timeMs };
  return undefined;
}

interface Asked {
  readonly spec: RunSpec;
  readonly atMs: number;
}

async function askedFor(journal: Pick<Journal, 'read'>, runId: string): Promise<Asked | undefined> {
  for await (const record of journal.read('inbox')) {
    if (record.kind !== 'CommandAccepted' || (record.runId ?? runId) !== runId) continue;
    const { command } = eventOf<{ readonly kind: string; readonly command: Command }>(record);
    if (command.type === 'StartRun' && command.spec.runId === runId) return { spec: command.spec, atMs: record.timeMs };
  }
  return undefined;
}
