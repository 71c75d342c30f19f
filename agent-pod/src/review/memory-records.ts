/** What an agent remembers, as its record has it: read with no agent running, and never changed here. */
import type { Agent } from '@retainer/contract/api/agent';
import type { JournalReader, JournalRecord } from '@retainer/journal/journal';
import { KnownBy } from '@retainer/mind/part/known-by';
import { isAbout, rememberingStores } from '@retainer/mind/parts/derived';
import { cases, type StoredCase } from '@retainer/mind/parts/cases/cases';
import { asOf, factsProjection, type StoredFact } from '@retainer/mind/parts/facts/facts';
import { FACT_HALF_LIFE_DAYS } from '@retainer/mind/parts/facts/fact-rules';
import { megrams } from '@retainer/mind/parts/megrams/megrams';
import { runAfter, type RememberedRun } from '@retainer/mind/parts/narrative/narrative';
import { accountOf } from '@retainer/mind/memory/recall/record-texts';
import type { StoredMegram } from '@retainer/mind/parts/megrams/potentials';
import type { Thread } from '@retainer/mind/parts/threads/thread-rules';
import { threads } from '@retainer/mind/parts/threads/threads';
import type { Projection } from '@retainer/mind/part/projection';

/** One remembered thing: what a person names it by, and what it says. */
export interface Remembered {
  readonly what: 'Fact' | 'Megram' | 'Run' | 'Case';
  /** `fact:KEY`, or the id of a megram, a run or a case. */
  readonly id: string;
  readonly text: string;
  readonly isTrusted: boolean;
  /** Milliseconds since 1970. */
  readonly atMs: number;
  /** Absent: no run made it. */
  readonly runId?: string;
  /** Of a fact: what is left of it, 0 to 1. */
  readonly confidence?: number;
}

export interface TracedRecord extends JournalRecord {
  /** Of a person's word. */
  readonly knownBy?: KnownBy;
}

/** All that counts at this moment, oldest first within each kind: facts, megrams, runs, cases. */
export async function rememberedIn(reader: JournalReader, nowMs: number): Promise<readonly Remembered[]> {
  const halfLifeDays = await halfLifeOf(reader);
  const facts = await folded(reader, factsProjection(halfLifeDays));
  const { megrams: lessons } = (await folded(reader, megrams)).kept;
  const runs = await runsIn(reader);
  return [
    // Those of a run or a cycle end with it.
    ...[...facts.held.values()]
      .filter(({ scope }) => scope === 'Persistent')
      .map((fact) => factLine(asOf(fact, nowMs, halfLifeDays))),
    ...lessons.map(megramLine),
    ...runs.map(runLine),
    ...[...(await folded(reader, cases)).byId.values()].map(caseLine),
  ];
}

/** Threads in the order of their beginning. */
export async function threadsIn(reader: JournalReader): Promise<readonly Thread[]> {
  return [...(await folded(reader, threads)).byId.values()];
}

/** Every record about one remembered thing, oldest first. For a run, also how the agent was, and the long outputs that the run kept. */
export async function traceMemory(reader: JournalReader, id: string): Promise<readonly TracedRecord[]> {
  const found: JournalRecord[] = [];
  for (const store of rememberingStores)
    for await (const record of reader.read(store)) if (isAbout(record, id)) found.push(record);
  const known = await sendersOf(reader, new Set(found.flatMap((it) => originOf(it) ?? [])));
  return found
    .toSorted((a, b) => a.order - b.order)
    .map((record) => {
      const knownBy = known.get(originOf(record) ?? '');
      return knownBy === undefined ? record : { ...record, knownBy };
    });
}

/** A record of a person's word names the command that it was. */
function originOf({ payload }: JournalRecord): string | undefined {
  const { originId } = payload as { readonly originId?: unknown };
  return typeof originId === 'string' ? originId : undefined;
}

/** How it is known who gave commands, by their origin. */
async function sendersOf(reader: JournalReader, origins: ReadonlySet<string>): Promise<ReadonlyMap<string, KnownBy>> {
  const known = new Map<string, KnownBy>();
  if (origins.size === 0) return known;
  for await (const record of reader.read('inbox')) {
    const originId = originOf(record) ?? '';
    const { command } = record.payload as { readonly command?: { readonly knownBy?: unknown } };
    const knownBy = KnownBy.safeParse(command?.knownBy);
    if (origins.has(originId) && knownBy.success) known.set(originId, knownBy.data);
  }
  return known;
}

/** The newest start says it; a record without one has the default. */
async function halfLifeOf(reader: JournalReader): Promise<number> {
  let days = FACT_HALF_LIFE_DAYS;
  for await (const { kind, payload } of reader.read('agent')) {
    if (kind !== 'Configured') continue;
    const { agent } = payload as unknown as { readonly agent: Agent };
    days = agent.spec.memory.halfLifeDays.facts;
  }
  return days;
}

async function folded<State>(reader: JournalReader, projection: Projection<State>): Promise<State> {
  const state = projection.start();
  const { store } = projection;
  for await (const record of reader.read(store)) projection.take(state, record);
  return state;
}

/** Unlike the agent, which needs the newest ones only. */
async function runsIn(reader: JournalReader): Promise<readonly RememberedRun[]> {
  const runs = new Map<string, RememberedRun>();
  for await (const record of reader.read('narrative')) {
    const { runId = '' } = record;
    const run = runAfter(runs.get(runId), record);
    if (run === undefined) runs.delete(runId);
    else runs.set(runId, run);
  }
  return [...runs.values()];
}

function factLine({ key, value, label, writtenAtMs, confidence, runId }: StoredFact): Remembered {
  const by = runId === undefined ? {} : { runId };
  const isTrusted = label.trust === 'Trusted';
  return { what: 'Fact', id: `fact:${key}`, text: value, isTrusted, atMs: writtenAtMs, confidence, ...by };
}

function megramLine({ id, space, entity, state, content, isTrusted, createdAtMs }: StoredMegram): Remembered {
  const text = `${space} ${entity}, ${state}: ${content}`;
  return { what: 'Megram', id, text, isTrusted, atMs: createdAtMs };
}

function caseLine({
  caseId,
  category,
  problem,
  outcome,
  label,
  writtenAtMs,
  runId,
  isSuppressed,
}: StoredCase): Remembered {
  const use = isSuppressed ? ', suppressed' : '';
  const pitfalls = outcome.pitfalls.length === 0 ? '' : `; ${outcome.pitfalls.join('; ')}`;
  const text = `${category}${use}: ${problem.input} → ${outcome.assessment}${pitfalls}`;
  return { what: 'Case', id: caseId, text, isTrusted: label.trust === 'Trusted', atMs: writtenAtMs, runId };
}

function runLine(run: RememberedRun): Remembered {
  const { runId = '', endedAtMs } = run;
  const { text, label } = accountOf(run);
  return { what: 'Run', id: runId, text, isTrusted: label.trust === 'Trusted', atMs: endedAtMs, runId };
}
