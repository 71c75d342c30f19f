/** Fields that a server omits when they are false; any other missing field may mean true. Source: Kubernetes, PodSpec. */
const LEFT_OUT_WHEN_FALSE: ReadonlySet<string> = new Set(['hostIPC', 'hostNetwork', 'hostPID']);

/** Whether an object has the desired value in every requested field; others' fields and defaults do not matter. Pure. */
export function covers(live: unknown, desired: unknown): boolean {
  if (desired === undefined) return true;
  if (Array.isArray(desired)) return coversList(live, desired);
  if (isRecord(desired)) return coversRecord(live, desired);
  return live === desired;
}

/** Lists are applied whole and in their order; a server adds defaults inside their items and never further items. */
function coversList(live: unknown, desired: readonly unknown[]): boolean {
  // Some kinds drop an empty list when they are stored.
  if (live === undefined) return desired.length === 0;
  return (
    Array.isArray(live) && live.length === desired.length && desired.every((item, index) => covers(live[index], item))
  );
}

function coversRecord(live: unknown, desired: Readonly<Record<string, unknown>>): boolean {
  const fields = Object.entries(desired);
  if (live === undefined) return fields.every(([, value]) => value === undefined);
  return isRecord(live) && fields.every(([field, value]) => coversField(live, field, value));
}

function coversField(live: Readonly<Record<string, unknown>>, field: string, value: unknown): boolean {
  return covers(live[field], value) || (value === false && live[field] === undefined && LEFT_OUT_WHEN_FALSE.has(field));
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
