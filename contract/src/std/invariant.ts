/** A bug: the process logs it and exits, and replaying the journal restores the state. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/** For bugs, never for bad input. @throws InvariantError if `condition` is false */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}
