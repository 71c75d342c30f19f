/** Answers of Redis as it sends them: nested lists, and lists of alternating names and values. */

export interface Entry {
  readonly id: string;
  /** Field `to`; absent where the entry has none. */
  readonly to: string | undefined;
  /** Field `message`. */
  readonly text: string | undefined;
  /** It was pending, and the stream does not have it any more. */
  readonly isTrimmed: boolean;
}

/** Of XREADGROUP on one stream: `[[key, [[id, [name, value, …]], …]]]`, or null where nothing came in time. */
export function readEntries(reply: unknown): readonly Entry[] {
  const [stream] = list(reply);
  return list(list(stream)[1]).map(entryOf);
}

/** Of XAUTOCLAIM: `[cursor, [[id, fields], …], [ids that the stream does not have any more]]`. */
export function pendingEntries(reply: unknown): {
  readonly cursor: string;
  readonly entries: readonly Entry[];
  readonly trimmed: number;
} {
  const [cursor, entries, trimmed] = list(reply);
  return { cursor: String(cursor), entries: list(entries).map(entryOf), trimmed: list(trimmed).length };
}

/**
 * How many entries were trimmed before the group read them. Those that were lost once stay counted while nothing was read since,
 * and no later answer is higher without a new loss. 0 where the server does not count, which is before Redis 7.0.
 *
 * Redis numbers entries as they are added, and counts for a group the entries that it read. Entries up to
 * `entries-added - length` are gone; the group read fewer where it lost some.
 *
 * @param stream  of XINFO STREAM
 * @param groups  of XINFO GROUPS
 */
export function unreadLost(stream: unknown, groups: unknown, name: string): number {
  const added = member(stream, 'entries-added');
  const length = member(stream, 'length');
  const read = member(
    list(groups).find((group) => member(group, 'name') === name),
    'entries-read',
  );
  if (typeof added !== 'number' || typeof length !== 'number' || typeof read !== 'number') return 0;
  return Math.max(0, added - length - read);
}

function entryOf(entry: unknown): Entry {
  const [id, fields] = list(entry);
  const to = member(fields, 'to');
  const text = member(fields, 'message');
  return {
    id: String(id),
    to: typeof to === 'string' ? to : undefined,
    text: typeof text === 'string' ? text : undefined,
    isTrimmed: fields === null,
  };
}

function member(pairs: unknown, name: string): unknown {
  const flat = list(pairs);
  const at = flat.findIndex((value, index) => index % 2 === 0 && value === name);
  return at === -1 ? undefined : flat[at + 1];
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}
