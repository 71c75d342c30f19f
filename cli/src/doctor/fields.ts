/** Reads fields of other programs' objects, without trust in their shape. Pure. */

/** The value at a path such as `status.readyReplicas`; undefined if there is none. */
export function valueAt(object: unknown, path: string): unknown {
  let value = object;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

/** Empty if there is no text. */
export function textAt(object: unknown, path: string): string {
  const value = valueAt(object, path);
  return typeof value === 'string' ? value : '';
}

/** 0 if there is no number. */
export function countAt(object: unknown, path: string): number {
  const value = valueAt(object, path);
  return typeof value === 'number' ? value : 0;
}

/** Empty if there is no list. */
export function listAt(object: unknown, path: string): readonly unknown[] {
  const value = valueAt(object, path);
  return Array.isArray(value) ? value : [];
}

export interface SeenCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  /** Milliseconds since 1970; undefined if the condition does not give it. */
  readonly sinceMs: number | undefined;
}

export function conditionsOf(object: unknown): readonly SeenCondition[] {
  return listAt(object, 'status.conditions').map((condition) => ({
    type: textAt(condition, 'type'),
    status: textAt(condition, 'status'),
    reason: textAt(condition, 'reason'),
    message: textAt(condition, 'message'),
    sinceMs: momentOf(textAt(condition, 'lastTransitionTime')),
  }));
}

export function conditionOf(object: unknown, type: string): SeenCondition | undefined {
  return conditionsOf(object).find((condition) => condition.type === type);
}

/** Milliseconds since 1970; undefined if the text is not RFC 3339. */
export function momentOf(text: string): number | undefined {
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : atMs;
}
