/**
 * Sends a long untrusted text to the quarantine reader.
 *
 * I1  There is always an answer. A model's fault or delay makes it unavailable, with a reason that quotes nothing of the model's
 *     reply.
 *
 * Source: reliability-security 4.
 */
import type { CycleEvent } from '@retainer/mind/cycle/event';
import { askedFor, askModel, textOf, type Reply } from './ask-model.ts';
import { questionOptions, type AskOptions, type AskParts } from './gate-asks.ts';

type Of<K extends CycleEvent['kind']> = Extract<CycleEvent, { kind: K }>;
type Answer = Of<'TextRead'>['reading'];

export async function askReader(
  parts: AskParts,
  { askId, request }: Of<'ReadingRequested'>,
  options: AskOptions,
): Promise<Of<'TextRead'>> {
  const startMs = parts.clock.monotonicMs();
  const reply = await askModel(parts, request, askId, questionOptions(options, options.gates.reader?.fallback));
  return {
    kind: 'TextRead',
    atMs: parts.clock.nowMs(),
    askId,
    reading: await readingOf(parts, reply),
    ...askedFor(parts, { ...options, startMs, replies: [reply] }),
  };
}

async function readingOf(parts: AskParts, reply: Reply): Promise<Answer> {
  if (reply.answer === undefined) return { available: false, reason: reply.reason };
  if (reply.answer.stop !== 'EndTurn') return { available: false, reason: `the reader stopped: ${reply.answer.stop}` };
  const parsed = await parts.parseStructured('Reading', textOf(reply) ?? '');
  if (!parsed.ok) return { available: false, reason: "the reader's answer does not have the form that was asked for" };
  return { available: true, reading: parsed.value as Extract<Answer, { available: true }>['reading'] };
}
