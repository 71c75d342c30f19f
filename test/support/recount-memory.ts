/** What memory holds at a moment, recounted from the records of its stores. */
import { fieldsOf, textIn, type Fields, type Moment, type Past } from './past.ts';

const DAY_MS = 86_400_000;

/** Of its confidence: a fact below it has faded. */
const FADED = 0.3;

interface Held {
  readonly key: string;
  readonly runId: string | undefined;
  readonly scope: string;
  readonly confidence: number;
  readonly derivation: string;
  readonly isTrusted: boolean;
  readonly timeMs: number;
}

const leftOf = ({ confidence, timeMs }: Held, nowMs: number, halfLifeDays: number): number =>
  confidence * 0.5 ** ((nowMs - timeMs) / DAY_MS / halfLifeDays);

/** A person's word holds; what was seen replaces what was not said; else the surer one holds. */
function holdsAfter(older: Held, newer: Held, halfLifeDays: number): boolean {
  if ([older, newer].some(({ derivation }) => derivation === 'OperatorProvided'))
    return newer.derivation === 'OperatorProvided';
  return newer.derivation === 'DirectObservation' || newer.confidence >= leftOf(older, newer.timeMs, halfLifeDays);
}

/** What holds for somebody, one of each key for all and for each open run. */
export function heldFacts({ past, manifest: { factHalfLifeDays } }: Moment): readonly Held[] {
  const closed = new Set(past.of('run', 'RunClosed').map(({ runId }) => runId));
  const held = new Map<string, Held>();
  for (const record of past.records.filter(({ store }) => store === 'fact')) {
    const fields = fieldsOf(record);
    const key = textIn(fields, 'key');
    if (record.kind === 'FactCleared') held.delete(`Persistent ${key} `);
    if (record.kind !== 'FactWritten') continue;
    const fact = factOf(fields, key, record);
    const slot = `${fact.scope} ${key} ${fact.scope === 'Persistent' ? '' : fact.runId}`;
    const older = held.get(slot);
    if (older === undefined || holdsAfter(older, fact, factHalfLifeDays)) held.set(slot, fact);
  }
  return [...held.values()].filter(({ scope, runId }) => scope === 'Persistent' || !closed.has(runId));
}

function factOf(
  fields: Fields,
  key: string,
  { runId, timeMs }: { readonly runId?: string; readonly timeMs: number },
): Held {
  const { trust } = fields['label'] as { readonly trust: string };
  const [scope, derivation] = [textIn(fields, 'scope'), textIn(fields, 'derivation')];
  return {
    ...{ key, runId, scope, derivation, timeMs },
    confidence: Number(fields['confidence']),
    isTrusted: trust === 'Trusted',
  };
}

const orNone = (count: number): number | undefined => (count === 0 ? undefined : count);

/** Distinct names of a kind of record. */
function named(past: Past, [store, kind]: readonly [store: string, kind: string], name: string): Set<string> {
  return new Set(past.of(store, kind).map((record) => textIn(fieldsOf(record), name)));
}

/** Every id in lists of ids. */
function ids(past: Past, store: string, kind: string): readonly string[] {
  return past.of(store, kind).flatMap((record) => fieldsOf(record)['ids'] as readonly string[]);
}

function without(all: ReadonlySet<string>, gone: Iterable<string>): number {
  const left = new Set(all);
  for (const id of gone) left.delete(id);
  return left.size;
}

/** Paths with a label. */
function filesIn(past: Past): number {
  const paths = new Set<string>();
  for (const record of past.records.filter(({ store }) => store === 'file')) {
    const path = textIn(fieldsOf(record), 'path');
    if (record.kind === 'FileRecorded') paths.add(path);
    if (record.kind === 'FileForgotten') paths.delete(path);
  }
  return paths.size;
}

export function memoryCounts(moment: Moment): Readonly<Record<string, number | undefined>> {
  const { past, nowMs, manifest } = moment;
  const facts = heldFacts(moment);
  const megrams = new Set(
    past.of('megram', 'MegramWritten').map((it) => textIn(fieldsOf(it)['megram'] as Fields, 'id')),
  );
  const cases = named(past, ['case', 'CaseWritten'], 'caseId');
  return {
    runs: new Set(past.of('narrative', 'RunRemembered').map(({ runId }) => runId)).size,
    threads: named(past, ['thread', 'ThreadJoined'], 'threadId').size,
    dormant_threads: orNone(named(past, ['thread', 'ThreadDormant'], 'threadId').size),
    cases: without(cases, [...ids(past, 'case', 'CaseMerged'), ...ids(past, 'case', 'CasePruned')]),
    facts: facts.length,
    faded_facts: orNone(facts.filter((it) => leftOf(it, nowMs, manifest.factHalfLifeDays) < FADED).length),
    artifacts: named(past, ['artifact', 'ArtifactKept'], 'artifactId').size,
    megrams: without(megrams, ids(past, 'megram', 'MegramForgotten')),
    files: filesIn(past),
  };
}

/** By its newest name, or by its id where strangers may have named it; of several that were joined at once, the one begun last. */
export function newestThread(past: Past): string | undefined {
  const joins = past.of('thread', 'ThreadJoined');
  const begun = [...new Set(joins.map((record) => textIn(fieldsOf(record), 'threadId')))];
  const joinedMs = (id: string): number =>
    Math.max(...joins.filter((record) => textIn(fieldsOf(record), 'threadId') === id).map(({ timeMs }) => timeMs));
  const newest = begun.toSorted((a, b) => joinedMs(a) - joinedMs(b)).at(-1);
  if (newest === undefined) return undefined;
  const of = (kind: string) => past.of('thread', kind).filter((it) => textIn(fieldsOf(it), 'threadId') === newest);
  const record = of('ThreadNamed').at(-1) ?? of('ThreadJoined')[0];
  if (record === undefined) return undefined;
  const naming = fieldsOf(record);
  const { trust } = naming['label'] as { readonly trust: string };
  return trust === 'Trusted' ? textIn(naming, 'name') : newest;
}
