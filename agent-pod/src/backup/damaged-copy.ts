/** What is wrong with a repository itself, told apart from a git that could not work. */
import { ZodError } from 'zod';
import { GitFailedError } from './git.ts';

/** The copy lacks something, or something of it was changed. The message names the place. */
export class DamagedCopyError extends Error {
  override readonly name = 'DamagedCopyError';
}

/**
 * Reads a part of a copy. What git or a parser refuses is the copy's fault, unless git says that it could not work.
 *
 * @param place  which part, for people
 * @throws DamagedCopyError, GitFailedError, or what else `read` throws
 */
export async function readingOf<T>(place: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof Error) || !isDamage(error)) throw error;
    throw new DamagedCopyError(`${place}: ${error.message}`, { cause: error });
  }
}

function isDamage(error: Error): boolean {
  if (error instanceof GitFailedError) return error.failure === 'Failed';
  return error instanceof SyntaxError || error instanceof ZodError;
}
