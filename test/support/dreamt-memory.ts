/** A record with something for every pass of a dream, and what memory is after it. */
import type { ArchivistSettings } from '@retainer/agent-pod/loop/archive-driver';
import { foldRecord } from '@retainer/agent-pod/loop/fold-record';
import type { AgentRuntime } from '@retainer/agent-pod/loop/agent-runtime';
import type { ModelPort } from '@retainer/agent-pod/ports/ports';
import type { DreamCause } from '@retainer/mind/archive/dream-event';
import { Projections } from '@retainer/mind/projections/projections';
import type { Label } from '@retainer/mind/gate/provenance/label';
import { agentStores } from '@retainer/agent-pod/loop/stores';
import type { JournalRecord, NewRecord } from '@retainer/journal/journal';
import { kindOf, type StoreDefinition } from '@retainer/journal/stores';
import { makeRuntime, World, type Played } from './crash-world.ts';
import { manualClock } from './manual-clock.ts';
import { MemoryJournal } from './memory-journal.ts';
import { abandon, accept, changeApproach, DAY_MS, plainCase } from './tended-memory.ts';

const label: Label = { source: { kind: 'Workspace' }, trust: 'Trusted', readers: ['owner'] };

/** When the dream begins. */
export const DREAM_MS = Date.UTC(2030, 0, 1);

/** The newest, by default a day old. */
function megram(id: string, numbers: object, createdAtMs = DREAM_MS - DAY_MS): NewRecord {
  const plain = { level: 'M', createdAtMs, space: 'intent:sum', entity: 'env:local', content: `Work ${id}: no sum` };
  return {
    ...{ store: 'megram', kind: 'MegramWritten', principal: 'agent', runId: id },
    payload: { megram: { ...plain, ...numbers, id: `${id}-g3-1` }, label },
  };
}

function times(count: number, make: (n: number) => NewRecord): readonly NewRecord[] {
  return Array.from({ length: count }, (_, n) => make(n));
}

const drafts = (n: number) => ({ space: 'tool:change', entity: `path:drafts/${n}.csv` });
const labels = { domain: 'sales', locations: ['a.csv'], keywords: ['march'] };

export const remembered: readonly NewRecord[] = [
  megram('old', accept, DREAM_MS - 60 * DAY_MS),
  megram('rule', { ...accept, level: 'C', k: 0, space: 'intent:mail' }, DREAM_MS - 9 * DAY_MS),
  megram('against', { ...abandon, space: 'intent:mail' }),
  ...times(6, (n) => megram(`accept${n}`, accept)),
  megram('once', { ...accept, space: 'intent:once' }),
  ...times(4, (n) =>
    megram(`draft${n}`, { ...changeApproach, ...drafts(n), content: `Add up ${n}: no sum in drafts` }),
  ),
  ...['a', 'b'].map((id): NewRecord => {
    return { store: 'case', kind: 'CaseWritten', principal: 'archivist', runId: id, payload: plainCase(`${id}-case`) };
  }),
  ...times(3, (n): NewRecord => {
    const joined = { threadId: 'thread-a', name: 'sales — a.csv', score: 6, matched: labels, position: n + 1 };
    const payload = { ...joined, continuity: '', labels, label };
    const head = { store: 'thread', kind: 'ThreadJoined', principal: 'archivist', timeMs: DREAM_MS - DAY_MS };
    return { ...head, runId: `t${n}`, payload };
  }),
];

/** Takes what a journal on a disk takes: one store in an append, and payloads of the form of their kinds. */
export class StrictJournal extends MemoryJournal {
  override append(records: readonly NewRecord[]): Promise<readonly JournalRecord[]> {
    if (new Set(records.map(({ store }) => store)).size > 1) throw new Error('one append is for one store');
    for (const { store, kind, payload } of records) {
      const definition: StoreDefinition | undefined = agentStores.find(({ name }) => name === store);
      if (definition !== undefined) kindOf(definition, kind)?.schema.parse(payload);
    }
    return super.append(records);
  }
}

export interface Dreamt {
  readonly model: ModelPort;
  readonly archivist?: ArchivistSettings;
  readonly played?: Partial<Played>;
  readonly cause?: DreamCause;
}

/** One process at the moment of the dream, which dreams once. */
export async function dreamOn(
  journal: MemoryJournal,
  { model, archivist, played, cause = 'Interval' }: Dreamt,
  within: (runtime: AgentRuntime) => Promise<unknown> = (runtime) => runtime.dream(cause),
): Promise<void> {
  const asked = archivist === undefined ? {} : { archivist };
  const clock = manualClock(DREAM_MS);
  const runtime = makeRuntime({ journal, world: new World(), model, clock, ...asked, ...played });
  await runtime.start();
  await within(runtime);
  await runtime.stop();
}

/** What memory holds, and nothing of the dream itself. */
export async function memoryIn(journal: MemoryJournal): Promise<unknown> {
  const projections = new Projections();
  await foldRecord(journal, projections, 0);
  const { megrams, cases, threads, dreams } = projections.states;
  const { megrams: kept, forgotten } = megrams.kept;
  return {
    megrams: kept.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    forgotten,
    cases: [...cases.byId],
    retired: [...cases.retired],
    threads: [...threads.byId],
    isOver: dreams.open === undefined,
  };
}
