/** Log lines: JSON, a constant message, values in fields. Never user text: an object is named, its content is not. */
import { ApiError, withoutQuotedValues } from '@retainer/kube/api-error';

export type LogLevel = 'debug' | 'info' | 'warning' | 'error';

export interface LogFields {
  readonly [field: string]: string | number | boolean | undefined;
}

export type Log = (level: LogLevel, message: string, fields?: LogFields) => void;

/** Longest error in a line: what follows is a stack or a list of fields, which the object's own status shows better. */
const errorLengthMax = 600;

/** The error and its causes in one line. */
export function errorText(error: unknown): string {
  const parts: string[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { message } = cause;
    if (!parts.some((part) => part.includes(message))) parts.push(message);
    if (cause instanceof ApiError) parts.push(`status ${cause.status} ${cause.reason}`);
  }
  return withoutQuotedValues(parts.join(': ')).slice(0, errorLengthMax);
}
