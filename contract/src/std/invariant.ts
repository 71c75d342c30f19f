/** A bug: the process logs it and exits, and replaying the journal restores the state. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/** Throws {@link InvariantError} where `condition` does not hold: a bug, never bad input. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}
