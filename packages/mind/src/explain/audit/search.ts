/** Finds a text in records, with its place. Letters count the same in both cases; nothing is weighed or guessed. */
import type { Json } from '@retainer/contract/std/canonical-json';
import type { JournalRecord } from '@retainer/contract/wire/record';

/** Characters shown before and after what was found. */
const AROUND_CHARACTERS = 60;

export interface Hit {
  readonly store: string;
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly kind: string;
  readonly runId?: string;
  readonly cycleId?: string;
  /** Of the first place in the payload: `request.messages[0].content[0].text`; `principal` for who caused the record. */
  readonly path: string;
  /** Places in the record, this one included. */
  readonly places: number;
  readonly excerpt: string;
}

interface Found {
  readonly path: string;
  readonly text: string;
  readonly at: number;
}

/** @param text  not empty */
export function hitIn(record: JournalRecord, text: string): Hit | undefined {
  const wanted = text.toLowerCase();
  const found = [...placesIn('principal', record.principal, wanted), ...placesIn('', record.payload, wanted)];
  const [first] = found;
  if (first === undefined) return undefined;
  const { store, seq, timeMs, kind, runId, cycleId } = record;
  return {
    store,
    seq,
    atMs: timeMs,
    kind,
    ...(runId === undefined ? {} : { runId }),
    ...(cycleId === undefined ? {} : { cycleId }),
    path: first.path,
    places: found.length,
    excerpt: excerptOf(first, wanted.length),
  };
}

/** Each text of the value that has it, once; names of members are the program's words, not the record's. */
function* placesIn(path: string, value: Json, wanted: string): Generator<Found> {
  if (typeof value === 'string') {
    const at = value.toLowerCase().indexOf(wanted);
    if (at >= 0) yield { path, text: value, at };
  } else if (Array.isArray(value)) {
    for (const [index, it] of value.entries()) yield* placesIn(`${path}[${index}]`, it, wanted);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, it] of Object.entries(value)) yield* placesIn(path === '' ? name : `${path}.${name}`, it, wanted);
  }
}

function excerptOf({ text, at }: Found, length: number): string {
  const from = Math.max(0, at - AROUND_CHARACTERS);
  const to = Math.min(text.length, at + length + AROUND_CHARACTERS);
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
}
