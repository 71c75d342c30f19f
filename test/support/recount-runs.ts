/** What runs have come to, recounted from their own records: what a run is at, how long it waited, what it used. */
import { significantWords } from '@retainer/mind/meaning/significant-words';
import type { RunEvent, RunEventOf } from '@retainer/mind/run/event';
import { fieldsOf, textIn, type Past } from './past.ts';

export interface Waiting {
  /** Time of its newest event, milliseconds since 1970. */
  readonly updatedAtMs: number;
  readonly waitedMs: number;
  readonly isWaiting: boolean;
  /** Of the present wait. */
  readonly sinceMs: number;
  /** When its open question was asked. */
  readonly askedAtMs?: number;
}

/** Walks a run once: for whom it waits, and how long it has. */
export function waitingOf(events: readonly RunEvent[]): Waiting {
  const waits = new Map<string, number>();
  let [updatedAtMs, waitedMs, sinceMs] = [0, 0, 0];
  let question: { readonly id: string; readonly askedAtMs: number } | undefined;
  const end = (id: string): void => {
    if (!waits.delete(id) || waits.size > 0) return;
    waitedMs += updatedAtMs - sinceMs;
  };
  const begin = (id: string): void => {
    if (waits.size === 0) sinceMs = updatedAtMs;
    waits.set(id, updatedAtMs);
  };
  for (const event of events) {
    if ('atMs' in event) updatedAtMs = Math.max(updatedAtMs, event.atMs);
    if (event.kind === 'StoodStill') [waitedMs, sinceMs] = [waitedMs + event.forMs, sinceMs + event.forMs];
    if (event.kind === 'QuestionAsked') {
      begin(event.questionId);
      question = { id: event.questionId, askedAtMs: updatedAtMs };
    }
    if (event.kind === 'WaitBegan') begin(event.cycleId);
    if (event.kind === 'QuestionAnswered' || event.kind === 'QuestionExpired') {
      end(event.questionId);
      question = undefined;
    }
    if (event.kind === 'WaitEnded' || event.kind === 'CycleAbandoned' || event.kind === 'CycleConcluded')
      end(event.cycleId);
  }
  const asked = question === undefined ? {} : { askedAtMs: question.askedAtMs };
  return { updatedAtMs, waitedMs, isWaiting: waits.size > 0, sinceMs, ...asked };
}

type Concluded = RunEventOf<'CycleConcluded'>;

const isRun = ({ status }: Concluded['calls'][number]): boolean => status !== 'Unrun';
const isFailed = ({ status }: Concluded['calls'][number]): boolean => status !== 'Unrun' && status !== 'Ok';

export const tokensIn = (usage: Concluded['usage']): number =>
  usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, number) => all + number, 0);
}

/** What the cycles of a run used that it has heard of. */
export function usedBy(past: Past, runId: string): Readonly<Record<'tokens' | 'costUsd' | 'toolCalls', number>> {
  const ends = past.ofRuns('CycleConcluded', runId);
  return {
    tokens: sum(ends.map(({ usage }) => tokensIn(usage))),
    costUsd: sum(ends.map(({ costUsd }) => costUsd)),
    toolCalls: ends.flatMap(({ calls }) => calls).filter(isRun).length,
  };
}

/** The number of the newest round, 0 before the first. */
export function roundOf(past: Past, runId: string): number {
  const messages = past.ofRuns('MessageSent', runId).flatMap((it) => it.messages);
  return Math.max(0, ...messages.map(({ round }) => round));
}

export function statusOf(past: Past, runId: string, { isWaiting }: Waiting): string {
  const messages = past.ofRuns('MessageSent', runId).flatMap((it) => it.messages);
  const isOver = messages.some(({ type }) => type === 'FinalResult' || type === 'TaskAbort');
  if (isOver || past.ofRuns('RunConcluded', runId).length > 0) return 'ending';
  return isWaiting ? 'waits for a person' : 'working';
}

export function progressOf(past: Past, runId: string): string {
  const round = roundOf(past, runId);
  const messages = past.ofRuns('MessageSent', runId).flatMap((it) => it.messages.filter((one) => one.round === round));
  const isDone = (one: (typeof messages)[number]): boolean =>
    one.type === 'SubTaskOutcome' && one.payload.status === 'Matched';
  return `${messages.filter(isDone).length}/${messages.filter(({ type }) => type === 'SubTask').length}`;
}

/** A run that has ended, from the store `run`; the narrative says only that it is remembered, and what it was about. */
export interface EndedRun {
  readonly runId: string;
  readonly task: string;
  readonly outcome: string;
  readonly isReached: boolean;
  readonly isFailure: boolean;
  readonly tokens: number;
  readonly endedAtMs: number;
  readonly words: ReadonlySet<string>;
  readonly domain: string;
  /** By tool, in the order of first use: whether one of its calls failed. */
  readonly tools: ReadonlyMap<string, boolean>;
}

/** Oldest first: the newest 50 that nobody had forgotten. */
export function endedRuns(past: Past): readonly EndedRun[] {
  const forgotten = past.of('narrative', 'RunAmended').filter((it) => fieldsOf(it)['as'] === 'Forgotten');
  const remembered = past.of('narrative', 'RunRemembered');
  // A run that leaves the newest fifty never comes back, even if one of them is forgotten later.
  let newest: readonly { readonly runId: string; readonly order: number }[] = [];
  for (const { runId = '', kind, order } of [...remembered, ...forgotten].toSorted((a, b) => a.order - b.order))
    newest =
      kind === 'RunRemembered' ? [...newest, { runId, order }].slice(-50) : newest.filter((it) => it.runId !== runId);
  return newest.map(({ runId, order }) => endedRun(past, runId, order));
}

function endedRun(past: Past, runId: string, order: number): EndedRun {
  // What a cycle that was given up reports after the entry is written, the entry does not have.
  const events = past.records.filter((it) => it.runId === runId && it.store === 'run' && it.order < order);
  const payloads = events.map(({ kind, payload }) => ({ kind, ...(payload as object) }) as RunEvent);
  const admitted = payloads.find((it) => it.kind === 'RunAdmitted');
  const outcome = payloads.find((it) => it.kind === 'RunConcluded')?.outcome ?? 'Failed';
  const ends = payloads.filter((it) => it.kind === 'CycleConcluded');
  const isReached = outcome === 'Accepted' || outcome === 'Succeeded';
  const ran = ends.flatMap(({ calls }) => calls).filter(isRun);
  const tools = new Map(ran.map(({ tool }) => [tool, ran.some((it) => it.tool === tool && isFailed(it))] as const));
  return {
    runId,
    task: admitted?.spec.task.name ?? '',
    outcome,
    isReached,
    isFailure: !isReached && outcome !== 'Cancelled',
    tokens: sum(ends.map(({ usage }) => tokensIn(usage))),
    endedAtMs: waitingOf(payloads).updatedAtMs,
    words: wordsOf(admitted?.spec.intent ?? ''),
    domain: domainOf(past, runId),
    tools,
  };
}

export const wordsOf = (intent: string): ReadonlySet<string> => new Set(significantWords(intent).slice(0, 16));

/** As it was thought of last, else as code found it. */
function domainOf(past: Past, runId: string): string {
  const of = (kind: string) =>
    past
      .of('narrative', kind)
      .filter((it) => it.runId === runId)
      .map(fieldsOf);
  const thought = of('RunReflected')
    .map((it) => textIn(it, 'domain'))
    .findLast((it) => it !== '');
  const telemetry = of('RunRemembered')[0]?.['telemetry'] as
    | { readonly labels: { readonly domain: string } }
    | undefined;
  return thought ?? telemetry?.labels.domain ?? '';
}
