/** Tells the records of one run, in the order in which they came to be. Source: design 1, 6. */
import type { CycleEvent } from '../cycle/event.ts';
import type { JournalRecord } from '../journal/journal.ts';
import type { RunEvent, RunEventOf } from '../run/event.ts';
import { firstLine, renderCount, renderDuration, renderPlural, renderSize } from './figures.ts';
import { roundsOf, type StoryRound } from './rounds.ts';
import type { Actor, StoryContext, StoryStep, Telling, Tone } from './story.ts';
import { actors, errandText, tellMessage, tellRecall, tellSteering } from './tell-control.ts';
import { tellCycleEvent } from './tell-cycle.ts';

/** A told run. */
export interface RunStory {
  readonly runId: string;
  readonly task: { readonly namespace: string; readonly name: string };
  readonly intent: string;
  readonly characterDigest: string;
  readonly startedAtMs: number;
  /** Oldest first. */
  readonly steps: readonly StoryStep[];
  /** Writers that worked on it: more than one means that a restart took it up. */
  readonly epochs: readonly number[];
  /** Absent while the run is under way. */
  readonly conclusion?: Omit<RunEventOf<'RunConcluded'>, 'kind'>;
  readonly isClosed: boolean;
  /** How each round was steered. */
  readonly rounds: readonly StoryRound[];
}

/** Takes the records of any runs in their order and tells each; undefined for one that has nothing to tell. */
export type Teller = (record: JournalRecord) => StoryStep | undefined;

/** A teller remembers what later records leave unsaid: the role of a cycle, the tool of a call. */
export function storyTeller(): Teller {
  const context: StoryContext = { roles: new Map(), subtasks: new Map(), tools: new Map(), rules: new Map() };
  return (record) => {
    const event = eventOf(record);
    if (record.store === 'cycle') return stepOf(record, tellCycle(record, event as CycleEvent, context));
    if (record.store !== 'run') return undefined;
    learnErrand(event as RunEvent, context, shortener(record));
    return stepOf(record, tellRunEvent(event as RunEvent, shortener(record)));
  };
}

/**
 * Tells one run.
 *
 * @param records  of the stores `run` and `cycle`, of this run only, oldest first
 * @returns        undefined when the run's admission is not among them
 */
export function tellRun(records: readonly JournalRecord[]): RunStory | undefined {
  const tell = storyTeller();
  const steps = records.flatMap((record) => tell(record) ?? []);
  const events = records.filter((record) => record.store === 'run').map((record) => eventOf(record) as RunEvent);
  const admitted = events.find((event) => event.kind === 'RunAdmitted');
  if (admitted === undefined) return undefined;
  const concluded = events.find((event) => event.kind === 'RunConcluded');
  const { spec } = admitted;
  return {
    runId: spec.runId,
    task: spec.task,
    intent: spec.intent,
    characterDigest: spec.characterDigest,
    startedAtMs: admitted.atMs,
    steps,
    epochs: [...new Set(records.map((record) => record.epoch))],
    ...(concluded === undefined ? {} : { conclusion: withoutKind(concluded) }),
    isClosed: events.some((event) => event.kind === 'RunClosed'),
    rounds: roundsOf(events),
  };
}

function withoutKind(concluded: RunEventOf<'RunConcluded'>): Omit<RunEventOf<'RunConcluded'>, 'kind'> {
  const { kind: _, ...conclusion } = concluded;
  return conclusion;
}

function eventOf(record: JournalRecord): { readonly kind: string } {
  return { kind: record.kind, ...(record.payload as object) };
}

function stepOf(record: JournalRecord, telling: Telling): StoryStep {
  const { store, seq, order, epoch, kind, timeMs } = record;
  const { actor, tone, text, details = [], texts = [], live } = telling;
  const step = { store, seq, order, epoch, kind, atMs: timeMs, actor, tone, text, details, texts };
  return live === undefined ? step : { ...step, live: live === true ? text : live };
}

function learnErrand(event: RunEvent, { subtasks }: StoryContext, shortId: (id: string) => string): void {
  if (event.kind !== 'CycleRequested' || event.errand.subtaskId === undefined) return;
  subtasks.set(event.spec.cycleId, shortId(event.errand.subtaskId));
}

function tellCycle(record: JournalRecord, event: CycleEvent, context: StoryContext): Telling {
  const cycleId = record.cycleId ?? '';
  if (event.kind === 'CycleStarted') context.roles.set(cycleId, actors[event.spec.role]);
  if (event.kind === 'ToolRequested') context.tools.set(event.callId, event.tool);
  if (event.kind === 'GateDecided' && event.callId !== undefined) context.rules.set(event.callId, event.rule);
  const actor: Actor = context.roles.get(cycleId) ?? 'executor';
  const telling = tellCycleEvent(event, { context, actor, shortId: shortener(record) });
  const subtask = context.subtasks.get(cycleId);
  if (telling.live === undefined || subtask === undefined) return telling;
  return { ...telling, live: `${subtask} ${telling.live === true ? telling.text : telling.live}` };
}

/** Ids begin with their run's: within the run that says nothing. */
function shortener({ runId }: JournalRecord): (id: string) => string {
  const prefix = `${runId ?? ''}-`;
  return (id) => (id.startsWith(prefix) ? id.slice(prefix.length) : id);
}

const outcomeTones = {
  Accepted: 'Good',
  Succeeded: 'Good',
  Abandoned: 'Warning',
  Refused: 'Bad',
  Cancelled: 'Warning',
  Failed: 'Bad',
} as const satisfies Record<RunEventOf<'RunConcluded'>['outcome'], Tone>;

function tellRunEvent(event: RunEvent, shortId: (id: string) => string): Telling {
  const actor = 'run';
  switch (event.kind) {
    case 'RunAdmitted':
      return tellAdmission(event);
    case 'MessageSent':
      return tellMessage(event.message, shortId);
    case 'MessageReceived':
      return { actor, tone: 'Quiet', text: `message ${shortId(event.messageId)} has come to its role` };
    case 'MessageDropped':
      return { actor, tone: 'Warning', text: `message ${shortId(event.messageId)} came too late: ${event.reason}` };
    case 'WaitBegan':
      return { actor, tone: 'Quiet', text: `its clock stands still: ${shortId(event.cycleId)} waits for a person` };
    case 'WaitEnded':
      return { actor, tone: 'Quiet', text: `its clock goes on: ${shortId(event.cycleId)} waits no longer` };
    case 'Remembered':
      return { actor: 'memory', tone: 'Quiet', text: `what ${shortId(event.messageId)} taught is written` };
    case 'MemoryRecalled':
      return tellRecall(event);
    case 'QuestionAsked':
      return tellQuestion(event, shortId);
    case 'QuestionAnswered':
      return { actor: 'person', tone: 'Plain', text: `${event.by} answers: ${firstLine(event.text, 160)}`, live: true };
    case 'QuestionExpired':
      return { actor: 'person', tone: 'Warning', text: 'nobody answered the question in time', live: true };
    case 'RoundSteered':
      return tellSteering(event);
    case 'CycleRequested':
      return {
        actor,
        tone: 'Quiet',
        text: `calls the ${actors[event.errand.role]}${errandText(event.errand, shortId)}`,
        details: [`cycle ${event.spec.cycleId}`],
      };
    case 'CycleConcluded':
      return tellCycleConclusion(event, shortId);
    case 'CycleAbandoned':
      return { actor, tone: 'Warning', text: `gives up cycle ${shortId(event.cycleId)}: ${event.reason}`, live: true };
    case 'RunCancelled':
      return { actor: 'person', tone: 'Warning', text: `${event.by} cancels the run: ${event.reason}`, live: true };
    case 'DeadlinePassed':
      return { actor, tone: 'Warning', text: 'the deadline has passed', live: true };
    case 'RetryScheduled':
      return {
        actor: actors[event.errand.role],
        tone: 'Warning',
        text: `failed (${event.failureClass}) and is asked again after a pause: ${firstLine(event.reason, 160)}`,
        live: true,
      };
    case 'RetryDue':
      return { actor, tone: 'Quiet', text: `the pause after ${shortId(event.cycleId)} is over` };
    case 'EndsOverdue':
      return { actor, tone: 'Warning', text: 'what its given up cycles have used is not known' };
    case 'VerdictsJudged':
      return tellVerdicts(event, shortId);
    case 'RunConcluded':
      return tellConclusion(event);
    case 'DeliveryRequested':
      return {
        actor,
        tone: 'Quiet',
        text: `reply goes to ${event.channel} of ${event.target}`,
        details: [`delivery ${event.deliveryId}`],
      };
    case 'Delivered':
      return { actor, tone: 'Quiet', text: `reply ${shortId(event.deliveryId)} was delivered` };
    case 'ArchiveRequested':
      return { actor, tone: 'Quiet', text: 'the narrative gets its entry' };
    case 'Archived':
      return { actor, tone: 'Quiet', text: 'the narrative has its entry' };
    case 'RunClosed':
      return { actor, tone: 'Quiet', text: `closed: ${event.outcome}` };
  }
}

function tellAdmission({ spec, atMs }: RunEventOf<'RunAdmitted'>): Telling {
  const deadline =
    spec.deadlineMs === undefined ? [] : [`deadline ${renderDuration(Math.max(0, spec.deadlineMs - atMs))} from then`];
  return {
    actor: 'run',
    tone: 'Plain',
    text: `admitted Task ${spec.task.name}: ${firstLine(spec.intent, 120)}`,
    details: [
      ...deadline,
      ...spec.criteria.map(
        (it, index) => `criterion ${index + 1} (${it.mode}${it.required ? '' : ', optional'}): ${it.text}`,
      ),
    ],
    texts: [{ title: 'intent', text: spec.intent }],
    live: true,
  };
}

function tellQuestion(event: RunEventOf<'QuestionAsked'>, shortId: (id: string) => string): Telling {
  const text = `asks: ${firstLine(event.question, 160)}`;
  const how = `answer with: retainer answer ${event.questionId.slice(0, -shortId(event.questionId).length - 1)} "TEXT"`;
  return { actor: 'perceiver', tone: 'Warning', text, details: [how], live: `${text}  (${how})` };
}

function tellCycleConclusion(event: RunEventOf<'CycleConcluded'>, shortId: (id: string) => string): Telling {
  const { usage } = event;
  const tokens = usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  return {
    actor: 'run',
    tone: 'Quiet',
    text: `cycle ${shortId(event.cycleId)} came back: ${event.outcome}`,
    details: [
      `${renderPlural(event.modelCalls, 'model call')}, ${renderPlural(event.calls.length, 'tool call')}, ${renderCount(tokens)} tokens`,
      ...(event.reason === undefined ? [] : [event.reason]),
      ...event.rejections.map((it) => `refused by ${it.rule}: ${it.reason}`),
    ],
    texts: [{ title: 'reply', text: event.text }],
  };
}

function tellVerdicts(event: RunEventOf<'VerdictsJudged'>, shortId: (id: string) => string): Telling {
  const { verdicts, corrections, subtaskId, attempt } = event;
  const met = verdicts.filter((it) => it.verdict === 'Met').length;
  const unmet = verdicts.filter((it) => it.verdict !== 'Met').map((it) => it.index);
  const open = unmet.length === 0 || met === 0 ? '' : `, not met: ${unmet.join(', ')}`;
  const about =
    subtaskId === undefined ? 'the whole' : `${shortId(subtaskId)}${(attempt ?? 1) > 1 ? ` again (${attempt})` : ''}`;
  return {
    actor: subtaskId === undefined ? 'meta-validator' : 'validator',
    tone: met === verdicts.length ? 'Good' : 'Warning',
    text: `judges ${about}: ${met} of ${renderPlural(verdicts.length, 'criterion').replace('criterions', 'criteria')} met${open}`,
    details: [
      ...verdicts.map(
        (it) =>
          `${it.index}. ${it.verdict}${it.failureClass === undefined ? '' : ` (${it.failureClass})`}: ${it.reason}${evidenceText(it.evidence, shortId)}`,
      ),
      ...corrections.map((it) => `corrected: ${it}`),
    ],
    live: true,
  };
}

function evidenceText(evidence: readonly string[], shortId: (id: string) => string): string {
  return evidence.length === 0 ? '' : ` [evidence: ${evidence.map(shortId).join(', ')}]`;
}

function tellConclusion(event: RunEventOf<'RunConcluded'>): Telling {
  return {
    actor: 'run',
    tone: outcomeTones[event.outcome],
    text: `${event.outcome} after ${renderDuration(event.endedAtMs - event.startedAtMs)}`,
    details: [
      ...event.reasons,
      ...event.unmet.map((it) => `unmet: ${it}`),
      ...event.files.map((file) => `file ${file.path} (${renderSize(file.sizeBytes)})`),
    ],
    texts: [{ title: 'summary', text: event.summary }],
    live: true,
  };
}
