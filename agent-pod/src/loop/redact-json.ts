import type { Json } from '@retainer/contract/std/canonical-json';

/** Replaces secrets in every string of a value, its member names excepted. */
export function redactJson<Value>(value: Value, redact: (text: string) => string): Value {
  return redacted(value as Json, redact) as Value;
}

function redacted(value: Json, redact: (text: string) => string): Json {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item) => redacted(item as Json, redact));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, redacted(member, redact)]));
}
