/**
 * The runtime's own questions to models: those of the gates and of the quarantine reader.
 *
 * I1  There is always an answer. A reader's fault or delay makes it unavailable, with a reason that quotes nothing of the model's
 *     reply.
 *
 * Source: reliability-security 4.
 */
import type { CycleEvent } from '@retainer/mind/cycle/event';
import { askedFor, askModel, textOf, type Reply } from './ask-model.ts';
import { askProbes, askScore, questionOptions, type AskOptions, type AskParts } from './gate-asks.ts';

/** The intent; the answer is recorded under the same `askId`. */
export type Question = Extract<CycleEvent, { kind: 'GateProbeRequested' | 'GateScoreRequested' | 'ReadingRequested' }>;
type Answer = Extract<CycleEvent, { kind: 'GateProbed' | 'GateScored' | 'TextRead' }>;

const kinds: ReadonlySet<CycleEvent['kind']> = new Set<Question['kind']>([
  'GateProbeRequested',
  'GateScoreRequested',
  'ReadingRequested',
]);

export function isQuestion(event: CycleEvent): event is Question {
  return kinds.has(event.kind);
}

export function answerTo(event: Question, parts: AskParts, options: AskOptions): Promise<Answer> {
  switch (event.kind) {
    case 'GateProbeRequested':
      return askProbes(parts, event, options);
    case 'GateScoreRequested':
      return askScore(parts, event, options);
    case 'ReadingRequested':
      return askReader(parts, event, options);
  }
}

type Of<K extends CycleEvent['kind']> = Extract<CycleEvent, { kind: K }>;
type Reading = Of<'TextRead'>['reading'];

/** Sends a long untrusted text to the quarantine reader. */
async function askReader(
  parts: AskParts,
  { askId, request }: Of<'ReadingRequested'>,
  options: AskOptions,
): Promise<Of<'TextRead'>> {
  const startMs = parts.clock.monotonicMs();
  const reply = await askModel(parts, request, askId, questionOptions(options, options.gates.reader.fallback));
  return {
    kind: 'TextRead',
    atMs: parts.clock.nowMs(),
    askId,
    reading: await readingOf(parts, reply),
    ...askedFor(parts, { ...options, startMs, replies: [reply] }),
  };
}

async function readingOf(parts: AskParts, reply: Reply): Promise<Reading> {
  if (reply.answer === undefined) return { available: false, reason: reply.reason };
  if (reply.answer.stop !== 'EndTurn') return { available: false, reason: `the reader stopped: ${reply.answer.stop}` };
  const parsed = await parts.parseStructured('Reading', textOf(reply) ?? '', '');
  if (!parsed.ok) return { available: false, reason: "the reader's answer does not have the form that was asked for" };
  return { available: true, reading: parsed.value };
}
