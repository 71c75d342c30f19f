/** The text of an error for a log line. Never user text: it names an object but not the object's content. */
import { ApiError, withoutQuotedValues } from '@retainer/kube/api-error';

/** Longest error in a line: what follows is a stack or a list of fields, which the object's own status shows better. */
const ERROR_LENGTH_MAX = 600;

/** The error and its causes in one line. */
export function errorText(error: unknown): string {
  const parts: string[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { message } = cause;
    if (!parts.some((part) => part.includes(message))) parts.push(message);
    if (cause instanceof ApiError) parts.push(`status ${cause.status} ${cause.reason}`);
  }
  return withoutQuotedValues(parts.join(': ')).slice(0, ERROR_LENGTH_MAX);
}
