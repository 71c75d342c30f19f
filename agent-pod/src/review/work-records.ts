/** The work that an agent plans for itself, as its record has it: read with no agent running, and never changed here. */
import type { JournalReader, JournalRecord } from '@retainer/journal/journal';
import { isAbout } from '@retainer/mind/parts/derived';
import type { Endeavour } from '@retainer/mind/parts/work/endeavour';
import type { WorkItem } from '@retainer/mind/parts/work/item';
import { workStore } from '@retainer/mind/parts/work/store';
import { workTellers } from '@retainer/mind/parts/work/telling';
import type { WorkKind } from '@retainer/mind/parts/work/kinds';
import { work as workProjection } from '@retainer/mind/parts/work/work';
import { endeavourOf, itemOf, itemsOf, type Tombstone, type Work } from '@retainer/mind/parts/work/work-state';

/** What happened to it, in words of ours, and who did it. */
export interface WorkStep {
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly text: string;
  readonly by: string;
  /** Absent: no run did it. */
  readonly runId?: string;
}

/** One item or endeavour and what became of it. */
export interface WorkStory {
  readonly id: string;
  /** As it is; of a deleted or forgotten one, as it was last. One of the two is there. */
  readonly item?: WorkItem;
  readonly endeavour?: Endeavour;
  /** Its items. */
  readonly items: readonly WorkItem[];
  readonly tombstone?: Tombstone;
  /** The newest ones, oldest first. */
  readonly steps: readonly WorkStep[];
}

/** Steps of one story: as many as one reads. */
export const WORK_STEPS_MAX = 20;

type Reader = Pick<JournalReader, 'read'>;

/** The state that the agent itself has of its work. */
export async function workIn(reader: Reader): Promise<Work> {
  const state = workProjection.start();
  for await (const record of reader.read(workStore.name)) workProjection.take(state, record);
  return state;
}

/** @returns undefined: the record has no work of this id */
export async function workStoryOf(reader: Reader, id: string): Promise<WorkStory | undefined> {
  const state = workProjection.start();
  const steps: WorkStep[] = [];
  let last: Pick<WorkStory, 'item' | 'endeavour'> = {};
  for await (const record of reader.read(workStore.name)) {
    workProjection.take(state, record);
    if (!isAbout(record, id)) continue;
    last = subjectOf(state, id) ?? last;
    const step = stepOf(record);
    if (step !== undefined) steps.push(step);
  }
  if (last.item === undefined && last.endeavour === undefined) return undefined;
  const tombstone = state.deleted.get(id);
  return {
    id,
    ...(subjectOf(state, id) ?? last),
    items: itemsOf(state, id),
    ...(tombstone === undefined ? {} : { tombstone }),
    steps: steps.slice(-WORK_STEPS_MAX),
  };
}

function subjectOf(state: Work, id: string): Pick<WorkStory, 'item' | 'endeavour'> | undefined {
  const [item, endeavour] = [itemOf(state, id), endeavourOf(state, id)];
  if (item !== undefined) return { item };
  return endeavour === undefined ? undefined : { endeavour };
}

function stepOf({ kind, payload, timeMs, principal, runId }: JournalRecord): WorkStep | undefined {
  const tell = workTellers[kind as WorkKind];
  if (tell === undefined) return undefined;
  const { text } = tell(payload as Readonly<Record<string, unknown>>, (it) => it);
  return { atMs: timeMs, text, by: principal, ...(runId === undefined ? {} : { runId }) };
}
