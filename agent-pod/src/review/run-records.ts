/**
 * Reads the record of an agent from a data directory or a copy of one. It writes nothing and needs no running agent.
 *
 * Source: design 7 (offline: every audit view works on a copied data directory).
 */
import { join } from 'node:path';
import type { Json } from '@retainer/contract/std/canonical-json';
import type { Clock } from '@retainer/contract/std/clock';
import type { CycleEvent } from '@retainer/mind/cycle/event';
import { ASK_PERSON, questionIn } from '@retainer/mind/gate/person-question';
import { MissingPartError } from '@retainer/journal/open-journal';
import { openJournalReader } from '@retainer/journal/open-reader';
import type { StandingFields } from '@retainer/mind/gate/standing';
import type { JournalReader, JournalRecord } from '@retainer/journal/journal';
import { toldStores } from '@retainer/mind/parts/derived';
import { eventOf } from '@retainer/mind/part/projection';
import { agentStores } from '../loop/stores.ts';
import { systemClock } from '@retainer/contract/std/system-clock';
import type { RunEvent, RunOutcome } from '@retainer/mind/run/event';
import type { WorkMeter } from '@retainer/mind/run/work-meter';

export interface RunSummary {
  readonly runId: string;
  readonly task: string;
  readonly namespace: string;
  /** Absent: a Task asked for it. */
  readonly jobId?: string;
  readonly startedAtMs: number;
  readonly endedAtMs?: number;
  /** Without waits and standstills, as far as the record tells. */
  readonly workedMs?: number;
  /** Absent while the run is under way. */
  readonly outcome?: RunOutcome;
  readonly isClosed: boolean;
}

/** With what stands where the call acts. */
export interface PendingApproval extends StandingFields {
  readonly requestId: string;
  readonly runId: string;
  readonly tool: string;
  readonly input: unknown;
  readonly argumentsDigest: string;
  readonly effectClass: number;
  /** The reason of the rule that asks. */
  readonly reason: string;
  /** The model's own words, when it asked in advance. */
  readonly agentSays?: string;
  readonly expiresAtMs: number;
  /** Equal calls that one answer serves, each once. */
  readonly calls: number;
}

export interface OpenRunQuestion {
  readonly runId: string;
  readonly task: string;
  readonly questionId: string;
  readonly question: string;
  readonly askedAtMs: number;
  /** Absent: the question waits as long as the Task does. */
  readonly expiresAtMs?: number;
}

export function openRecords(dataDirectory: string, clock: Clock = systemClock): Promise<JournalReader> {
  return openJournalRecords(join(dataDirectory, 'journal'), clock);
}

/** @param directory  the journal's */
export function openJournalRecords(directory: string, clock: Clock = systemClock): Promise<JournalReader> {
  return openJournalReader({ directory, stores: agentStores, clock });
}

/** Why the payload of a record cannot be read; undefined: it can. */
export function missingPart(record: JournalRecord): MissingPartError | undefined {
  try {
    void record.payload;
    return undefined;
  } catch (error) {
    if (error instanceof MissingPartError) return error;
    throw error;
  }
}

/** Undefined where a part of it is missing: what is told of other runs does not depend on it. */
export function readablePayload(record: JournalRecord): Json | undefined {
  return missingPart(record) === undefined ? record.payload : undefined;
}

/** The same of a record of a machine. */
export function readableEvent<Event>(record: JournalRecord): Event | undefined {
  const payload = readablePayload(record);
  return payload === undefined ? undefined : eventOf<Event>({ kind: record.kind, payload });
}

/** Every admitted run, oldest first. @param meter  folds each run for `workedMs`; absent: nobody reads that */
export async function listRuns(reader: JournalReader, meter?: WorkMeter): Promise<readonly RunSummary[]> {
  const runs = new Map<string, RunSummary>();
  for await (const record of reader.read('run')) {
    if (record.runId === undefined) continue;
    const summary = summaryAfter(runs.get(record.runId), record, record.runId);
    const event = meter === undefined ? undefined : readableEvent<RunEvent>(record);
    const workedMs = event === undefined ? undefined : meter?.(record.runId, event);
    if (summary !== undefined) runs.set(record.runId, workedMs === undefined ? summary : { ...summary, workedMs });
  }
  return [...runs.values()];
}

function summaryAfter(before: RunSummary | undefined, record: JournalRecord, runId: string): RunSummary | undefined {
  const event = readableEvent<RunEvent>(record);
  if (record.kind === 'RunAdmitted') {
    // Nothing else names a run whose admission cannot be read.
    const { name, namespace } = event?.kind === 'RunAdmitted' ? event.spec.task : { name: runId, namespace: 'unknown' };
    const startedAtMs = startOf(event) ?? record.timeMs;
    return { runId, task: name, namespace, ...jobOf(event), startedAtMs, isClosed: false };
  }
  if (before === undefined || event === undefined) return before;
  if (event.kind === 'RunConcluded') return { ...before, outcome: event.outcome, endedAtMs: event.endedAtMs };
  return event.kind === 'RunClosed' ? { ...before, isClosed: true } : before;
}

function jobOf(event: RunEvent | undefined): Pick<RunSummary, 'jobId'> {
  if (event?.kind !== 'RunAdmitted' || event.spec.cause.kind !== 'Job') return {};
  return { jobId: event.spec.cause.jobId };
}

function startOf(event: RunEvent | undefined): number | undefined {
  return event?.kind === 'RunAdmitted' ? event.atMs : undefined;
}

/** The records of one run, its cycles, its archiving and their consequences, oldest first. */
export async function recordsOfRun(reader: JournalReader, runId: string): Promise<readonly JournalRecord[]> {
  const records: JournalRecord[] = [];
  for await (const record of reader.readAll(['run', 'cycle', 'archive', ...toldStores]))
    if (record.runId === runId) records.push(record);
  return records;
}

export async function pendingApprovals(reader: JournalReader): Promise<readonly PendingApproval[]> {
  const pending = await waitingForPeople(reader);
  return pending.map(({ approval }) => approval).filter(({ tool }) => tool !== ASK_PERSON);
}

interface Waiting {
  readonly approval: PendingApproval;
  readonly cycleId: string | undefined;
  readonly sinceMs: number;
}
type Pending = Map<string, Waiting>;

async function waitingForPeople(reader: JournalReader): Promise<readonly Waiting[]> {
  const pending: Pending = new Map();
  for await (const record of reader.read('cycle')) foldPending(pending, record);
  return [...pending.values()];
}

function foldPending(pending: Pending, record: JournalRecord): void {
  const event = readableEvent<CycleEvent>(record);
  switch (event?.kind) {
    case 'ApprovalRequested': {
      const { kind: _, callId: _call, answeredWith, ...request } = event;
      const asked = answeredWith === undefined ? undefined : pending.get(answeredWith);
      const approval =
        asked === undefined
          ? { ...request, runId: record.runId ?? '', calls: 1 }
          : { ...asked.approval, calls: asked.approval.calls + 1 };
      pending.set(approval.requestId, { approval, cycleId: record.cycleId, sinceMs: record.timeMs });
      return;
    }
    case 'ApprovalDecided':
    case 'TimeExpired':
      if (event.requestId !== undefined) pending.delete(event.requestId);
      return;
    case 'StoodStill':
      for (const [id, it] of pending) if (it.cycleId === record.cycleId) pending.set(id, later(it, event.forMs));
      return;
    case 'CycleEnded':
      for (const [id, { cycleId }] of pending) if (cycleId === record.cycleId) pending.delete(id);
      return;
    default:
  }
}

/** People had no agent that could hear them meanwhile. */
function later({ approval, ...waiting }: Waiting, forMs: number): Waiting {
  return { ...waiting, approval: { ...approval, expiresAtMs: approval.expiresAtMs + forMs } };
}

function putOff(open: Map<string, OpenRunQuestion>, runId: string, forMs: number): void {
  const asked = open.get(runId);
  if (asked?.expiresAtMs !== undefined) open.set(runId, { ...asked, expiresAtMs: asked.expiresAtMs + forMs });
}

/** Questions of open runs, then those of their work; each oldest first. */
export async function openQuestions(reader: JournalReader): Promise<readonly OpenRunQuestion[]> {
  const tasks = new Map<string, string>();
  const open = new Map<string, OpenRunQuestion>();
  for await (const record of reader.read('run')) {
    const { runId = '', timeMs } = record;
    const event = readableEvent<RunEvent>(record);
    if (event?.kind === 'RunAdmitted') tasks.set(runId, event.spec.task.name);
    if (event?.kind === 'QuestionAsked') {
      const { kind: _, ...question } = event;
      open.set(runId, { runId, task: tasks.get(runId) ?? '', ...question, askedAtMs: timeMs });
    }
    if (event?.kind === 'StoodStill') putOff(open, runId, event.forMs);
    if (event !== undefined && settled.has(event.kind)) open.delete(runId);
  }
  const inWork = (await waitingForPeople(reader)).filter(({ approval }) => approval.tool === ASK_PERSON);
  return [
    ...open.values(),
    ...inWork.map(({ approval: { runId, requestId, input, expiresAtMs }, sinceMs }) => ({
      runId,
      task: tasks.get(runId) ?? '',
      questionId: requestId,
      question: questionIn(input),
      askedAtMs: sinceMs,
      expiresAtMs,
    })),
  ];
}

/** After these events a run asks nothing more. */
const settled: ReadonlySet<RunEvent['kind']> = new Set(['QuestionAnswered', 'QuestionExpired', 'RunConcluded']);
