/**
 * Tells one record of a cycle, every decision with its numbers.
 *
 * Source: design 1 (a decision that cannot be reconstructed did not happen properly), 6; platforms 5.
 */
import type { CycleEvent } from '../cycle/event.ts';
import type { UnrunReason } from '../cycle/unrun-reason.ts';
import { fellBackSentence } from '../request/fell-back.ts';
import type { KnownTools } from '../gate/tool-facts.ts';
import {
  argumentText,
  firstLine,
  renderCost,
  renderCount,
  renderDuration,
  renderPlural,
  renderSize,
  renderUsd,
  shortDigest,
} from './figures.ts';
import { tellApproval } from './tell-approval.ts';
import { tellOtherHands } from './tell-control.ts';
import { toldLines } from './tell-memory.ts';
import { tellGateQuestion, tellProbed, tellScored, tellVerdict } from './tell-gate.ts';
import { tellIdle } from './tell-standstill.ts';
import { tellReader } from './tell-reader.ts';
import type { Actor, StoryContext, StoryText, Telling, Tone } from '../part/story.ts';

type Of<K extends CycleEvent['kind']> = Extract<CycleEvent, { kind: K }>;

/** Most characters of an argument or a reply in a line. */
const EXCERPT_CHARACTERS = 100;

export interface CycleSurroundings {
  readonly context: StoryContext;
  /** Role of the cycle that the event belongs to. */
  readonly actor: Actor;
  /** Ids without the run's own prefix. */
  readonly shortId: (id: string) => string;
  readonly known: KnownTools;
}

export function tellCycleEvent(event: CycleEvent, around: CycleSurroundings): Telling {
  const { actor, shortId } = around;
  switch (event.kind) {
    case 'CycleStarted':
      return tellStart(event, actor);
    case 'ModelRequested':
      return tellRequest(event, around);
    case 'ModelAnswered':
      return tellAnswer(event, around);
    case 'ModelFailed':
      return tellFailure(event, around);
    case 'GateDecided':
      return tellVerdict(event, shortId);
    case 'GateProbeRequested':
    case 'GateScoreRequested':
      return tellGateQuestion(event, shortId);
    case 'GateProbed':
      return tellProbed(event);
    case 'GateScored':
      return tellScored(event);
    case 'ReadingRequested':
    case 'TextRead':
      return tellReader(event, shortId);
    case 'Parked':
    case 'Unparked':
    case 'StoodStill':
      return tellIdle(event, actor);
    case 'HistoryMended':
    case 'ModelFellBack':
      return tellOtherwise(event, actor);
    case 'ToolRequested':
      return tellToolRequest(event, around);
    case 'ToolFinished':
      return tellToolResult(event, around);
    case 'CallAnswered':
      return tellUnrun(event, around);
    case 'ApprovalRequested':
    case 'ApprovalDecided':
      return tellApproval(event, around);
    case 'EffectLost':
      return tellLost(event, around);
    case 'TimeExpired':
      return {
        actor,
        tone: 'Warning',
        text:
          event.what === 'Cycle'
            ? 'the time of this cycle is up'
            : `nobody answered ${shortId(event.requestId ?? '')} in time`,
        live: true,
      };
    case 'DecidersChanged':
    case 'CharacterChanged':
    case 'ApprovalWithdrawn':
      return tellOtherHands(event, shortId);
    case 'CycleCancelled':
      return { actor: 'person', tone: 'Warning', text: `cancelled by ${event.by}: ${event.reason}`, live: true };
    case 'Nudged':
      return tellReminder(event, actor);
    case 'LimitReached':
      return {
        actor,
        tone: 'Warning',
        text: `limit reached: ${event.limit} ${renderCount(event.value)} of ${renderCount(event.max)}`,
        live: true,
      };
    case 'CycleEnded':
      return tellEnd(event, actor);
  }
}

const MEND_WORDS: Readonly<Record<Of<'HistoryMended'>['why'], string>> = {
  PromptTooLong: 'the conversation is shortened to what the model takes',
  AnswerTooLong: 'its answers are limited to what the model gives',
  Thoughts: 'thoughts that the server does not take are left out',
  Block: 'the part that the server refused is left out',
};

function tellOtherwise(event: Of<'HistoryMended'> | Of<'ModelFellBack'>, actor: Actor): Telling {
  if (event.kind === 'HistoryMended') return tellMend(event, actor);
  return { actor, tone: 'Warning', text: fellBackSentence(event), live: true };
}

function tellMend({ why, contextTokens, outputTokens, resultCharacters }: Of<'HistoryMended'>, actor: Actor): Telling {
  const limits = [
    ...(contextTokens === undefined ? [] : [`about ${renderCount(contextTokens)} tokens`]),
    ...(outputTokens === undefined ? [] : [`${renderCount(outputTokens)} tokens`]),
    ...(resultCharacters === undefined ? [] : [`each result ${renderCount(resultCharacters)} characters`]),
  ];
  return { actor, tone: 'Warning', text: [MEND_WORDS[why], ...limits].join(', '), live: true };
}

function tellReminder({ why, text }: Of<'Nudged'>, actor: Actor): Telling {
  return {
    actor,
    tone: 'Warning',
    text: `the model is reminded: ${why}`,
    texts: [{ title: 'reminder', text }],
    ...(why === 'TurnsLeft' ? {} : { live: true }),
  };
}

function tellStart(started: Of<'CycleStarted'>, actor: Actor): Telling {
  const { spec, characterDigest } = started;
  const { limits } = spec;
  return {
    actor,
    tone: 'Plain',
    text: `${actor} starts on ${spec.model} (${spec.tier}${spec.autonomous ? ', nobody waits at the other end' : ''})`,
    details: [
      `limits: ${renderPlural(limits.turns, 'turn')}, ${renderPlural(limits.toolCalls, 'tool call')}, ` +
        `${renderCount(limits.tokens)} tokens, ${renderUsd(limits.costUsd)}, ${renderDuration(limits.wallClockMs)}`,
      ...(spec.tightening === undefined
        ? []
        : [`the observer of the gates tightens all thresholds to ${Math.round(spec.tightening * 100)} %`]),
      `tools: ${spec.tools.length === 0 ? 'none' : spec.tools.join(', ')}`,
      ...toldLines(started),
      `character ${shortDigest(characterDigest)}`,
    ],
    texts: [
      ...spec.system.map(({ text }, index) => ({ title: `system prompt ${index + 1}`, text })),
      { title: 'input', text: spec.input },
    ],
  };
}

function tellRequest(event: Of<'ModelRequested'>, { actor, shortId }: CycleSurroundings): Telling {
  const { request, droppedMessages, turn } = event;
  const dropped = droppedMessages === 0 ? '' : `, ${renderPlural(droppedMessages, 'older message')} left out`;
  return {
    actor,
    tone: droppedMessages === 0 ? 'Quiet' : 'Warning',
    text: `turn ${turn}: asks ${request.model} with ${renderPlural(request.messages.length, 'message')}${dropped}`,
    details: [`call ${shortId(event.callId)}, answer up to ${renderCount(request.maxOutputTokens)} tokens`],
  };
}

function tellAnswer(event: Of<'ModelAnswered'>, { actor, shortId }: CycleSurroundings): Telling {
  const { answer, costUsd, structured } = event;
  const { usage } = answer;
  const calls = answer.content.flatMap((block) => (block.type === 'ToolUse' ? [block.name] : []));
  const text = answer.content
    .map((block) => (block.type === 'Text' ? block.text : ''))
    .join('\n')
    .trim();
  const line = `${shortId(event.callId)} ${structured?.ok === true ? 'answers in the structure that was asked for' : answered(calls, text, answer.stop)}`;
  const cached = usage.cacheReadTokens === 0 ? '' : `, ${renderCount(usage.cacheReadTokens)} of the prompt from cache`;
  const tries = answer.attempts === 1 ? '' : `, ${answer.attempts} attempts`;
  return {
    actor,
    tone: structured?.ok === false || answer.stop === 'MaxTokens' || answer.stop === 'Refusal' ? 'Warning' : 'Quiet',
    text: line,
    details: [
      `${answer.model}: ${renderCount(usage.inputTokens)} tokens in, ${renderCount(usage.outputTokens)} out${cached}; ` +
        `${renderDuration(answer.latencyMs)}${tries}; ${renderCost(costUsd ?? 0, costUsd !== undefined)}`,
      ...wrongOf(event),
    ],
    texts: answer.content.flatMap((block): readonly StoryText[] => {
      if (block.type === 'Text') return [{ title: 'answer', text: block.text }];
      if (block.type === 'ToolUse') return [{ title: `call of ${block.name}`, text: argumentText(block.input) }];
      return [];
    }),
    ...liveAnswer(line, event),
  };
}

/** What was wrong with an answer: what was mended of it, and what cannot be. */
function wrongOf({ answer, structured }: Of<'ModelAnswered'>): readonly string[] {
  const mended = (answer.mended ?? []).map((it) => `mended: ${it}`);
  if (structured?.ok !== false) return mended;
  return [...mended, `not the asked-for structure: ${firstLine(structured.faults, 300)}`];
}

/** The next line of the run tells the contents of a structure. */
function liveAnswer(line: string, { answer, structured }: Of<'ModelAnswered'>): Pick<Telling, 'live'> {
  if (structured?.ok === true) return {};
  const { usage, latencyMs } = answer;
  const tokens = `${renderCount(usage.inputTokens)} tokens in, ${renderCount(usage.outputTokens)} out`;
  return { live: `${line}  [${tokens}, ${renderDuration(latencyMs)}]` };
}

function answered(calls: readonly string[], text: string, stop: Of<'ModelAnswered'>['answer']['stop']): string {
  const cut =
    stop === 'MaxTokens' ? ' (cut off at the output limit)' : stop === 'Refusal' ? ' (the model refused)' : '';
  if (calls.length > 0) return `wants ${calls.join(', ')}${cut}`;
  return text === '' ? `gives an empty answer${cut}` : `answers: ${firstLine(text, EXCERPT_CHARACTERS)}${cut}`;
}

function tellLost({ callId, epoch }: Of<'EffectLost'>, { actor, shortId }: CycleSurroundings): Telling {
  return {
    actor,
    tone: 'Warning',
    text: `${shortId(callId)} has no known result: the process of epoch ${epoch} ended before it was recorded`,
    details: ['it was looked up and not found; it is flagged, never repeated'],
    live: true,
  };
}

function tellFailure({ callId, failure }: Of<'ModelFailed'>, { actor, shortId }: CycleSurroundings): Telling {
  return {
    actor,
    tone: 'Bad',
    text: `${shortId(callId)} failed: ${failure.kind}`,
    details: [
      firstLine(failure.message, 300),
      `${renderPlural(failure.attempts, 'attempt')} in ${renderDuration(failure.latencyMs)}`,
    ],
    live: true,
  };
}

/** Another record tells it live. */
const told: ReadonlySet<UnrunReason> = new Set(['Refused', 'Cautioned', 'Denied', 'Answered']);

function tellUnrun(event: Of<'CallAnswered'>, { actor, shortId }: CycleSurroundings): Telling {
  const text = `${shortId(event.callId)} ${event.tool} was not run: ${event.why}`;
  const isTold = told.has(event.why);
  return {
    actor,
    tone: event.why === 'Approved' || event.why === 'Answered' ? 'Good' : 'Warning',
    text,
    details: [firstLine(event.text, 300)],
    texts: [{ title: 'what the model was told', text: event.text }],
    ...(isTold ? {} : { live: `${text}: ${firstLine(event.text, 160)}` }),
  };
}

function tellToolRequest(event: Of<'ToolRequested'>, { actor, shortId }: CycleSurroundings): Telling {
  return {
    actor,
    tone: 'Plain',
    text: `${shortId(event.callId)} runs ${event.tool} ${firstLine(argumentsOf(event.input), EXCERPT_CHARACTERS)}`,
    details: [`effect class ${event.effectClass}, arguments ${shortDigest(event.argumentsDigest)}`],
    texts: [{ title: 'arguments', text: argumentText(event.input) }],
  };
}

function tellToolResult(
  { callId, outcome }: Of<'ToolFinished'>,
  { actor, context, shortId }: CycleSurroundings,
): Telling {
  const tool = context.tools.get(callId) ?? 'tool';
  const exit = outcome.exitCode === undefined ? '' : ` exit ${outcome.exitCode},`;
  const rule = context.rules.get(callId);
  const isOk = outcome.status === 'Ok';
  const line = `${tool} ${shortId(callId)} ${outcome.status}:${exit} ${renderSize(outcome.outputBytes)} of output, ${renderDuration(outcome.durationMs)}`;
  const files = outcome.files.map(
    (file) => `wrote ${file.path} (${renderSize(file.sizeBytes)}, sha256 ${file.sha256.slice(0, 12)})`,
  );
  const kept = outcome.artifactId === undefined ? [] : [`the whole output is artifact ${outcome.artifactId}`];
  return {
    actor,
    tone: isOk ? 'Good' : 'Warning',
    text: line,
    details: [
      ...(isOk ? [] : [lastLine(outcome.text)]),
      ...files,
      ...(outcome.gone ?? []).map((path) => `removed ${path}`),
      ...kept,
      `output sha256 ${outcome.outputSha256.slice(0, 12)}`,
    ],
    texts: [{ title: 'output', text: outcome.text }],
    live: rule === undefined ? line : `${line}  [allowed by ${rule}]`,
  };
}

const endTones = {
  Replied: 'Good',
  Refused: 'Bad',
  Failed: 'Bad',
  Cancelled: 'Warning',
  OutOfBudget: 'Warning',
} as const satisfies Record<Of<'CycleEnded'>['outcome'], Tone>;

function tellEnd(event: Of<'CycleEnded'>, actor: Actor): Telling {
  return {
    actor,
    tone: endTones[event.outcome],
    text: `${actor} ends: ${event.outcome}`,
    details: event.reason === undefined ? [] : [event.reason],
    texts: [{ title: 'reply', text: event.text }],
  };
}

/** Arguments on one line: the values of a small object, or its JSON. */
function argumentsOf(input: unknown): string {
  if (typeof input !== 'object' || input === null) return JSON.stringify(input);
  return Object.entries(input)
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ')
    .replaceAll(/\s+/g, ' ');
}

/** The last line of an error says what is wrong. */
function lastLine(text: string): string {
  return firstLine(text.trimEnd().split('\n').at(-1) ?? '', 200);
}
