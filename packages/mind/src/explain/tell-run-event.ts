/** Tells one record of a run in a line, with its details. Source: design 1, 6. */
import { utcMinute } from '@retainer/contract/std/utc-date';
import { sourceWords } from '../gate/provenance/label.ts';
import type { RunEvent, RunEventOf } from '../run/event.ts';
import { type RunOrigin } from '../run/run-cause.ts';
import { firstLine, renderCount, renderDuration, renderPlural, renderSize } from './figures.ts';
import type { Telling, Tone } from '../part/story.ts';
import { actorOf, purposeText, tellMessage, tellCharacterChange, tellSteering, tellTakeover } from './tell-control.ts';
import { tellRecall } from './tell-memory.ts';
import { parkedText, tellStoodStill } from './tell-standstill.ts';

interface Around {
  /** How long the run has worked, at its end. */
  readonly workedMs: number;
}

/** @param shortId  removes the ids' common beginning. @returns one telling per message of a `MessageSent`, else one */
export function tellRunEvent(event: RunEvent, shortId: (id: string) => string, around: Around): readonly Telling[] {
  if (event.kind === 'RunConcluded') return [tellConclusion(event, around)];
  if (event.kind === 'MessageSent') return event.messages.map((message) => tellMessage(message, shortId));
  const tell = tellers[event.kind] as (event: RunEvent, shortId: (id: string) => string) => Telling;
  return [tell(event, shortId)];
}

type Tell<K extends RunEvent['kind']> = (event: RunEventOf<K>, shortId: (id: string) => string) => Telling;

const WORK_WORDS = {
  Simple: 'the work is simple',
  Complex: 'the work is not simple',
  Repeated: 'an attempt failed before',
  Circled: 'an attempt before went round',
} as const;

function workDetails({ spec: { model, tier }, purpose: { work } }: RunEventOf<'CycleRequested'>): readonly string[] {
  return work === undefined ? [] : [`${model} (${tier}) works, because ${WORK_WORDS[work]}`];
}

const tellers: { readonly [K in Exclude<RunEvent['kind'], 'MessageSent' | 'RunConcluded'>]: Tell<K> } = {
  RunAdmitted: tellAdmission,
  DecidersChanged: tellTakeover,
  CharacterChanged: tellCharacterChange,
  MessageReceived: (event, shortId) => ({
    actor: 'run',
    tone: 'Quiet',
    text: `message ${shortId(event.messageId)} has come to its role`,
  }),
  MessageDropped: (event, shortId) => ({
    actor: 'run',
    tone: 'Warning',
    text: `message ${shortId(event.messageId)} came too late: ${event.reason}`,
  }),
  ApprovalsAsked: ({ cycleId, requests, refusals }, shortId) => ({
    actor: 'run',
    tone: refusals === 0 ? 'Quiet' : 'Warning',
    text: `${shortId(cycleId)} has asked people ${renderPlural(requests, 'time')}, refused ${renderCount(refusals)}`,
  }),
  WaitBegan: (event, shortId) => ({
    actor: 'run',
    tone: 'Quiet',
    text: `its clock stands still: ${shortId(event.cycleId)} waits for a person`,
  }),
  WaitEnded: (event, shortId) => ({
    actor: 'run',
    tone: 'Quiet',
    text: `its clock goes on: ${shortId(event.cycleId)} waits no longer`,
  }),
  RunParked: (event, shortId) => ({
    actor: 'run',
    tone: 'Quiet',
    text: `its clock stands still: ${shortId(event.cycleId)} waits for its model`,
    details: [parkedText(event)],
  }),
  RunUnparked: (event, shortId) => ({
    actor: 'run',
    tone: 'Quiet',
    text: `its clock goes on: ${shortId(event.cycleId)} waits no longer for its model`,
  }),
  StoodStill: tellStoodStill,
  Remembered: (event, shortId) => ({
    actor: 'memory',
    tone: 'Quiet',
    text: `what ${shortId(event.messageId)} taught is written`,
  }),
  MemoryRecalled: tellRecall,
  QuestionAsked: tellQuestion,
  QuestionAnswered: (event) => ({
    actor: 'person',
    tone: 'Plain',
    text: `${event.by} answers: ${firstLine(event.text, 160)}`,
    live: true,
  }),
  QuestionExpired: () => ({
    actor: 'person',
    tone: 'Warning',
    text: 'nobody answered the question in time',
    live: true,
  }),
  RoundSteered: tellSteering,
  CycleRequested: (event, shortId) => ({
    actor: 'run',
    tone: 'Quiet',
    text: `calls the ${actorOf(event.purpose.role, event.spec.worker)}${purposeText(event.purpose, shortId)}`,
    details: [`cycle ${event.spec.cycleId}`, ...workDetails(event)],
  }),
  CycleConcluded: tellCycleConclusion,
  CycleAbandoned: (event, shortId) => ({
    actor: 'run',
    tone: 'Warning',
    text: `gives up cycle ${shortId(event.cycleId)}: ${event.reason}`,
    live: true,
  }),
  RunCancelled: (event) => ({
    actor: 'person',
    tone: 'Warning',
    text: `${event.by} cancels the run: ${event.reason}`,
    live: true,
  }),
  DeadlinePassed: () => ({ actor: 'run', tone: 'Warning', text: 'the deadline has passed', live: true }),
  ReportOverdue: () => ({
    actor: 'run',
    tone: 'Warning',
    text: 'the report on the run did not come in time',
    live: true,
  }),
  RetryScheduled: (event) => ({
    actor: actorOf(event.purpose.role),
    tone: 'Warning',
    text: `failed (${event.failureClass}) and is asked again after a pause: ${firstLine(event.reason, 160)}`,
    live: true,
  }),
  RetryDue: (event, shortId) => ({
    actor: 'run',
    tone: 'Quiet',
    text: `the pause after ${shortId(event.cycleId)} is over`,
  }),
  EndsOverdue: () => ({ actor: 'run', tone: 'Warning', text: 'the usage of its abandoned cycles is unknown' }),
  VerdictsJudged: tellVerdicts,
  DeliveryRequested: (event) => ({
    actor: 'run',
    tone: 'Quiet',
    text: `reply goes to ${event.channel} of ${event.target}`,
    details: [`delivery ${event.deliveryId}`],
  }),
  Delivered: (event, shortId) => ({
    actor: 'run',
    tone: 'Quiet',
    text: `reply ${shortId(event.deliveryId)} was delivered`,
  }),
  ArchiveRequested: ({ undelivered }) => ({
    actor: 'run',
    tone: 'Quiet',
    text: `${undelivered === undefined ? '' : 'nothing is new since the last result, so no reply is sent; '}the narrative gets its entry`,
  }),
  Archived: () => ({ actor: 'run', tone: 'Quiet', text: 'the narrative has its entry' }),
  RunClosed: (event) => ({ actor: 'run', tone: 'Quiet', text: `closed: ${event.outcome}` }),
};

const outcomeTones = {
  Accepted: 'Good',
  Succeeded: 'Good',
  Abandoned: 'Warning',
  Refused: 'Bad',
  Cancelled: 'Warning',
  Failed: 'Bad',
} as const satisfies Record<RunEventOf<'RunConcluded'>['outcome'], Tone>;

function tellAdmission({ spec, atMs }: RunEventOf<'RunAdmitted'>): Telling {
  const deadline =
    spec.deadlineMs === undefined ? [] : [`deadline ${renderDuration(Math.max(0, spec.deadlineMs - atMs))} from then`];
  return {
    actor: 'run',
    tone: 'Plain',
    text: `admitted ${causeWords(spec)}: ${firstLine(spec.intent, 120)}`,
    details: [
      ...originDetails(spec),
      ...deadline,
      ...(spec.overrideSpent === undefined
        ? []
        : [`its override of ${spec.overrideSpent.rule} is spent: run ${spec.overrideSpent.runId} had it`]),
      ...spec.criteria.map(
        (it, index) => `criterion ${index + 1} (${it.mode}${it.required ? '' : ', optional'}): ${it.text}`,
      ),
    ],
    texts: [{ title: 'intent', text: spec.intent }],
    live: true,
  };
}

function causeWords({ cause, task }: RunEventOf<'RunAdmitted'>['spec']): string {
  if (cause.kind === 'Task') return `Task ${task.name}`;
  return cause.kind === 'Job' ? `for the job ${cause.jobId}` : `by the letter ${cause.letterId}`;
}

function originDetails({ cause, label }: RunOrigin): readonly string[] {
  const asked = label?.trust === 'Untrusted' ? [`asked with untrusted words, of ${sourceWords(label.source)}`] : [];
  if (cause.kind === 'Task') return asked;
  if (cause.kind === 'Mail') return [`letter ${cause.letterId}, of ${cause.from}`, ...asked];
  const maker = cause.maker === 'Person' ? 'a person' : 'the agent itself';
  return [`job ${cause.jobId}, made by ${maker}, for ${utcMinute(cause.momentMs)}`, ...asked];
}

function tellQuestion(event: RunEventOf<'QuestionAsked'>, shortId: (id: string) => string): Telling {
  const text = `asks: ${firstLine(event.question, 160)}`;
  const how = `answer with: retainer answer ${event.questionId.slice(0, -shortId(event.questionId).length - 1)} "TEXT"`;
  return { actor: actorOf('Perceiver'), tone: 'Warning', text, details: [how], live: `${text}  (${how})` };
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
  const { verdicts, corrections, subtaskId, attempt, derivations = [], unsupported = [], selfConsistency } = event;
  const met = verdicts.filter((it) => it.verdict === 'Met').length;
  const unmet = verdicts.filter((it) => it.verdict !== 'Met').map((it) => it.index);
  const open = unmet.length === 0 || met === 0 ? '' : `, not met: ${unmet.join(', ')}`;
  const about =
    subtaskId === undefined ? 'the whole' : `${shortId(subtaskId)}${(attempt ?? 1) > 1 ? ` again (${attempt})` : ''}`;
  return {
    actor: actorOf(subtaskId === undefined ? 'MetaValidator' : 'AgentValidator'),
    tone: met === verdicts.length ? 'Good' : 'Warning',
    text: `judges ${about}: ${met} of ${renderPlural(verdicts.length, 'criterion', 'criteria')} met${open}${sameText(selfConsistency)}`,
    details: [
      ...verdicts.map(
        (it) =>
          `${it.index}. ${it.verdict}${it.failureClass === undefined ? '' : ` (${it.failureClass})`}: ${it.reason}${basisText(it)}${evidenceText(it.evidence, shortId)}`,
      ),
      ...corrections.map((it) => `corrected: ${it}`),
      ...derivations.map((it) => `computed: ${it}`),
      ...unsupported.map((it) => `unsupported: ${it}`),
    ],
    live: true,
  };
}

/** Where the results differ, the verdicts say which they are. */
function sameText(compared: RunEventOf<'VerdictsJudged'>['selfConsistency']): string {
  return compared?.agrees === true ? `; worked out twice, with the same result as attempt ${compared.attempt}` : '';
}

/** What a met criterion rests on; nothing of others. */
function basisText({ basis, untrusted }: RunEventOf<'VerdictsJudged'>['verdicts'][number]): string {
  return basis === undefined ? '' : ` (${basis}${untrusted === true ? ', on untrusted data' : ''})`;
}

function evidenceText(evidence: readonly string[], shortId: (id: string) => string): string {
  return evidence.length === 0 ? '' : ` [evidence: ${evidence.map(shortId).join(', ')}]`;
}

function tellConclusion(event: RunEventOf<'RunConcluded'>, { workedMs }: Around): Telling {
  return {
    actor: 'run',
    tone: outcomeTones[event.outcome],
    text: `${event.outcome} after ${renderDuration(workedMs)} of work`,
    details: [
      ...event.reasons,
      ...event.unmet.map((it) => `unmet: ${it}`),
      ...(event.unsupported ?? []).map((it) => `unsupported: ${it}`),
      ...event.files.map((file) => `file ${file.path} (${renderSize(file.sizeBytes)})`),
    ],
    texts: [{ title: 'summary', text: event.summary }],
    live: true,
  };
}
