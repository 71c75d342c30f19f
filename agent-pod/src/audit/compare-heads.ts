/**
 * Checks that a store still contains the kept heads. Pure.
 *
 * The chain alone proves only that a store is one piece. A writer that cuts its end, rewrites it with fresh hashes or restores an
 * old copy leaves a valid chain. Only a head that somebody else kept reveals this.
 *
 * Source: reliability-security 1 (heads to the auditor), 7.
 */
import type { Head } from '@retainer/journal/journal';
import type { Finding } from './finding.ts';

/** The result of a whole walk of a store. */
export interface FoundStore {
  readonly store: string;
  /** False when its directory is gone. */
  readonly exists: boolean;
  /** −1 when it holds no record. */
  readonly lastSeq: number;
  /** The present records at the sequences of the kept heads. */
  readonly met: ReadonlyMap<number, MetRecord>;
}

export interface MetRecord {
  readonly hash: string;
  readonly file: string;
  readonly line: number;
}

type HeadCase = 'InPlace' | 'BeyondEnd' | 'Other' | 'NotMet';

/** One finding per kind of missing head, at the oldest such head. `kept` is oldest first. */
export function compareHeads(kept: readonly Head[], found: FoundStore): readonly Finding[] {
  const newest = kept.at(-1);
  if (newest === undefined) return [];
  const { store } = found;
  if (!found.exists)
    return [
      { kind: 'StoreMissing', store, seq: newest.seq, file: store, detail: `${kept.length} heads of it are kept` },
    ];
  const cases = kept.map((head) => ({ head, is: headCase(head, found) }));
  const inPlace = cases.findLast(({ is }) => is === 'InPlace')?.head;
  const since =
    inPlace === undefined
      ? 'no kept head is in the store'
      : `the head at sequence ${inPlace.seq} is still in the store`;
  return findingOf.flatMap(({ is, kind, tell }) => {
    const missing = cases.filter((other) => other.is === is).map(({ head }) => head);
    const [first] = missing;
    if (first === undefined) return [];
    const place = found.met.get(first.seq);
    const where = place === undefined ? {} : { file: `${store}/${place.file}`, line: place.line };
    return [
      { kind, store, seq: first.seq, ...where, detail: `${tell(first, found)}; ${missing.length} heads; ${since}` },
    ];
  });
}

const findingOf: readonly {
  readonly is: HeadCase;
  readonly kind: Finding['kind'];
  readonly tell: (head: Head, found: FoundStore) => string;
}[] = [
  {
    is: 'Other',
    kind: 'SuffixRewritten',
    tell: (head, found) => `kept hash ${short(head.hash)}, found ${short(found.met.get(head.seq)?.hash ?? '')}`,
  },
  {
    is: 'BeyondEnd',
    kind: 'TailCut',
    tell: (head, found) => `the store ends at sequence ${found.lastSeq}, but epoch ${head.epoch} wrote ${head.seq}`,
  },
  { is: 'NotMet', kind: 'HeadMissing', tell: (head) => `kept hash ${short(head.hash)}, no readable record is there` },
];

/** Whether a finding is about a kept head. */
export function isOfHead(kind: Finding['kind']): boolean {
  return findingOf.some((it) => it.kind === kind);
}

function headCase(head: Head, found: FoundStore): HeadCase {
  if (head.seq > found.lastSeq) return 'BeyondEnd';
  const met = found.met.get(head.seq);
  if (met === undefined) return 'NotMet';
  return met.hash === head.hash ? 'InPlace' : 'Other';
}

function short(hash: string): string {
  return hash.slice(0, 12);
}
