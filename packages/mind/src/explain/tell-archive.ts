/** Tells what the Archivist was asked of an ended run, and what is remembered of it. */
import { roleName } from '@retainer/contract/api/roles';
import type { ArchiveEvent, ArchiveEventOf } from '../archive/event.ts';
import { firstLine } from './figures.ts';
import type { StoryText, Telling } from '../part/story.ts';
import { costLine } from './tell-gate.ts';

const ACTOR = roleName('Archivist');

/** Most characters of a reason or a sentence in a line. */
const SENTENCE_CHARACTERS = 200;

/** @returns none for an event that says nothing of its own */
export function tellArchiveEvent(event: ArchiveEvent, shortId: (id: string) => string): readonly Telling[] {
  switch (event.kind) {
    case 'ArchiveAsked':
      return [tellAsked(event, shortId)];
    case 'ArchiveAnswered':
      return [tellAnswered(event, shortId)];
    case 'ArchiveConcluded':
      return [tellConcluded(event)];
    case 'ArchiveOpened':
    case 'ArchiveBegun':
    case 'ArchiveCutShort':
    case 'ArchiveWritten':
    case 'ArchiveClosed':
    case 'DecidersChanged':
      return [];
  }
}

const STEPS = { Reflect: 'thinks the run over', Curate: 'puts it into the form' } as const;

function tellAsked(
  { callId, step, request }: ArchiveEventOf<'ArchiveAsked'>,
  shortId: (id: string) => string,
): Telling {
  const texts = request.messages.flatMap(({ content }) =>
    content.flatMap((block): readonly StoryText[] =>
      block.type === 'Text' ? [{ title: 'what the Archivist is asked', text: block.text }] : [],
    ),
  );
  return { actor: ACTOR, tone: 'Quiet', text: `${STEPS[step]} with ${request.model} (${shortId(callId)})`, texts };
}

function tellAnswered(event: ArchiveEventOf<'ArchiveAnswered'>, shortId: (id: string) => string): Telling {
  const { callId, text, reason = 'its answer was lost', faults } = event;
  if (text === undefined) {
    const why = firstLine(reason, SENTENCE_CHARACTERS);
    return { actor: ACTOR, tone: 'Warning', text: `${shortId(callId)} brought no answer: ${why}` };
  }
  const form = faults === undefined ? '' : ', without the form that was asked for';
  const texts = [{ title: 'what the Archivist answers', text }];
  return { actor: ACTOR, tone: 'Quiet', text: `${shortId(callId)} answers${form}`, details: [costLine(event)], texts };
}

function tellConcluded({ reflected, case: made, caseBy }: ArchiveEventOf<'ArchiveConcluded'>): Telling {
  const { status, reason, prose, label, by } = reflected;
  const believed = label.trust === 'Trusted' ? '' : ', not believed: the run had read untrusted text';
  const why = reason === undefined ? [] : [firstLine(reason, SENTENCE_CHARACTERS)];
  const lesson = made === undefined ? 'no case' : `a case of category ${made.category}, by the ${caseBy}`;
  return {
    actor: ACTOR,
    tone: 'Quiet',
    text: `remembers the run (${status}, by ${by}${believed})`,
    details: [...why, firstLine(prose, SENTENCE_CHARACTERS), lesson].filter((it) => it !== ''),
    texts: [{ title: 'what is remembered', text: prose }],
  };
}
