/** Tools that show work and what is forecast of it. */
import { utcMinute } from '@retainer/contract/std/utc-date';
import { err, ok } from '@retainer/contract/std/result';
import type { PostMortem, PreMortem } from '@retainer/mind/parts/work/appraisal';
import { openBlockers, type Endeavour, type Phase } from '@retainer/mind/parts/work/endeavour';
import type { Scored } from '@retainer/mind/parts/work/forecast';
import { endeavourForecast, isScored, itemForecast, thresholdOf } from '@retainer/mind/parts/work/forecasts-due';
import { complexityOf, stepsDone, type WorkItem } from '@retainer/mind/parts/work/item';
import { anyEndeavour, anyItem, one } from '@retainer/mind/parts/work/operation';
import { itemsOf, type Work } from '@retainer/mind/parts/work/work-state';
import { nameOf } from '@retainer/mind/parts/work/work-lines';
import { z } from 'zod';
import type { ToolContext, ToolDescriptor } from '../../tools/tool.ts';
import { sessionLines } from './session-tools.ts';
import { changing, EndeavourId, ItemId, telling, type Told } from './work-tool.ts';

/** Items of one list: a longer one is read by its endeavour. */
const ROWS_MAX = 50;

const getEndeavourDetail = telling({
  name: 'get_endeavour_detail',
  description:
    'Shows one endeavour or one work item with all its words. Without an id: the list of all open endeavours and items.',
  input: z.strictObject({
    endeavourId: EndeavourId.optional().describe('Id of an endeavour.'),
    itemId: ItemId.optional().describe('Id of a work item.'),
  }),
  target: 'endeavourId',
  tell: ({ endeavourId, itemId }, context) => {
    const { work } = context.parts.known();
    if (itemId !== undefined) {
      const found = anyItem(work, itemId);
      return found.ok ? { text: itemText(found.value), shows: [found.value.label] } : fault(found.error);
    }
    if (endeavourId === undefined) return { text: listText(work), shows: [] };
    const found = anyEndeavour(work, endeavourId);
    if (!found.ok) return fault(found.error);
    return { text: endeavourText(found.value, work, context), shows: [found.value.label] };
  },
});

const fault = (text: string): Told => ({ isError: true, text, shows: [] });

/** A title of untrusted text stands in no list: who wants it asks for the item. */
function listText(work: Work): string {
  const endeavours = [...work.endeavours.values()].map((it) => `- ${nameOf(it.endeavourId, it)}: ${it.status}`);
  const items = [...work.items.values()].map(itemRow);
  const more = items.length - ROWS_MAX;
  return [
    `endeavours: ${endeavours.length}`,
    ...endeavours,
    `items: ${items.length}`,
    ...items.slice(0, ROWS_MAX),
    ...(more > 0 ? [`and ${more} more: ask for their endeavours`] : []),
  ].join('\n');
}

function itemRow(item: WorkItem): string {
  const due = item.deadlineMs === undefined ? '' : `, due ${utcMinute(item.deadlineMs)}`;
  const of = item.endeavourId === undefined ? '' : `, of ${item.endeavourId}`;
  return `- ${nameOf(item.itemId, item)}: ${item.status}, ${stepsDone(item)} of ${item.steps.length} steps${of}${due}`;
}

const line = (name: string, value: string | undefined): readonly string[] =>
  value === undefined || value === '' ? [] : [`${name}: ${value}`];
const rows = (name: string, all: readonly string[]): readonly string[] =>
  all.length === 0 ? [] : [`${name}:`, ...all.map((it) => `- ${it}`)];

function itemText(item: WorkItem): string {
  const { itemId, title, description, status, reason, dependsOn, endeavourId, phaseId, deadlineMs, cycles } = item;
  return [
    `${itemId} ${title}`,
    `status: ${status}`,
    ...line('reason', reason),
    ...line('endeavour', endeavourId),
    ...line('phase', phaseId),
    `complexity: ${complexityOf(item)}`,
    ...line('due', deadlineMs === undefined ? undefined : utcMinute(deadlineMs)),
    ...line('waits for', dependsOn.join(', ')),
    `worked on: ${cycles} cycles`,
    `description: ${description}`,
    'steps:',
    ...item.steps.map(({ number, description: what, verification, completedAtMs }) => {
      const shown = verification === undefined ? '' : ` (shown by: ${verification})`;
      return `${number}. [${completedAtMs === undefined ? ' ' : 'x'}] ${what}${shown}`;
    }),
    ...rows(
      'risks',
      item.risks.map(({ risk, hasMaterialised }) => `${risk}${hasMaterialised ? ' (came true)' : ''}`),
    ),
    ...preMortemText(item.preMortem),
    ...postMortemText(item.postMortem),
  ].join('\n');
}

function preMortemText(it: PreMortem | undefined): readonly string[] {
  if (it === undefined) return [];
  return [
    ...rows('what can go wrong', it.failureModes),
    ...rows('assumptions that nobody checked', it.blindSpotAssumptions),
    ...rows('dependencies at risk', it.dependenciesAtRisk),
    ...rows('what is not known', it.informationGaps),
  ];
}

function postMortemText(it: PostMortem | undefined): readonly string[] {
  if (it === undefined) return [];
  return [
    `verdict: ${it.verdict}`,
    ...rows('lessons', it.lessonsLearned),
    ...rows('because of', it.contributingFactors),
  ];
}

function endeavourText(endeavour: Endeavour, work: Work, context: Pick<ToolContext, 'parts'>): string {
  const { endeavourId, title, status, reason, goal, description, deadlineMs, successCriteria, approvals } = endeavour;
  const items = itemsOf(work, endeavourId).map(itemRow);
  return [
    `${endeavourId} ${title}`,
    `status: ${status}`,
    ...line('reason', reason),
    `goal: ${goal}`,
    `description: ${description}`,
    ...line('due', deadlineMs === undefined ? undefined : utcMinute(deadlineMs)),
    ...rows('success criteria', successCriteria),
    ...rows('phases', endeavour.phases.map(phaseRow)),
    ...(items.length === 0 ? [] : ['items:', ...items.slice(0, ROWS_MAX)]),
    ...rows('sessions', sessionLines(endeavour, context)),
    ...rows(
      'what sessions are for',
      endeavour.sessions.filter((it) => it.status === 'Scheduled').map((it) => `${it.sessionId} ${it.focus}`),
    ),
    ...rows(
      'blockers',
      openBlockers(endeavour).map(
        (it) => `${it.blockerId} ${it.description} (${it.requiresHuman ? 'needs a person; ' : ''}${it.strategy})`,
      ),
    ),
    ...rows(
      'people',
      endeavour.stakeholders.map((it) => `${it.name}, ${it.role}, by ${it.channel}`),
    ),
    `approvals: ${Object.entries(approvals)
      .map(([kind, mode]) => `${kind} ${mode}`)
      .join(', ')}`,
    `changes of the plan: ${endeavour.replanCount}; used: ${endeavour.cycles} cycles, ${endeavour.tokens} tokens`,
    ...postMortemText(endeavour.postMortem),
  ].join('\n');
}

function phaseRow(phase: Phase): string {
  const waits = phase.dependsOn.length === 0 ? '' : `, waits for ${phase.dependsOn.join(', ')}`;
  const why = phase.reason === undefined ? '' : ` (${phase.reason})`;
  const held = `${phase.actualSessions} of ${phase.estimatedSessions} sessions`;
  return `${phase.phaseId} ${phase.name}: ${phase.status}${why}, ${held}${waits}`;
}

/** The id of either kind. */
const SubjectId = z.string().min(1).max(80).describe('Id of a work item or an endeavour, as w-1a2b3c or e-1a2b3c.');

type Subject = { readonly subject: 'Item' | 'Endeavour'; readonly now: Scored; readonly threshold: number };

function forecastNow(
  work: Work,
  id: string,
  { replanThreshold }: { readonly replanThreshold: number },
): { ok: true; value: Subject } | { ok: false; error: string } {
  const item = work.items.get(id);
  const threshold = (endeavourId: string | undefined): number => thresholdOf(work, endeavourId, replanThreshold);
  if (item !== undefined) {
    if (!isScored.item(item))
      return err(`id: ${id} is ${item.status} after ${item.cycles} cycles; it is scored from 2 on.`);
    return ok({ subject: 'Item', now: itemForecast(item, work), threshold: threshold(item.endeavourId) });
  }
  const endeavour = work.endeavours.get(id);
  if (endeavour === undefined) return err(`id: there is no open item or endeavour ${JSON.stringify(id)}; name one.`);
  if (!isScored.endeavour(endeavour))
    return err(`id: ${id} is ${endeavour.status}; it is scored once its first phase begins.`);
  return ok({ subject: 'Endeavour', now: endeavourForecast(endeavour), threshold: threshold(id) });
}

/** Numbers of ours alone. */
function forecastText(id: string, { now, threshold }: Subject): string {
  const verdict = now.score >= threshold ? 'plan it anew' : 'go on';
  return [
    `${id}: score ${now.score.toFixed(4)}, threshold ${threshold}: ${verdict}`,
    ...now.breakdown.map(
      (it) => `- ${it.feature} ${it.magnitude} of 3 (${it.weightedScore.toFixed(4)}): ${it.rationale}`,
    ),
  ].join('\n');
}

const requestForecastReview = changing({
  name: 'request_forecast_review',
  description: 'Scores an open item or endeavour now and records the score, with what it follows from.',
  input: z.strictObject({ id: SubjectId }),
  arguments: { id: 'Target' },
  target: 'id',
  verb: { verb: 'scores the health of', object: 'id' },
  make: ({ id }, { making, replanThreshold }) => {
    const found = forecastNow(making.work, id, { replanThreshold });
    if (!found.ok) return found;
    const { subject, now, threshold } = found.value;
    const { score, breakdown } = now;
    return one(making, 'ForecastScored', { subject, id, score, threshold, breakdown: [...breakdown], suggests: false });
  },
  told: ({ id }, work, _id, given) => {
    const found = forecastNow(work, id, given);
    return found.ok ? forecastText(id, found.value) : found.error;
  },
});

const getForecastBreakdown = telling({
  name: 'get_forecast_breakdown',
  description:
    'Shows the score of an open item or endeavour feature by feature, as it is now, and when it was last recorded.',
  input: z.strictObject({ id: SubjectId }),
  target: 'id',
  tell: ({ id }, { parts }, given) => {
    const { work } = parts.known();
    const found = forecastNow(work, id, given);
    if (!found.ok) return fault(found.error);
    const recorded = work.items.get(id)?.forecast ?? work.endeavours.get(id)?.forecast;
    const before =
      recorded === undefined ? 'never' : `${recorded.score.toFixed(4)} at ${utcMinute(recorded.scoredAtMs)}`;
    return { text: `${forecastText(id, found.value)}\nrecorded: ${before}`, shows: [] };
  },
});

export const detailTools: readonly ToolDescriptor[] = [getEndeavourDetail, requestForecastReview, getForecastBreakdown];
