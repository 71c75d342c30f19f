/** Tells the records of one run, oldest first. Source: design 1, 6. */
import type { ArchiveEvent } from '../archive/event.ts';
import type { CycleEvent } from '../cycle/event.ts';
import type { JournalRecord } from '@retainer/contract/wire/record';
import type { Label } from '../gate/provenance/label.ts';
import type { RunEvent, RunEventOf } from '../run/event.ts';
import type { RunCause } from '../run/run-cause.ts';
import { roundsOf, type StoryRound } from './rounds.ts';
import type { KnownTools } from '../gate/tool-facts.ts';
import { eventOf } from '../part/projection.ts';
import type { Actor, StoryContext, StoryStep, Telling } from '../part/story.ts';
import { tellOfParts } from '../parts/derived.ts';
import { tellArchiveEvent } from './tell-archive.ts';
import { actorOf } from './tell-control.ts';
import { tellRunEvent } from './tell-run-event.ts';
import { workMeter } from '../run/work-meter.ts';
import { tellCycleEvent, type CycleSurroundings } from './tell-cycle.ts';

export type Conclusion = Omit<RunEventOf<'RunConcluded'>, 'kind'> & {
  /** From start to end, without waits and standstills. */
  readonly workedMs: number;
};

export interface RunStory {
  readonly runId: string;
  readonly task: { readonly namespace: string; readonly name: string };
  readonly cause: RunCause;
  /** Of the words that it was asked with. Absent: they are people's own. */
  readonly label?: Label;
  readonly intent: string;
  readonly characterDigest: string;
  readonly startedAtMs: number;
  /** Oldest first. */
  readonly steps: readonly StoryStep[];
  /** The writers of its records: more than one means that a restart resumed it. */
  readonly epochs: readonly number[];
  /** Absent while the run is under way. */
  readonly conclusion?: Conclusion;
  readonly isClosed: boolean;
  /** The number of the deciders that admitted it. */
  readonly deciders: number;
  readonly rounds: readonly StoryRound[];
}

/** Takes the records of any runs in their order and tells each; empty for a record without a telling. */
export type Teller = (record: JournalRecord) => readonly StoryStep[];

/** A teller remembers facts that later records omit: the role of a cycle, the tool of a call. */
export function storyTeller(known: KnownTools): Teller {
  const meter = workMeter();
  const context: StoryContext = { roles: new Map(), subtasks: new Map(), tools: new Map(), rules: new Map() };
  return (record) => {
    if (record.store === 'cycle') return [stepOf(record, tellCycle(record, { context, known }))];
    if (record.store === 'archive')
      return tellArchiveEvent(eventOf<ArchiveEvent>(record), shortener(record)).map((it) => stepOf(record, it));
    if (record.store !== 'run') return tellPart(record).map((it) => stepOf(record, it));
    const event = eventOf<RunEvent>(record);
    learnPurpose(event, context, shortener(record));
    const workedMs = meter(record.runId ?? '', event) ?? 0;
    return tellRunSteps(event, { ...context, workedMs }, shortener(record)).map((telling) => stepOf(record, telling));
  };
}

/** @returns undefined when the admission is not among the records, which are of one run and oldest first */
export function tellRun(records: readonly JournalRecord[], known: KnownTools): RunStory | undefined {
  const tell = storyTeller(known);
  const steps = records.flatMap((record) => tell(record));
  const events = records.filter((record) => record.store === 'run').map((record) => eventOf<RunEvent>(record));
  const admitted = events.find((event) => event.kind === 'RunAdmitted');
  if (admitted === undefined) return undefined;
  const meter = workMeter();
  const workedMs = events.map((event) => meter(admitted.spec.runId, event)).find((it) => it !== undefined) ?? 0;
  const concluded = events.find((event) => event.kind === 'RunConcluded');
  const { spec, deciders } = admitted;
  return {
    runId: spec.runId,
    task: spec.task,
    cause: spec.cause,
    ...(spec.label === undefined ? {} : { label: spec.label }),
    intent: spec.intent,
    characterDigest: spec.characterDigest,
    startedAtMs: admitted.atMs,
    steps,
    epochs: [...new Set(records.map((record) => record.epoch))],
    ...(concluded === undefined ? {} : { conclusion: { ...withoutKind(concluded), workedMs } }),
    isClosed: events.some((event) => event.kind === 'RunClosed'),
    deciders,
    rounds: roundsOf(events),
  };
}

function withoutKind(concluded: RunEventOf<'RunConcluded'>): Omit<RunEventOf<'RunConcluded'>, 'kind'> {
  const { kind: _, ...conclusion } = concluded;
  return conclusion;
}

function stepOf(record: JournalRecord, telling: Telling): StoryStep {
  const { store, seq, order, epoch, kind, timeMs } = record;
  const { actor, tone, text, details = [], texts = [], live } = telling;
  const step = { store, seq, order, epoch, kind, atMs: timeMs, actor, tone, text, details, texts };
  return live === undefined ? step : { ...step, live: live === true ? text : live };
}

function tellPart(record: JournalRecord): readonly Telling[] {
  const tell = record.runId === undefined ? undefined : tellOfParts[record.kind];
  return tell === undefined ? [] : [tell(record.payload as Readonly<Record<string, unknown>>, shortener(record))];
}

/** A worker's messages in the executor's place are told as the worker's own. */
function tellRunSteps(
  event: RunEvent,
  { roles, workedMs }: StoryContext & { readonly workedMs: number },
  shortId: (id: string) => string,
): readonly Telling[] {
  const tellings = tellRunEvent(event, shortId, { workedMs });
  if (event.kind !== 'MessageSent') return tellings;
  return tellings.map((telling, at) => {
    const message = event.messages[at];
    const speaker = message?.from === 'Executor' ? message.cycleId : undefined;
    return speaker === undefined ? telling : { ...telling, actor: roles.get(speaker) ?? telling.actor };
  });
}

function learnPurpose(event: RunEvent, { subtasks }: StoryContext, shortId: (id: string) => string): void {
  if (event.kind !== 'CycleRequested' || event.purpose.subtaskId === undefined) return;
  subtasks.set(event.spec.cycleId, shortId(event.purpose.subtaskId));
}

function tellCycle(record: JournalRecord, { context, known }: Pick<CycleSurroundings, 'context' | 'known'>): Telling {
  const event = eventOf<CycleEvent>(record);
  const cycleId = record.cycleId ?? '';
  if (event.kind === 'CycleStarted') context.roles.set(cycleId, actorOf(event.spec.role, event.spec.worker));
  if (event.kind === 'ToolRequested') context.tools.set(event.callId, event.tool);
  if (event.kind === 'GateDecided' && event.callId !== undefined) context.rules.set(event.callId, event.rule);
  const actor: Actor = context.roles.get(cycleId) ?? actorOf('Executor');
  const telling = tellCycleEvent(event, { context, known, actor, shortId: shortener(record) });
  const subtask = context.subtasks.get(cycleId);
  if (telling.live === undefined || subtask === undefined) return telling;
  return { ...telling, live: `${subtask} ${telling.live === true ? telling.text : telling.live}` };
}

/** Shortens ids within a run: the run's id at their beginning says nothing there. */
function shortener({ runId }: JournalRecord): (id: string) => string {
  const prefix = `${runId ?? ''}-`;
  return (id) => (id.startsWith(prefix) ? id.slice(prefix.length) : id);
}
