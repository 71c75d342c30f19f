/** Values that nobody can change any more, at any depth. */

/** Freezes a value of plain data in place. @returns the value */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) deepFreeze(member);
  return value;
}

/** A getter may answer differently each time, so a value with one is not frozen. */
export function isDeepFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (!Object.isFrozen(value)) return false;
  const members = Object.values(Object.getOwnPropertyDescriptors(value));
  return members.every((member) => 'value' in member && isDeepFrozen(member.value));
}
