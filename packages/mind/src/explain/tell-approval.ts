/** Tells what a cycle asks of people, and what they say: approvals of calls, and answers to questions of who works. */
import { printable } from '@retainer/contract/std/printable';
import type { KnownBy } from '../part/known-by.ts';
import type { CycleEvent } from '../cycle/event.ts';
import { ASK_PERSON, questionIn } from '../gate/person-question.ts';
import { renderEffect } from '../gate/render-effect.ts';
import type { KnownTools } from '../gate/tool-facts.ts';
import { argumentText, firstLine, shortDigest } from './figures.ts';
import type { Actor, Telling } from '../part/story.ts';

type Requested = Extract<CycleEvent, { kind: 'ApprovalRequested' }>;
type Decided = Extract<CycleEvent, { kind: 'ApprovalDecided' }>;

interface Around {
  readonly actor: Actor;
  readonly shortId: (id: string) => string;
  readonly known: KnownTools;
}

/** Most characters of a question in a line. */
const QUESTION_CHARACTERS = 160;

export function tellApproval(event: Requested | Decided, around: Around): Telling {
  if (event.kind === 'ApprovalDecided') return tellDecided(event, around.shortId);
  return event.tool === ASK_PERSON ? tellQuestion(event, around) : tellRequested(event, around);
}

function tellRequested(event: Requested, { shortId, known }: Around): Telling {
  return {
    actor: 'person',
    tone: 'Warning',
    text:
      event.answeredWith === undefined
        ? `waits for a person: ${event.tool} ${renderEffect(known.factsOf(event.tool), event.input, event).line}`
        : `${shortId(event.callId)} is the same call: the answer to ${shortId(event.answeredWith)} covers it, too`,
    details: [
      event.reason,
      ...(event.agentSays === undefined ? [] : [`the agent says: ${JSON.stringify(printable(event.agentSays))}`]),
      `effect class ${event.effectClass}, arguments ${shortDigest(event.argumentsDigest)}`,
      ...(event.answeredWith === undefined ? [`answer with: retainer approve ${event.requestId}`] : []),
    ],
    texts: [{ title: 'arguments', text: argumentText(event.input) }],
    live: true,
  };
}

function tellQuestion(event: Requested, { actor, shortId }: Around): Telling {
  const question = questionIn(event.input);
  const text = `asks: ${firstLine(question, QUESTION_CHARACTERS)}`;
  const run = event.requestId.slice(0, -shortId(event.requestId).length - 1);
  const how = `answer with: retainer answer ${run} "TEXT"`;
  return {
    actor,
    tone: 'Warning',
    text,
    details: [event.reason, how],
    texts: [{ title: 'question', text: question }],
    live: `${text}  (${how})`,
  };
}

function tellDecided(
  { decision, by, reason, requestId, argumentsDigest, knownBy }: Decided,
  shortId: Around['shortId'],
): Telling {
  if (decision === 'Answer') {
    const text = `${by} answers: ${firstLine(reason, QUESTION_CHARACTERS)}`;
    return { actor: 'person', tone: 'Good', text, texts: [{ title: 'answer', text: reason }], live: true };
  }
  return {
    actor: 'person',
    tone: decision === 'Approve' ? 'Good' : 'Warning',
    text: `${by} ${decision === 'Approve' ? 'approved' : 'denied'} ${shortId(requestId)}: ${reason}`,
    details: [
      `for arguments ${shortDigest(argumentsDigest)} and no others`,
      ...(knownBy === undefined ? [] : [`${by} is ${knownSentence(knownBy)}`]),
    ],
    live: true,
  };
}

function knownSentence({ how, uid }: KnownBy): string {
  const user = uid === undefined ? '' : `, uid ${uid}`;
  switch (how) {
    case 'OsUser':
      return `known from the operating system${user}`;
    case 'Manifest':
      return 'a name in the manifest of the Task';
    case 'PodsExec':
      return 'a name that somebody with the right pods/exec gave';
    case 'Mail':
      return 'the authenticated sender of a letter';
  }
}
