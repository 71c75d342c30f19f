/** Tells the messages between the roles of a run, and the steering of each round. Source: artoo A.2, A.9. */
import { roleName, roleRow, type RoleName } from '@retainer/contract/api/roles';
import type { BusMessage, BusMessageOf, BusPayload } from '@retainer/contract/wire/bus/envelope';
import type { BusMessageType } from '@retainer/contract/wire/bus/roles';
import type { CharacterChanged } from '../cycle/character-change.ts';
import type { CycleEvent } from '../cycle/event.ts';
import type { CyclePurpose, RunEventOf } from '../run/event.ts';
import { firstLine, renderPlural, renderSigned, renderTwoDigits, shortDigest } from './figures.ts';
import type { Actor, Telling } from '../part/story.ts';

/** @param worker  who works instead of the role, if anybody does */
export function actorOf(role: RoleName, worker?: string): Actor {
  return worker === undefined ? (roleRow(role).called ?? roleName(role)) : roleName(worker);
}

/** Most characters of a quoted text in a line. */
const EXCERPT_CHARACTERS = 120;

export function purposeText({ subtaskId, attempt, round }: CyclePurpose, shortId: (id: string) => string): string {
  const about = subtaskId === undefined ? (round > 0 ? ` for round ${round}` : '') : ` for ${shortId(subtaskId)}`;
  return `${about}${(attempt ?? 1) > 1 ? `, attempt ${attempt}` : ''}`;
}

type CharacterChange = Pick<CharacterChanged, 'from' | 'to'> & { readonly parts: readonly string[] };

type Said = Pick<Telling, 'text'> & Partial<Telling>;

/** In the record of a run and of a cycle. */
type CycleEventOf<K extends CycleEvent['kind']> = Extract<CycleEvent, { kind: K }>;
type OtherHands = CycleEventOf<'DecidersChanged' | 'CharacterChanged' | 'ApprovalWithdrawn'>;

/** In a cycle: somebody else decides from now on, and what that ends. */
export function tellOtherHands(event: OtherHands, shortId: (id: string) => string): Telling {
  switch (event.kind) {
    case 'DecidersChanged':
      return tellTakeover(event);
    case 'CharacterChanged':
      return tellCharacterChange(event);
    case 'ApprovalWithdrawn':
      return {
        actor: 'gate',
        tone: 'Warning',
        text: `${shortId(event.requestId)} is withdrawn: ${event.reason}`,
        live: true,
      };
  }
}

/** The verdicts after it are those of the new character. */
export function tellCharacterChange({ from, to, parts }: CharacterChange): Telling {
  const what = parts.length === 0 ? 'what differs is not in the record' : `in ${parts.join(', ')}`;
  return {
    actor: 'agent',
    tone: 'Warning',
    text: `goes on under another character: ${shortDigest(from)} became ${shortDigest(to)}, ${what}`,
    live: true,
  };
}

export function tellTakeover({ deciders }: { readonly deciders: number }): Telling {
  const text = `another version of the program goes on from here: its deciders are number ${deciders}`;
  return { actor: 'run', tone: 'Warning', text, live: true };
}

/** Messages with a line of their own; a message of any other type is told by its type. */
export function tellMessage(message: BusMessage, shortId: (id: string) => string): Telling {
  const said = tellPayload(message, shortId);
  const { id, type, to, round } = message;
  return {
    actor: actorOf(message.from),
    tone: 'Quiet',
    ...said,
    details: [
      `message ${shortId(id)} ${type} to ${to}${round === 0 ? '' : `, round ${round}`}`,
      ...(said.details ?? []),
    ],
  };
}

type Tellers = { readonly [T in BusMessageType]?: (message: BusMessageOf<T>, shortId: (id: string) => string) => Said };

const tellFailure = ({ payload }: { readonly payload: BusPayload<'PlanFailure'> }): Said => ({
  tone: 'Bad',
  text: `failed (${payload.failureClass}): ${payload.reason}`,
  live: true,
});

const forWorker = (worker: string | undefined): string =>
  worker === undefined ? '' : ` for the ${actorOf('Executor', worker)}`;

const criteriaText = (count: number): string => renderPlural(count, 'criterion', 'criteria');

/** Messages that tell people more than their type. */
const tellers: Tellers = {
  TaskSpec: ({ payload: { intent, shape, assumptions } }) => ({
    text: `understands: ${firstLine(intent, EXCERPT_CHARACTERS)} (${shape === 'SingleStep' ? 'one step' : 'to be planned'})`,
    details: assumptions.map((it) => `assumed, ${it}`),
    live: true,
  }),
  DispatchManifest: ({ round, payload: { subtaskIds, criteria } }) => ({
    text: `round ${round}: ${renderPlural(subtaskIds.length, 'subtask')}, ${criteriaText(criteria.length)} for the whole`,
    ...(subtaskIds.length > 1 || round > 1 ? { live: true } : {}),
  }),
  SubTask: ({ payload: { subtaskId, sequence, intent, criteria, worker } }, shortId) => ({
    text: `${shortId(subtaskId)}, step ${sequence}${forWorker(worker)}: ${firstLine(intent, EXCERPT_CHARACTERS)}`,
    details: criteria.map((it, index) => `criterion ${index + 1}: ${it.text}`),
  }),
  SubTaskDispatch: ({ payload: { subtaskId, intent, worker } }, shortId) => ({
    text: `starts ${shortId(subtaskId)}${forWorker(worker)}: ${firstLine(intent, EXCERPT_CHARACTERS)}`,
    live: true,
  }),
  CorrectionSignal: ({ payload }, shortId) => {
    const { subtaskId, attempt, whatWasWrong, failureClass, failedCriterion, whatToDo, selfConsistency } = payload;
    const why = firstLine(whatWasWrong, EXCERPT_CHARACTERS);
    if (selfConsistency === 'Blind')
      return { text: `${shortId(subtaskId)} is worked out again, blind, attempt ${attempt}: ${why}`, live: true };
    return {
      tone: 'Warning',
      text: `corrects ${shortId(subtaskId)}, attempt ${attempt}: ${why}`,
      details: [`unmet (${failureClass}): ${failedCriterion}`, `to do: ${firstLine(whatToDo, 300)}`],
      live: true,
    };
  },
  SubTaskOutcome: ({ payload: { subtaskId, status, failureReason, started } }, shortId) => {
    const reason = failureReason?.replace(/^not started: /, '');
    const why = reason === undefined ? '' : `: ${firstLine(reason, EXCERPT_CHARACTERS)}`;
    const became = status === 'Matched' ? 'is done' : started ? 'failed' : 'is not started';
    return {
      tone: status === 'Matched' ? 'Good' : 'Warning',
      text: `${shortId(subtaskId)} ${became}${why}`,
      // Its verdicts have already said that it is done.
      ...(status === 'Matched' ? {} : { live: true }),
    };
  },
  ReplanRequest: ({ payload }) => ({
    tone: 'Warning',
    text: `the round fell short: ${firstLine(payload.gapSummary, EXCERPT_CHARACTERS)}`,
    details: [`recommends: ${payload.recommendation}`],
  }),
  PlanFailure: tellFailure,
  PerceptionFailure: tellFailure,
  ReportRequest: () => ({ text: 'asks the planner for a report on the run that is given up' }),
  AbandonReport: ({ payload: { done, missing, nextMoves } }) => ({
    text: missing.length === 0 ? 'reports nothing that the record proves' : 'reports on the run that is given up',
    details: [
      ...done.map((it) => `done: ${it}`),
      ...missing.map((it) => `missing: ${it}`),
      ...nextMoves.map((it) => `next: ${it}`),
    ],
  }),
  FinalResult: ({ payload: { directive, cause, summary } }) => ({
    text: `ends the run: ${directive}${cause === undefined ? '' : ` (${cause})`}`,
    details: [firstLine(summary, 300)],
  }),
};

function tellPayload(message: BusMessage, shortId: (id: string) => string): Said {
  const tell = tellers[message.type] as ((message: BusMessage, shortId: (id: string) => string) => Said) | undefined;
  return tell?.(message, shortId) ?? { text: `${message.type} to ${message.to}` };
}

/** The round as a table: the measures, the cell, and the directive. */
export function tellSteering({ round, explanation, rationale }: RunEventOf<'RoundSteered'>): Telling {
  const { occasion, loss, gradL, gradQ, cell, byTable, override, directive, blocked, trend, worsening } = explanation;
  const blockedText = [
    ...blocked.tools.map((it) => `tool ${it}`),
    ...blocked.targets.map((it) => `target ${it}`),
    ...(blocked.pairs ?? []).map((it) => `${it.tool} on ${it.target}`),
  ];
  const figures = `D ${renderTwoDigits(loss.d)}  P ${renderTwoDigits(loss.p)}  Ω ${renderTwoDigits(loss.omega)}  L ${renderTwoDigits(loss.l)}  ∇L ${renderSigned(gradL)}`;
  const text = `${round === 0 ? occasion : `round ${round}`}: ${figures}  → ${directive}`;
  const why = [
    ...(override === undefined ? [] : [`overridden by ${override}`]),
    ...(blockedText.length === 0 ? [] : [`blocked: ${blockedText.map((it) => firstLine(it, 200)).join('; ')}`]),
  ];
  return {
    actor: 'steerer',
    tone: directive === 'Accept' || directive === 'Success' ? 'Good' : 'Warning',
    text,
    details: [
      `${occasion}; quality Q ${renderTwoDigits(loss.q)}, ∇Q ${renderSigned(gradQ)}; ${trend}${worsening === 0 ? '' : `, worse ${renderPlural(worsening, 'round')} in a row`}; ` +
        (cell === undefined ? 'no cell of the table' : `cell ${cell} of 24 says ${byTable}`),
      ...why,
      ...(explanation.parts ?? []).map((it) => `${it.directive}: ${firstLine(it.why, 400)}`),
      rationale,
    ],
    live: why.length === 0 ? text : `${text}  (${why.join('; ')})`,
  };
}
