/** Parses replies of Redis: nested lists, and lists of alternating names and values. */

export interface Entry {
  readonly id: string;
  readonly to: string | undefined;
  readonly text: string | undefined;
  /** A pending entry that the stream no longer contains. */
  readonly isTrimmed: boolean;
}

/** @param reply  of XREADGROUP on one stream: `[[key, [[id, [name, value, …]], …]]]`, or null after a timeout */
export function readEntries(reply: unknown): readonly Entry[] {
  const [stream] = list(reply);
  return list(list(stream)[1]).map(entryOf);
}

/** @param reply  of XAUTOCLAIM: `[cursor, [[id, fields], …], [ids of trimmed entries]]` */
export function pendingEntries(reply: unknown): {
  readonly cursor: string;
  readonly entries: readonly Entry[];
  readonly trimmed: number;
} {
  const [cursor, entries, trimmed] = list(reply);
  return { cursor: String(cursor), entries: list(entries).map(entryOf), trimmed: list(trimmed).length };
}

/**
 * The number of entries trimmed before the group read them. Lost entries stay counted until the group reads again; the number
 * never rises without a new loss. 0 before Redis 7.0, which does not count.
 *
 * Redis counts all added entries, and per group the entries read. Of the added entries, the first `entries-added - length` are
 * trimmed; if the group read fewer than that, it lost the difference.
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
