/** Threads, cases and the history of one remembered thing, as the agent may ask for them. Source: springdrift 7. */
import type { Label } from '../gate/provenance/label.ts';
import { utcMinute } from '@retainer/contract/std/utc-date';
import { useOf, type StoredCase } from '../parts/cases/cases.ts';
import type { Recorded } from '../part/projection.ts';
import type { LabelledThread } from '../parts/threads/threads.ts';
import { ownRecord, quotedGist, telling, type Telling } from './telling.ts';

/** Records of one trace, the newest. */
const TRACED_MAX = 50;

/** @param threads  in any order; told the one first that a run joined last */
export function tellThreads(threads: readonly LabelledThread[], count: number): Telling {
  const shown = threads.toSorted((a, b) => b.lastAtMs - a.lastAtMs).slice(0, count);
  const rows = shown.map(({ threadId, name, runs, lastRunId, lastAtMs, domain, locations, keywords, isDormant }) => {
    const about = quotedGist([domain, ...locations, ...keywords].filter((it) => it !== '').join(', '));
    const sleeps = isDormant === true ? ', dormant' : '';
    return `${threadId} ${quotedGist(name)}: ${runs} runs, last ${lastRunId}, ${utcMinute(lastAtMs)}${sleeps}; about ${about}`;
  });
  const labels = shown.flatMap(({ label, nameLabel }) => [label, nameLabel]);
  return telling(rows, labels, 'There is no thread yet.');
}

/** @param cases  best first */
export function tellCases(cases: readonly StoredCase[]): Telling {
  const rows = cases.map((it) => {
    const { caseId, category, problem, solution, outcome, writtenAtMs, runId } = it;
    const { shown, succeeded } = useOf(it);
    const lesson = [outcome.assessment, ...outcome.pitfalls, solution.approach, ...it.notes].filter(
      (text) => text !== '',
    );
    const use = `shown ${shown} times, followed with success ${succeeded} times`;
    return `${caseId} ${category}, ${outcome.status}, ${utcMinute(writtenAtMs)}, run ${runId}, ${use}: ${quotedGist(`${problem.input} → ${lesson.join('; ')}`)}`;
  });
  return telling(
    rows,
    cases.map(({ label }) => label),
    'No case is like that.',
  );
}

export interface Traced extends Recorded {
  readonly principal: string;
}

/** @param records  about one thing, oldest first. Told oldest first, without what no longer fits */
export function tellTrace(records: readonly Traced[]): Telling {
  const shown = records.slice(-TRACED_MAX);
  const older = records.length - shown.length;
  const rows = shown.map(({ store, seq, kind, timeMs, principal, runId, payload }) => {
    const { label: _, ...said } = payload as Readonly<Record<string, unknown>>;
    const of = runId === undefined ? '' : `, run ${runId}`;
    return `${store}#${seq} ${kind}, ${utcMinute(timeMs)}, by ${principal}${of}: ${quotedGist(JSON.stringify(said))}`;
  });
  return telling(older > 0 ? [`[${older} older records]`, ...rows] : rows, shown.map(labelOfRecord), '');
}

/** A person is believed; measurements are numbers. */
function labelOfRecord({ store, principal, payload }: Traced): Label | undefined {
  if (store === 'affect') return ownRecord;
  const { label } = payload as { readonly label?: Label };
  if (label !== undefined) return label;
  return principal.startsWith('human:') ? { ...ownRecord, source: { kind: 'Person' } } : undefined;
}
