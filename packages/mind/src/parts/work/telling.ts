/** How `explain` tells the records of work, and what the agent is told of them as events. Words of records are details, never titles. */
import { fieldOf, listIn, textIn, type Tell } from '../../part/part.ts';
import type { Telling } from '../../part/story.ts';
import { APPROVAL_KINDS } from './approvals.ts';
import type { WorkKind } from './kinds.ts';

type Payload = Readonly<Record<string, unknown>>;
type Happened = (payload: Payload) => { readonly name: string; readonly title: string } | undefined;

const numberIn = (value: unknown): string => (typeof value === 'number' ? String(value) : '');

/** @param texts  members whose words are shown on request */
function told(
  text: (payload: Payload) => string,
  texts: readonly string[] = [],
  tone: Telling['tone'] = 'Plain',
): Tell {
  return (payload) => ({
    actor: 'work',
    tone: isNotifying(payload) ? 'Warning' : tone,
    text: text(payload),
    details: [...texts.flatMap((name) => detail(name, payload[name])), ...tellsPeople(payload)],
    ...(isNotifying(payload) ? { live: true as const } : {}),
  });
}

const detail = (name: string, value: unknown): readonly string[] =>
  textIn(value) === '' ? [] : [`${name}: ${textIn(value)}`];

const isNotifying = ({ tells }: Payload): boolean => listIn(tells).length > 0;

function tellsPeople({ tells }: Payload): readonly string[] {
  const kinds = APPROVAL_KINDS.filter((kind) => listIn(tells).includes(kind));
  return kinds.length === 0 ? [] : [`the endeavour wants people to know: ${kinds.join(', ')}`];
}

const item = (what: string) => (payload: Payload) => `work item ${textIn(payload['itemId'])} ${what}`;
const endeavour = (what: string) => (payload: Payload) => `endeavour ${textIn(payload['endeavourId'])} ${what}`;

/** By kind. A counted cycle is told with the cycle itself. */
export const workTellers: Readonly<Partial<Record<WorkKind, Tell>>> = {
  ItemCreated: told(item('is planned'), ['title', 'description']),
  ItemActivated: told(item('is worked on')),
  StepCompleted: told(
    (it) => `work item ${textIn(it['itemId'])}: step ${numberIn(it['step'])} is complete`,
    ['note'],
    'Good',
  ),
  ItemEnded: told((it) => `work item ${textIn(it['itemId'])} is ${textIn(it['status'])}`, ['reason'], 'Warning'),
  ItemEdited: told(item('is changed'), ['title', 'description']),
  StepAdded: told(item('has one more step'), ['description']),
  StepRemoved: told((it) => `work item ${textIn(it['itemId'])}: step ${numberIn(it['step'])} is removed`),
  RiskFlagged: told(
    (it) => `work item ${textIn(it['itemId'])}: a risk ${it['hasMaterialised'] === true ? 'came true' : 'is flagged'}`,
    ['risk'],
    'Warning',
  ),
  ItemDeleted: told(item('is deleted'), ['reason', 'by']),
  PreMortemAdded: told(item('was thought about: what can go wrong'), [], 'Quiet'),
  EndeavourCreated: told(endeavour('is planned'), ['title', 'goal']),
  EndeavourEdited: told(endeavour('is changed'), ['status', 'reason', 'title', 'goal']),
  PhaseAdded: told(
    (it) => `endeavour ${textIn(it['endeavourId'])} has one more phase, ${textIn(fieldOf(it['phase'], 'phaseId'))}`,
  ),
  PhaseAdvanced: told(
    (it) => `endeavour ${textIn(it['endeavourId'])}: phase ${textIn(it['phaseId'])} is ${textIn(it['to'])}`,
    ['reason'],
  ),
  SessionScheduled: told(
    (it) =>
      `endeavour ${textIn(it['endeavourId'])}: session ${textIn(fieldOf(it['session'], 'sessionId'))} is scheduled`,
  ),
  SessionCancelled: told(
    (it) => `endeavour ${textIn(it['endeavourId'])}: session ${textIn(it['sessionId'])} is cancelled`,
    ['reason'],
  ),
  SessionEnded: told(
    (it) => `endeavour ${textIn(it['endeavourId'])}: session ${textIn(it['sessionId'])} is ${textIn(it['status'])}`,
    ['outcome'],
  ),
  BlockerReported: told(
    (it) => `endeavour ${textIn(it['endeavourId'])} has a blocker, ${textIn(fieldOf(it['blocker'], 'blockerId'))}`,
    [],
    'Warning',
  ),
  BlockerResolved: told(
    (it) => `endeavour ${textIn(it['endeavourId'])}: blocker ${textIn(it['blockerId'])} is resolved`,
    ['resolution'],
    'Good',
  ),
  EndeavourDeleted: told(endeavour('is deleted'), ['reason', 'by']),
  ForecastScored: told(
    (it) =>
      `${textIn(it['subject']).toLowerCase()} ${textIn(it['id'])} is forecast at ${Number(it['score']).toFixed(2)}`,
    [],
    'Quiet',
  ),
  PostMortemAdded: told(
    (it) =>
      `${textIn(it['subject']).toLowerCase()} ${textIn(it['id'])}: ${textIn(fieldOf(it['postMortem'], 'verdict'))}`,
    ['title'],
  ),
};

const isTrusted = (payload: Payload): boolean => fieldOf(payload['label'], 'trust') === 'Trusted';

/** Ids of ours, verdicts and kinds; a title only where its label is trusted. */
export const workEvents: Readonly<Partial<Record<WorkKind, Happened>>> = {
  PostMortemAdded: (payload) => {
    const { id, title } = payload;
    const name = isTrusted(payload) ? `${textIn(id)} ${JSON.stringify(textIn(title))}` : textIn(id);
    return { name: 'post_mortem', title: `${name}: ${textIn(fieldOf(payload['postMortem'], 'verdict'))}` };
  },
  ForecastScored: ({ suggests, id, score }) =>
    suggests === true
      ? { name: 'forecast', title: `${textIn(id)} is forecast at ${Number(score).toFixed(2)}: plan it anew` }
      : undefined,
  BlockerReported: ({ endeavourId, blocker }) =>
    fieldOf(blocker, 'requiresHuman') === true
      ? { name: 'blocker', title: `${textIn(endeavourId)} needs a person to go on` }
      : undefined,
  PhaseAdvanced: notified,
  PhaseAdded: notified,
  SessionScheduled: notified,
  EndeavourEdited: notified,
};

function notified(payload: Payload): ReturnType<Happened> {
  const kinds = APPROVAL_KINDS.filter((kind) => listIn(payload['tells']).includes(kind));
  if (kinds.length === 0) return undefined;
  return { name: 'endeavour', title: `${textIn(payload['endeavourId'])} was changed: ${kinds.join(', ')}` };
}
