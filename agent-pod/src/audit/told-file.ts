/**
 * What the auditor last told the operator. In a pod, the auditor tells by its end: it writes its alarms as its termination message,
 * ends, and is started again. It needs no right and no network for that. The file says what was told already.
 */
import { writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { terminationText, type TerminationMessage } from '@retainer/contract/wire/termination-message';
import { isAlarm, type Finding } from './finding.ts';
import { readSaved, replaceText } from './position-file.ts';

export interface Telling {
  /** The termination message of the container. */
  readonly file: string;
  /** Differs from pod to pod: a new pod has no earlier messages. */
  readonly life: string;
}

/** Between two ends that tell: the kubelet starts a container that ends more often with growing delays. */
export const TELL_EVERY_MS = 300_000;
/** As many as a condition has room for. */
const ALARMS_SHOWN = 3;

const Told = z.object({ life: z.string(), what: z.string(), atMs: z.number() });
export type Told = z.infer<typeof Told>;

export function readTold(path: string): Promise<Told | undefined> {
  return readSaved(path, Told);
}

/** @returns what to tell now; undefined if it is told already, or another was told a moment ago */
export function toTell(open: readonly Finding[], told: Told | undefined, now: Omit<Told, 'what'>): Told | undefined {
  const what = [...new Set(open.filter(isAlarm).map(({ kind, store }) => `${kind} ${store}`))].toSorted().join(', ');
  const isTold = what === (told?.what ?? '') && (what === '' || told?.life === now.life);
  const isEarly = told?.life === now.life && now.atMs - told.atMs < TELL_EVERY_MS;
  return isTold || isEarly ? undefined : { ...now, what };
}

/** Remembers it first: an end that tells twice is worse than none, because each one interrupts the watch. */
export async function tell(
  open: readonly Finding[],
  told: Told,
  files: { readonly told: string; readonly message: string },
): Promise<void> {
  await replaceText(files.told, JSON.stringify(told));
  await writeFile(files.message, terminationText(messageOf(open.filter(isAlarm))));
}

function messageOf(alarms: readonly Finding[]): TerminationMessage {
  if (alarms.length === 0) return { reason: 'RecordIntact', message: 'all alarms of the auditor are closed' };
  const shown = alarms.slice(0, ALARMS_SHOWN).map(alarmText).join('; ');
  const more = alarms.length > ALARMS_SHOWN ? `; ${alarms.length - ALARMS_SHOWN} more` : '';
  const advice = 'keep a copy of the volume; the log of container auditor says what to do';
  return { reason: 'RecordChanged', message: `the auditor found ${shown}${more}; ${advice}` };
}

/** `SegmentReplaced in store cycle, sequence 4 (cycle/2026-01-02.jsonl:5)`. */
function alarmText({ kind, store, seq, file, line }: Finding): string {
  const place = file === undefined ? '' : ` (${file}${line === undefined ? '' : `:${line}`})`;
  return `${kind} in store ${store}${seq === undefined ? '' : `, sequence ${seq}`}${place}`;
}
