/** Tells which part of a long untrusted text went to the quarantine reader, and its answer. */
import type { CycleEvent } from '../cycle/event.ts';
import { firstLine, renderCount, renderPlural } from './figures.ts';
import type { Telling } from '../part/story.ts';
import { costLine } from './tell-gate.ts';

type Of<K extends CycleEvent['kind']> = Extract<CycleEvent, { kind: K }>;

/** Most characters of a fault or a field in a line. */
const SENTENCE_CHARACTERS = 200;

export function tellReader(event: Of<'ReadingRequested' | 'TextRead'>, shortId: (id: string) => string): Telling {
  return event.kind === 'TextRead' ? tellReading(event, shortId) : tellRequest(event, shortId);
}

function tellRequest(event: Of<'ReadingRequested'>, shortId: (id: string) => string): Telling {
  const { askId, callId, request, tokens } = event;
  return {
    actor: 'gate',
    tone: 'Quiet',
    text: `has what ${shortId(callId)} brought read by ${request.model}: it is long and not believed`,
    details: [`${shortId(askId)}, up to ${renderCount(tokens)} tokens`],
    texts: request.messages.flatMap(({ content }) =>
      content.flatMap((block) =>
        block.type === 'Text' ? [{ title: 'what the reader is asked', text: block.text }] : [],
      ),
    ),
  };
}

function tellReading(event: Of<'TextRead'>, shortId: (id: string) => string): Telling {
  const { reading: answer, askId } = event;
  if (!answer.available) {
    const text = `${shortId(askId)} brought no reading: ${firstLine(answer.reason, SENTENCE_CHARACTERS)}`;
    return { actor: 'gate', tone: 'Warning', text, details: [costLine(event)], live: true };
  }
  const { kind, subject, fields, holdsInstructions } = answer.reading;
  const warning = holdsInstructions ? '; it tells its reader what to do' : '';
  return {
    actor: 'gate',
    tone: holdsInstructions ? 'Warning' : 'Quiet',
    text: `the reader takes ${renderPlural(fields.length, 'field')} from it (${kind})${warning}`,
    details: [
      firstLine(subject, SENTENCE_CHARACTERS),
      ...fields.map(({ name, type, value }) => firstLine(`${name}: ${value} (${type})`, SENTENCE_CHARACTERS)),
      costLine(event),
    ],
    ...(holdsInstructions ? { live: true } : {}),
  };
}
