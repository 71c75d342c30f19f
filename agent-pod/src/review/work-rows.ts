/** Work as a table and as lines for people. Pure. Words of untrusted texts are marked, and no character of them drives a terminal. */
import { printable, printableLines } from '@retainer/contract/std/printable';
import { utcMinute } from '@retainer/contract/std/utc-date';
import { sourceWords, type Label } from '@retainer/mind/gate/provenance/label';
import type { PostMortem, PreMortem } from '@retainer/mind/parts/work/appraisal';
import { isOver, isPhaseOver, openBlockers, type Endeavour } from '@retainer/mind/parts/work/endeavour';
import type { Forecast } from '@retainer/mind/parts/work/forecast';
import { complexityOf, isEnded, stepsDone, type WorkItem } from '@retainer/mind/parts/work/item';
import type { Work } from '@retainer/mind/parts/work/work-state';
import type { WorkStory } from './work-records.ts';

type Row = readonly [string, string];

/**
 * The headings, and one row for each endeavour and item: endeavours first, open before ended, in the order in which they were made.
 *
 * @param nowMs  milliseconds since 1970
 * @param isAll  also ended ones
 */
export function workTable(work: Work, nowMs: number, isAll = false): readonly (readonly string[])[] {
  const endeavours = [...work.endeavours.values(), ...(isAll ? work.over.values() : [])];
  const items = [...work.items.values(), ...(isAll ? work.ended.values() : [])];
  return [
    ['id', 'what', 'title', 'status', 'progress', 'due', 'of'],
    ...endeavours.map((it) => [
      it.endeavourId,
      'endeavour',
      titleText(it),
      it.status,
      `${it.phases.filter(isPhaseOver).length}/${it.phases.length} phases`,
      dueText(it.deadlineMs, isOver(it), nowMs),
      '',
    ]),
    ...items.map((it) => [
      it.itemId,
      'item',
      titleText(it),
      it.status,
      `${stepsDone(it)}/${it.steps.length} steps`,
      dueText(it.deadlineMs, isEnded(it), nowMs),
      it.endeavourId ?? '',
    ]),
  ];
}

function titleText({ title, label }: { readonly title: string; readonly label: Label }): string {
  return `${printable(title)}${label.trust === 'Trusted' ? '' : ' (untrusted)'}`;
}

function dueText(deadlineMs: number | undefined, isClosed: boolean, nowMs: number): string {
  if (deadlineMs === undefined) return '';
  return `${utcMinute(deadlineMs)}${!isClosed && deadlineMs < nowMs ? ' (overdue)' : ''}`;
}

/** Of one item or endeavour, in two columns; a text of several lines goes on below itself. @param nowMs  milliseconds since 1970 */
export function workRows(story: WorkStory, nowMs: number): readonly Row[] {
  const { item, endeavour, items, tombstone, steps } = story;
  return [
    ...(item === undefined ? [] : itemRows(item, nowMs)),
    ...(endeavour === undefined ? [] : endeavourRows(endeavour, nowMs)),
    ...list(
      'items',
      items.map((it) => `${it.itemId} ${titleText(it)}: ${it.status}, ${stepsDone(it)}/${it.steps.length} steps`),
    ),
    ...(tombstone === undefined
      ? []
      : list('deleted', [
          `${utcMinute(tombstone.atMs)} by ${printable(tombstone.by)}: ${printable(tombstone.reason)}`,
        ])),
    ...list(
      'history',
      steps.map(
        ({ atMs, text, by, runId }) => `${utcMinute(atMs)} ${text} (${by}${runId === undefined ? '' : `, ${runId}`})`,
      ),
    ),
  ];
}

function itemRows(item: WorkItem, nowMs: number): readonly Row[] {
  return [
    ['what', 'item'],
    ['title', titleText(item)],
    ['status', item.status],
    ...some('reason', item.reason),
    ...some('of', [item.endeavourId, item.phaseId].filter((it) => it !== undefined).join(' ')),
    ...some('due', dueText(item.deadlineMs, isEnded(item), nowMs)),
    ...some('waits for', item.dependsOn.join(', ')),
    ['complexity', complexityOf(item)],
    ['used', `${item.cycles} cycles, ${item.tokens} tokens`],
    ...text('description', item.description),
    ...list(
      'steps',
      item.steps.map(({ number, description, completedAtMs }) => {
        return `${number}. [${completedAtMs === undefined ? ' ' : 'x'}] ${printable(description)}`;
      }),
    ),
    ...list(
      'risks',
      item.risks.map(({ risk, hasMaterialised }) => `${printable(risk)}${hasMaterialised ? ' (came true)' : ''}`),
    ),
    ...thoughts(item),
    ['from', sourceWords(item.label.source)],
  ];
}

function endeavourRows(endeavour: Endeavour, nowMs: number): readonly Row[] {
  const { phases, sessions, stakeholders, approvals } = endeavour;
  return [
    ['what', 'endeavour'],
    ['title', titleText(endeavour)],
    ['status', endeavour.status],
    ...some('reason', endeavour.reason),
    ...some('due', dueText(endeavour.deadlineMs, isOver(endeavour), nowMs)),
    ...text('goal', endeavour.goal),
    ...text('description', endeavour.description),
    ...list('criteria', endeavour.successCriteria.map(printable)),
    ...list(
      'phases',
      phases.map((it) => {
        const held = `${it.actualSessions} of ${it.estimatedSessions} sessions`;
        return `${it.phaseId} ${printable(it.name)}: ${it.status}, ${held}`;
      }),
    ),
    ...list(
      'sessions',
      sessions.map((it) => `${it.sessionId} ${it.status} ${utcMinute(it.atMs)}: ${printable(it.focus)}`),
    ),
    ...list(
      'blockers',
      openBlockers(endeavour).map((it) => {
        return `${it.blockerId} ${printable(it.description)}${it.requiresHuman ? ' (needs a person)' : ''}`;
      }),
    ),
    ...list(
      'people',
      stakeholders.map((it) => `${printable(it.name)}, ${it.role}, by ${printable(it.channel)}`),
    ),
    ...list(
      'approvals',
      Object.entries(approvals).map(([kind, mode]) => `${kind}: ${mode}`),
    ),
    ['used', `${endeavour.cycles} cycles, ${endeavour.tokens} tokens; ${endeavour.replanCount} changes of the plan`],
    ...thoughts(endeavour),
    ['from', sourceWords(endeavour.label.source)],
  ];
}

interface Thoughts {
  readonly forecast?: Forecast;
  readonly preMortem?: PreMortem;
  readonly postMortem?: PostMortem;
}

function thoughts({ forecast, preMortem, postMortem }: Thoughts): readonly Row[] {
  return [
    ...list(
      'forecast',
      forecast === undefined
        ? []
        : [
            `${forecast.score.toFixed(2)}, ${utcMinute(forecast.scoredAtMs)}`,
            ...forecast.breakdown.map((it) => `${it.feature} ${it.magnitude}: ${it.rationale}`),
          ],
    ),
    ...list('may go wrong', preMortem?.failureModes.map(printable) ?? []),
    ...list('verdict', postMortem === undefined ? [] : [postMortem.verdict]),
    ...list('lessons', postMortem?.lessonsLearned.map(printable) ?? []),
  ];
}

const some = (name: string, value: string | undefined): readonly Row[] =>
  value === undefined || value === '' ? [] : [[name, printable(value)]];

const text = (name: string, value: string): readonly Row[] => list(name, printableLines(value));

const list = (name: string, lines: readonly string[]): readonly Row[] =>
  lines.map((line, at): Row => [at === 0 ? name : '', line]);
