/** Describes errors for the log, without their messages. */

export function errorKind(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown';
}

/** Kind and stack of an error. Omits the message, which may quote a person or a model. */
export function errorPlace(error: unknown): { readonly error: string; readonly at: readonly string[] } {
  if (!(error instanceof Error)) return { error: typeof error, at: [] };
  const { code } = error as NodeJS.ErrnoException;
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  const name = code === undefined ? error.name : `${error.name} ${code}`;
  return { error: name, at: frames.slice(0, 8).map((line) => line.trim()) };
}
