/**
 * What a cycle that begins is told of the agent's own work: what is overdue, active and blocked.
 *
 * I1  No word that a stranger may have written: the title of an item that is not trusted is left out, and its id stands alone.
 * I2  At most {@link ROWS_MAX} rows of a kind; the count is of all.
 */
import { utcMinute } from '@retainer/contract/std/utc-date';
import { mayRead, OWNER, type Label } from '../../gate/provenance/label.ts';
import { openBlockers, type Endeavour } from './endeavour.ts';
import { isEnded, stepsDone, type WorkItem } from './item.ts';
import type { Work } from './work-state.ts';

/** As in the other lists of the sensorium. */
const ROWS_MAX = 3;

/** A name for people and models: the title where it is trusted. */
export function nameOf(id: string, { title, label }: { readonly title: string; readonly label: Label }): string {
  return label.trust === 'Trusted' ? `${id} ${JSON.stringify(title)}` : `${id} (its title is of untrusted text)`;
}

/** Open items whose deadline has passed, the oldest deadline first. */
export function overdueItems({ items }: Pick<Work, 'items'>, nowMs: number): readonly WorkItem[] {
  return [...items.values()]
    .filter((it) => !isEnded(it) && it.deadlineMs !== undefined && it.deadlineMs < nowMs)
    .toSorted((a, b) => (a.deadlineMs ?? 0) - (b.deadlineMs ?? 0));
}

/** Open endeavours whose deadline has passed. */
export function overdueEndeavours({ endeavours }: Pick<Work, 'endeavours'>, nowMs: number): readonly Endeavour[] {
  return [...endeavours.values()].filter(({ deadlineMs }) => deadlineMs !== undefined && deadlineMs < nowMs);
}

function itemLine(item: WorkItem): string {
  const done = `${stepsDone(item)} of ${item.steps.length} steps complete`;
  const due = item.deadlineMs === undefined ? '' : `, due ${utcMinute(item.deadlineMs)}`;
  return `${nameOf(item.itemId, item)}: ${done}${due}`;
}

function endeavourLine(endeavour: Endeavour): string {
  const { endeavourId, phases, deadlineMs } = endeavour;
  const phase = phases.find(({ status }) => status === 'InProgress');
  const at = phase === undefined ? '' : `, in phase ${phase.phaseId} of ${phases.length}`;
  const due = deadlineMs === undefined ? '' : `, due ${utcMinute(deadlineMs)}`;
  return `${nameOf(endeavourId, endeavour)}: ${openBlockers(endeavour).length} open blockers${at}${due}`;
}

function rows<It>(what: string, all: readonly It[], line: (it: It) => string): readonly string[] {
  if (all.length === 0) return [];
  return [`${what}: ${all.length}`, ...all.slice(0, ROWS_MAX).map((it) => `- ${line(it)}`)];
}

/** @param principal  whom the lines are for: they tell of what it may read */
export function workLines(work: Work, nowMs: number, principal = OWNER): readonly string[] {
  const isReadable = ({ label }: { readonly label: Label }): boolean => mayRead(label.readers, principal);
  const overdue = overdueItems(work, nowMs).filter(isReadable);
  const open = [...work.items.values()].filter(isReadable);
  const active = open.filter((it) => it.status === 'Active' && !overdue.includes(it));
  const late = overdueEndeavours(work, nowMs).filter(isReadable);
  const endeavours = [...work.endeavours.values()].filter(isReadable);
  const blocked = endeavours.filter((it) => it.status === 'Blocked' && !late.includes(it));
  return [
    ...rows('Work items overdue', overdue, itemLine),
    ...rows('Work items active', active, itemLine),
    ...rows('Endeavours overdue', late, endeavourLine),
    ...rows('Endeavours blocked', blocked, endeavourLine),
  ];
}
